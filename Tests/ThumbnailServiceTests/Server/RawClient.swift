import NIOCore
import NIOPosix

/// A connection on which a test sends arbitrary bytes.
final class RawClient: Sendable {
    private let channel: any Channel
    private let answers: AsyncStream<String>

    init(port: Int) async throws {
        let (answers, received) = AsyncStream.makeStream(of: String.self)
        self.answers = answers
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Receiver(received))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
    }

    var isOpen: Bool { channel.isActive }

    func send(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)) }

    func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Waits for the next bytes of a response.
    ///
    /// - Returns: The received text; empty when the connection is closed.
    @discardableResult
    func waitForResponse() async throws -> String {
        for await text in answers { return text }
        try Task.checkCancellation()
        return ""
    }

    /// Waits until the service has closed the connection.
    func waitForEnd() async throws { try await channel.closeFuture.get() }

    /// Closes the connection, or only its sending half.
    func disconnect(isHalf: Bool) async throws { try await channel.close(mode: isHalf ? .output : .all) }

    func close() { channel.close(promise: nil) }

    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let received: AsyncStream<String>.Continuation

        init(_ received: AsyncStream<String>.Continuation) { self.received = received }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received.yield(String(buffer: unwrapInboundIn(data)))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) { received.finish() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
