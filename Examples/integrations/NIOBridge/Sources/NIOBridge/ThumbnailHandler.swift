// Not built by the checks of this repository, which fetch no package.

import NIOCore
import NIOHTTP1
import PlatformImage

/// A handler of a SwiftNIO HTTP/1 server: the response to a POST of an image file is its thumbnail.
///
/// Decoding never runs on the event loop; the queue has its own threads.
final class ThumbnailHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let queue: DecodeQueue
    private let maxBodyBytes: Int
    private var body = ByteBuffer()
    private var isTooLarge = false

    init(queue: DecodeQueue, maxBodyBytes: Int = 32 << 20) {
        self.queue = queue
        self.maxBodyBytes = maxBodyBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: (body, isTooLarge) = (ByteBuffer(), false)
        case .body(var part):
            isTooLarge = isTooLarge || body.readableBytes + part.readableBytes > maxBodyBytes
            if !isTooLarge { body.writeBuffer(&part) }
        case .end:
            let (channel, queue, file) = (context.channel, queue, isTooLarge ? nil : body)
            Task { await ThumbnailHandler.respond(to: file, on: channel, queue) }
        }
    }

    private static func respond(to file: ByteBuffer?, on channel: any Channel, _ queue: DecodeQueue) async {
        let (status, file) = await thumbnail(of: file, on: queue)
        let fields = HTTPHeaders([("Content-Length", "\(file.readableBytes)"), ("Content-Type", "image/png")])
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: fields)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.write(HTTPServerResponsePart.body(.byteBuffer(file)), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
    }

    private static func thumbnail(of file: ByteBuffer?, on queue: DecodeQueue) async -> (HTTPResponseStatus, ByteBuffer)
    {
        guard let file else { return (.payloadTooLarge, ByteBuffer()) }
        do {
            // The bytes of the view are used in place.
            let options = ThumbnailOptions(width: 128, height: 128)
            let small = try await queue.thumbnail(of: file.readableBytesView, options: options)
            return (.ok, try await queue.pngBuffer(of: small.bitmap))
        } catch {
            return (.unprocessableEntity, ByteBuffer())
        }
    }
}
