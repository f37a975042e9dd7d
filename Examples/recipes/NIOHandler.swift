import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import PlatformImage
import Testing

/// A handler of a SwiftNIO HTTP/1 server: the response to a POST of an image file is its thumbnail.
///
/// Decoding never runs on the event loop; the queue has its own threads.
final class ThumbnailHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let queue: DecodeQueue
    private let maxBodyBytes: Int
    private var body: [UInt8] = []
    private var isTooLarge = false

    init(queue: DecodeQueue, maxBodyBytes: Int = 32 << 20) {
        self.queue = queue
        self.maxBodyBytes = maxBodyBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: (body, isTooLarge) = ([], false)
        case .body(let part):
            isTooLarge = isTooLarge || body.count + part.readableBytes > maxBodyBytes
            if !isTooLarge { body += part.readableBytesView }
        case .end:
            let channel = context.channel
            let queue = queue
            let bytes = isTooLarge ? nil : body
            Task { await ThumbnailHandler.respond(to: bytes, on: channel, queue) }
        }
    }

    private static func respond(to bytes: [UInt8]?, on channel: any Channel, _ queue: DecodeQueue) async {
        let (status, file) = await thumbnail(of: bytes, on: queue)
        let fields = HTTPHeaders([("Content-Length", "\(file.count)"), ("Content-Type", "image/png")])
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: fields)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: file))), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
    }

    private static func thumbnail(of bytes: [UInt8]?, on queue: DecodeQueue) async -> (HTTPResponseStatus, [UInt8]) {
        guard let bytes else { return (.payloadTooLarge, []) }
        do {
            let small = try await queue.thumbnail(of: bytes, options: ThumbnailOptions(width: 128, height: 128))
            return (.ok, try await queue.encode(small.bitmap, as: .png))
        } catch {
            return (.unprocessableEntity, [])
        }
    }
}

extension RecipeTests {
    @Test func nioHandlerRespondsWithTheThumbnail() async throws {
        let queue = DecodeQueue(width: 1)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.pipeline.configureHTTPServerPipeline().flatMapThrowing {
                    try channel.pipeline.syncOperations.addHandler(ThumbnailHandler(queue: queue, maxBodyBytes: 50_000))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let files = [("demo/logo.png", 200), ("bad/avif-avif-mif1.avif", 422), ("demo/window.png", 413)]
        for (path, status) in files {
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.localAddress?.port ?? 0)/")
            request.method = .POST
            request.body = .bytes(try example(path))
            let response = try await HTTPClient.shared.execute(request, deadline: .distantFuture)
            let body = [UInt8](buffer: try await response.body.collect(upTo: 1 << 20))
            #expect(Int(response.status.code) == status, "\(path)")
            if status == 200 { #expect(try ImageDecoder().decode(body).bitmap.width == 128) }
        }
        try await server.close()
    }
}
