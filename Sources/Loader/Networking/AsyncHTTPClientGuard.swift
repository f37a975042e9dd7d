#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// What a transport allows an origin that its host does not know: which peers, and how much of what is no content.
package struct ConnectionGuard: Sendable {
    /// Bytes of one response's heads, interim ones included. The framing of a body, chunk extensions and trailers
    /// among it, may take twice as much, and sixteen times the content.
    package var maxHeadBytes = 32_768
    /// True for the IP address of a peer, in its usual form, that may be talked to. It is asked once for each
    /// connection, when it stands and before a request is given to it.
    package var admits: @Sendable (String) -> Bool

    /// Interim heads, final head and trailers of one response over HTTP/2.
    static let mostHeads = 8

    /// A guard with the usual limit.
    package init(admits: @escaping @Sendable (String) -> Bool) { self.admits = admits }

    /// Puts the guard where new connections pass by.
    ///
    /// - Parameter configuration: One that went through ``AsyncHTTPClientTransport/prepare(_:)``, whose handlers this
    ///   brings itself with their limits.
    func install(in configuration: inout HTTPClient.Configuration) {
        let maxHeadBytes = maxHeadBytes
        configuration.http1_1ConnectionDebugInitializer = { [self] channel in
            check(channel).flatMapThrowing {
                let pipeline = channel.pipeline.syncOperations
                let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                let content = AsyncHTTPClientContentCount()
                let head = AsyncHTTPClientHead(limit: maxHeadBytes, content: content)
                try pipeline.addHandler(head, position: .before(parser))
                try pipeline.addHandler(content, position: .after(parser))
            }
        }
        configuration.http2ConnectionDebugInitializer = { [self] channel in check(channel) }
        configuration.http2StreamChannelDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let stream = AsyncHTTPClientStream(mostHeads: Self.mostHeads)
                try channel.pipeline.syncOperations.addHandler(stream, position: .first)
            }
        }
    }

    /// Fails for a peer that is not admitted or not known, after its connection is closed: the client leaves a
    /// connection open whose initialiser fails (async-http-client 1.37.0).
    func check(_ channel: any Channel) -> EventLoopFuture<Void> {
        if let peer = channel.remoteAddress?.ipAddress, admits(peer) {
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        let refusal = LoadError.refused("the peer of a connection is not admitted")
        return channel.close().flatMapErrorThrowing { _ in }.flatMapThrowing { throw refusal }
    }
}

/// Counts the bytes of content that the parser of a connection finds.
final class AsyncHTTPClientContentCount: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// Since the last request.
    var bytes = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .body(let buffer) = unwrapInboundIn(data) { bytes += buffer.readableBytes }
        context.fireChannelRead(data)
    }
}
#endif
