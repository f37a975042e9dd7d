import Hummingbird
import PlatformImage
import PlatformImageLoader

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
