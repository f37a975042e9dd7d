#if AsyncHTTPClient
import NIOCore
import NIOHTTP2

/// Distinguishes the reasons why an HTTP/2 stream ended early, and limits the number of header sections of a response.
///
/// When a GOAWAY frame excludes a stream, NIO closes the stream with the code CANCEL (swift-nio-http2 1.46.0). A server
/// that aborts a request sends the same code, but in a RST_STREAM frame.
final class AsyncHTTPClientStreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload

    /// A GOAWAY reported that this stream was not and will not be processed (RFC 9113 §6.8).
    struct ExcludedByGoAway: Error {}

    private var hasFrames = false
    private let maxHeads: Int?
    private var heads = 0

    /// Creates a handler.
    ///
    /// - Parameter maxHeads: Maximum number of interim heads, final head and trailers of one response, each limited to
    ///   16 kB by the connection (SETTINGS_MAX_HEADER_LIST_SIZE, swift-nio-http2 1.46.0); nil means no limit.
    init(maxHeads: Int? = nil) { self.maxHeads = maxHeads }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasFrames = true
        if let maxHeads, case .headers = unwrapInboundIn(data) {
            heads += 1
            guard heads <= maxHeads else {
                context.fireErrorCaught(
                    AsyncHTTPClientHeadHandler.LimitExceeded(
                        reason: "the response has more than \(maxHeads) header sections, "
                            + "including interim responses and trailers"))
                return context.close(promise: nil)
            }
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !hasFrames, let closed = error as? NIOHTTP2Errors.StreamClosed, closed.errorCode == .cancel else {
            return context.fireErrorCaught(error)
        }
        context.fireErrorCaught(ExcludedByGoAway())
    }
}
#endif
