#if AsyncHTTPClient
import NIOCore
import NIOHTTP2

/// Tells apart why an HTTP/2 stream ended before its time.
///
/// NIO closes the streams that a GOAWAY leaves out with the code CANCEL (swift-nio-http2 1.46.0), which is also what a
/// server sends that gave up on a request it had begun. Only in the second case a RST_STREAM frame comes before.
final class AsyncHTTPClientStream: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload

    /// A GOAWAY has said that this stream was not and will not be worked on (RFC 9113 §6.8).
    struct LeftOut: Error {}

    private var hasFrames = false
    private let mostHeads: Int?
    private var heads = 0

    /// - Parameter mostHeads: Interim heads, final head and trailers of one response, each of which the connection keeps
    ///   to 16 kB (its SETTINGS_MAX_HEADER_LIST_SIZE, swift-nio-http2 1.46.0); nil for any number.
    init(mostHeads: Int? = nil) { self.mostHeads = mostHeads }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasFrames = true
        if let mostHeads, case .headers = unwrapInboundIn(data) {
            heads += 1
            guard heads <= mostHeads else {
                context.fireErrorCaught(AsyncHTTPClientHead.TooMuch(reason: "more than \(mostHeads) heads"))
                return context.close(promise: nil)
            }
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !hasFrames, let closed = error as? NIOHTTP2Errors.StreamClosed, closed.errorCode == .cancel else {
            return context.fireErrorCaught(error)
        }
        context.fireErrorCaught(LeftOut())
    }
}
#endif
