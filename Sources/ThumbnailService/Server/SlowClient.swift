#if Service
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections whose clients send or take too slowly (SERVICE.md SV20).
///
/// The header of a request has to be there within one time, all of the request within another. Both begin with its first
/// byte, and on a new connection with that. Between requests a connection may rest: that is limited elsewhere.
final class SlowClient: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// What a client has time for.
    struct Limits: Hashable, Sendable {
        /// For the header of a request.
        var header: TimeAmount
        /// For the whole of a request.
        var request: TimeAmount
        /// Without room for more of an answer, since the client reads nothing.
        var stalledAnswer: TimeAmount
    }

    private enum Phase { case betweenRequests, header, body }

    private let limits: Limits
    private var context: ChannelHandlerContext?
    private var phase = Phase.betweenRequests
    private var requestBegin = NIODeadline.now()
    /// Answers that have not been written to their end. While one is owed, the client may wait for it.
    private var owedAnswers = 0
    private var readDeadline: NIODeadline?
    private var writeDeadline: NIODeadline?
    /// One timer a connection, which looks at the deadlines when it fires: requests that are fast set none.
    private var timer: (task: Scheduled<Void>, deadline: NIODeadline)?

    init(_ limits: Limits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // The parts of a request come too late to tell when its first byte came.
        let watch = FirstByteWatch { [weak self] in self?.bytesArrived() }
        try? context.pipeline.syncOperations.addHandler(watch, name: nil, position: .first)
        if context.channel.isActive { beginRequest(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        stopTimer()
    }

    func channelActive(context: ChannelHandlerContext) {
        beginRequest(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        stopTimer()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            phase = .body
            owedAnswers += 1
            readDeadline = requestBegin + limits.request
        case .body: break
        case .end:
            phase = .betweenRequests
            readDeadline = nil
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            owedAnswers -= 1
            // A header that has begun meanwhile was not read on: its time begins now.
            if owedAnswers == 0, phase == .header { beginRequest(context) }
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            writeDeadline = nil
        } else {
            let deadline = context.eventLoop.now + limits.stalledAnswer
            writeDeadline = deadline
            watch(deadline, context)
        }
        context.fireChannelWritabilityChanged()
    }

    private func bytesArrived() {
        guard phase == .betweenRequests, let context else { return }
        phase = .header
        if owedAnswers == 0 { beginRequest(context) }
    }

    private func beginRequest(_ context: ChannelHandlerContext) {
        requestBegin = context.eventLoop.now
        let deadline = requestBegin + limits.header
        (phase, readDeadline) = (.header, deadline)
        watch(deadline, context)
    }

    private func watch(_ deadline: NIODeadline, _ context: ChannelHandlerContext) {
        if let timer, timer.deadline <= deadline { return }
        stopTimer()
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.check(context) }
        timer = (task, deadline)
    }

    private func check(_ context: ChannelHandlerContext) {
        timer = nil
        guard let deadline = [readDeadline, writeDeadline].compactMap({ $0 }).min() else { return }
        guard deadline <= context.eventLoop.now else { return watch(deadline, context) }
        context.close(promise: nil)
    }

    private func stopTimer() {
        timer?.task.cancel()
        timer = nil
    }
}

/// Tells of bytes before they are parsed.
private final class FirstByteWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let arrived: () -> Void

    init(_ arrived: @escaping () -> Void) { self.arrived = arrived }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        arrived()
        context.fireChannelRead(data)
    }
}
#endif
