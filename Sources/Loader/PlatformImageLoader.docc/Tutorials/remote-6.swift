import HTTPTypes
import Hummingbird
import NIOCore
import PlatformImage
import PlatformImageLoader

/// Routes of a Hummingbird application that serves thumbnails of the images of one web server:
/// `GET /thumbnails/300/photos/a.jpg` is a JPEG of `{base}/photos/a.jpg` that fits into 300 x 300 pixels.
///
/// - Parameters:
///   - base: URL of the images, without a slash at the end. Clients choose only the path, never the host.
///   - loader: Its data cache stores the original files.
func thumbnailRoutes(base: String, loader: ImageLoader, queue: DecodeQueue) -> Router<BasicRequestContext> {
    let router = Router()
    router.get("thumbnails/:size/**") { request, context -> Response in
        let size = try context.parameters.require("size", as: Int.self)
        let path = context.parameters.getCatchAll().joined(separator: "/")
        do {
            let original = try await loader.data(for: DataRequest(url: "\(base)/\(path)"))
            var decoder = ImageDecoder()
            decoder.options.limits = .thumbnailService
            let options = ThumbnailOptions(width: size, height: size)
            let thumbnail = try await queue.thumbnail(of: original.bytes, options: options, with: decoder)
            let file = try await queue.encode(thumbnail.bitmap, as: .jpeg)
            let fields: HTTPFields = [.contentType: "image/jpeg", .cacheControl: "public, max-age=3600"]
            return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: file)))
        } catch let error as LoadError {
            throw HTTPError(error.statusCode == 404 ? .notFound : .badGateway, message: error.description)
        } catch let error as DecodeError {
            // A size out of range throws `invalidArgument`, so the route need not check it.
            let isRequest = error.code == .invalidArgument
            throw HTTPError(isRequest ? .badRequest : .unprocessableContent, message: error.description)
        }
    }
    return router
}
