#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Limits for untrusted origins: admitted peer addresses, and maximum sizes of heads and framing.
package struct ConnectionGuard: Sendable {
    /// Maximum bytes of one response's heads, including interim ones. A complete HTTP/1.1 response with framing and
    /// trailers may have at most `3 * maxHeadBytes` bytes plus 16 bytes per byte of content.
    package var maxHeadBytes = 32_768
    /// Returns true when a peer's IP address, in text form, is admitted. Called once per connection, after it is
    /// established and before a request is sent.
    package var admits: @Sendable (String) -> Bool

    /// Maximum number of interim heads, final head and trailers of one HTTP/2 response.
    static let maxHeads = 8

    /// Creates a guard with the default limit.
    package init(admits: @escaping @Sendable (String) -> Bool) { self.admits = admits }

    /// Installs the guard in the initializers of new connections.
    ///
    /// - Parameter configuration: A configuration to which ``AsyncHTTPClientTransport/prepare(_:)`` was applied; its
    ///   handlers are replaced by ones with limits.
    func install(in configuration: inout HTTPClient.Configuration) {
        let maxHeadBytes = maxHeadBytes
        configuration.http1_1ConnectionDebugInitializer = { [self] channel in
            check(channel).flatMapThrowing {
                let pipeline = channel.pipeline.syncOperations
                let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                let content = AsyncHTTPClientContentCounter()
                let head = AsyncHTTPClientHeadHandler(limit: maxHeadBytes, content: content)
                try pipeline.addHandler(head, position: .before(parser))
                try pipeline.addHandler(content, position: .after(parser))
            }
        }
        configuration.http2ConnectionDebugInitializer = { [self] channel in check(channel) }
        configuration.http2StreamChannelDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let stream = AsyncHTTPClientStreamHandler(maxHeads: Self.maxHeads)
                try channel.pipeline.syncOperations.addHandler(stream, position: .first)
            }
        }
    }

    /// Fails for a peer that is unknown or not admitted, after closing its connection: the client does not close a
    /// connection whose initializer fails (async-http-client 1.37.0).
    func check(_ channel: any Channel) -> EventLoopFuture<Void> {
        if let peer = channel.remoteAddress?.ipAddress, admits(peer) {
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        let refusal = LoadError.refused("the IP address of the peer is not allowed")
        return channel.close().flatMapErrorThrowing { _ in }.flatMapThrowing { throw refusal }
    }
}

/// Counts the content bytes that a connection's parser delivers.
final class AsyncHTTPClientContentCounter: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// Bytes since the last request.
    var bytes = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .body(let buffer) = unwrapInboundIn(data) { bytes += buffer.readableBytes }
        context.fireChannelRead(data)
    }
}
#endif
