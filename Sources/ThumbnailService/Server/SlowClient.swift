import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections whose clients send or receive too slowly (SV20 in Docs/service-security.md).
///
/// The header of a request has one time limit, the complete request another. For the first request of a connection,
/// both start when the connection is opened, for later requests at their first byte. The HTTP server limits the idle
/// time between requests.
final class SlowClient: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Time limits for a client.
    struct Limits: Hashable, Sendable {
        /// Time limit for the header of a request.
        var header: TimeAmount
        /// Time limit for the complete request.
        var request: TimeAmount
        /// Time limit for a response that cannot be written because the client does not read.
        var stalledResponse: TimeAmount
    }

    private enum Phase { case betweenRequests, header, body }

    private let limits: Limits
    private var context: ChannelHandlerContext?
    private var phase = Phase.betweenRequests
    private var requestStart = NIODeadline.now()
    /// Number of responses that are not complete. While it is above 0, no time limit runs for the header of the next
    /// request.
    private var pendingResponses = 0
    private var readDeadline: NIODeadline?
    private var writeDeadline: NIODeadline?
    /// Timer of the connection, which checks the deadlines when it fires. It is not rescheduled for each request:
    /// requests that end before it fires need no further timer.
    private var timer: (task: Scheduled<Void>, deadline: NIODeadline)?

    init(_ limits: Limits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // The parsed parts of a request arrive too late to measure the time of its first byte.
        let firstByte = FirstByteHandler { [weak self] in self?.bytesReceived() }
        try? context.pipeline.syncOperations.addHandler(firstByte, name: nil, position: .first)
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
            pendingResponses += 1
            readDeadline = requestStart + limits.request
        case .body: break
        case .end:
            phase = .betweenRequests
            readDeadline = nil
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            pendingResponses -= 1
            // The server possibly reads nothing until the response ends. So the time limit for a header that has begun
            // to arrive before (pipelining) starts only now.
            if pendingResponses == 0, phase == .header { beginRequest(context) }
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            writeDeadline = nil
        } else {
            let deadline = context.eventLoop.now + limits.stalledResponse
            writeDeadline = deadline
            startTimer(deadline, context)
        }
        context.fireChannelWritabilityChanged()
    }

    private func bytesReceived() {
        guard phase == .betweenRequests, let context else { return }
        phase = .header
        if pendingResponses == 0 { beginRequest(context) }
    }

    private func beginRequest(_ context: ChannelHandlerContext) {
        requestStart = context.eventLoop.now
        let deadline = requestStart + limits.header
        (phase, readDeadline) = (.header, deadline)
        startTimer(deadline, context)
    }

    private func startTimer(_ deadline: NIODeadline, _ context: ChannelHandlerContext) {
        if let timer, timer.deadline <= deadline { return }
        stopTimer()
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.check(context) }
        timer = (task, deadline)
    }

    private func check(_ context: ChannelHandlerContext) {
        timer = nil
        guard let deadline = [readDeadline, writeDeadline].compactMap({ $0 }).min() else { return }
        guard deadline <= context.eventLoop.now else { return startTimer(deadline, context) }
        context.close(promise: nil)
    }

    private func stopTimer() {
        timer?.task.cancel()
        timer = nil
    }
}

/// Calls a function when bytes arrive, before they are parsed.
private final class FirstByteHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let onBytes: () -> Void

    init(_ onBytes: @escaping () -> Void) { self.onBytes = onBytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        onBytes()
        context.fireChannelRead(data)
    }
}
