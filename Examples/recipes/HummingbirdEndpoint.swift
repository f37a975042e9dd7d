#if Service
import AsyncHTTPClient
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import Testing

/// Routes of a Hummingbird application that serves thumbnails of the images of one web server:
/// `GET /thumbnails/300/photos/a.jpg` is a JPEG of `{base}/photos/a.jpg` that fits into 300 x 300 pixels.
///
/// - Parameters:
///   - base: URL of the images, without a slash at the end. Clients choose only the path, never the host.
///   - loader: Caches the images and their thumbnails.
///   - queue: Encodes the responses.
func thumbnailRoutes(base: String, loader: ImageLoader, queue: DecodeQueue) -> Router<BasicRequestContext> {
    let router = Router()
    router.get("thumbnails/:size/**") { request, context -> Response in
        let size = try context.parameters.require("size", as: Int.self)
        let path = context.parameters.getCatchAll().joined(separator: "/")
        do {
            var request = ImageRequest(url: "\(base)/\(path)", thumbnail: ThumbnailOptions(width: size, height: size))
            request.variantFormat = .jpeg
            let thumbnail = try await loader.image(for: request).bitmap
            let file = try await queue.encode(thumbnail, as: .jpeg)
            let fields: HTTPFields = [.contentType: "image/jpeg", .cacheControl: "public, max-age=3600"]
            return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: file)))
        } catch let error as LoadError {
            // Not in the response: the description can contain the URL of the origin.
            context.logger.warning("\(error)")
            throw HTTPError(HTTPResponse.Status(code: status(for: error)))
        }
    }
    return router
}

extension RecipeTests {
    @Test func hummingbirdEndpointServesThumbnails() async throws {
        let (folder, origin) = (try TemporaryFolder(), try await LoopbackOrigin.examples())
        let loader = try ImageLoader(configuration: .server(directory: folder.path))
        let router = thumbnailRoutes(base: origin.url("/demo"), loader: loader, queue: DecodeQueue(width: 1))
        let (ports, started) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { started.yield($0.localAddress?.port ?? 0) })

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            let port = try #require(await ports.first { _ in true })
            for (target, status) in [("300/mountains.jpg", 200), ("0/mountains.jpg", 400), ("300/none.jpg", 404)] {
                let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/thumbnails/\(target)")
                let response = try await HTTPClient.shared.execute(request, deadline: .distantFuture)
                let body = [UInt8](buffer: try await response.body.collect(upTo: 1 << 20))
                #expect(Int(response.status.code) == status, "\(target): \(String(decoding: body, as: UTF8.self))")
                if status == 200 { #expect(try ImageDecoder().header(of: body).width == 300) }
            }
            group.cancelAll()
        }
    }
}
#endif
