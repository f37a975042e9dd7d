import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Reports the state of a connection to the ``ConnectionTable``: idle until the header of a request is complete, and
/// again when the request has been read and its response has been sent.
///
/// An incomplete header does not count as a request; the table may close such a connection like any idle one.
final class ConnectionTracker: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let table: ConnectionTable
    private var number: ConnectionTable.Number?
    private var context: ChannelHandlerContext?
    private var isReadingRequest = false
    private var pendingResponses = 0

    init(_ table: ConnectionTable) { self.table = table }

    private var isIdle: Bool { !isReadingRequest && pendingResponses == 0 }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { register(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        unregister()
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        register(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        unregister()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            if isIdle, let number { table.beginRequest(number) }
            isReadingRequest = true
            pendingResponses += 1
        case .body: break
        case .end:
            isReadingRequest = false
            reportIfIdle()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            pendingResponses -= 1
            reportIfIdle()
        }
        context.write(data, promise: promise)
    }

    private func reportIfIdle() {
        if isIdle, let number { table.endRequest(number) }
    }

    /// Registers the connection. A refused connection is closed in a later iteration of the event loop: closing it
    /// before all handlers have received `channelActive` traps in NIOAsyncChannel ("Deinited NIOAsyncWriter without
    /// calling finish()").
    private func register(_ context: ChannelHandlerContext) {
        guard number == nil else { return }
        number = table.insert(connection(context))
        guard number == nil else { return }
        let channel = context.channel
        context.eventLoop.execute { channel.close(promise: nil) }
    }

    private func unregister() {
        number.map { table.remove($0) }
        number = nil
    }

    private func connection(_ context: ChannelHandlerContext) -> ConnectionTable.Connection {
        let (loop, tracker) = (context.eventLoop, NIOLoopBound(self, eventLoop: context.eventLoop))
        return .init(peer: IPAddress(context.channel.remoteAddress)) {
            loop.execute { tracker.value.closeIfIdle() }
        }
    }

    private func closeIfIdle() {
        guard let context, let number else { return }
        if isIdle { return context.close(promise: nil) }
        table.restore(number, connection(context))
    }
}
