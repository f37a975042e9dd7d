// Not built by the checks of this repository, which fetch no package.

import Foundation
import PlatformImage
import PlatformImageLoader
import Vapor

extension Application {
    /// Adds a route that serves thumbnails of the images of one web server: `GET /thumbnails/300/photos/a.jpg` is a
    /// JPEG of `{base}/photos/a.jpg` that fits into 300 x 300 pixels.
    ///
    /// - Parameters:
    ///   - base: URL of the images, without a slash at the end. Clients choose only the path, never the host.
    ///   - loader: Caches the images and their thumbnails.
    ///   - queue: Encodes the responses.
    func addThumbnails(base: String, loader: ImageLoader, queue: DecodeQueue) {
        get("thumbnails", ":size", "**") { request async throws -> Response in
            let size = try request.parameters.require("size", as: Int.self)
            // Vapor decodes the components: encoded again, none can contain a query or a further slash.
            let path = request.parameters.getCatchall().map { component in
                component.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-", ".", "_"])) ?? ""
            }
            do {
                var image = ImageRequest(
                    url: "\(base)/\(path.joined(separator: "/"))",
                    thumbnail: ThumbnailOptions(width: size, height: size))
                image.variantFormat = .jpeg
                let thumbnail = try await loader.image(for: image).bitmap
                let file = try await queue.encode(thumbnail, as: .jpeg)
                let fields = HTTPHeaders([("Content-Type", "image/jpeg"), ("Cache-Control", "public, max-age=3600")])
                return Response(status: .ok, headers: fields, body: Response.Body(data: Data(file)))
            } catch let error as LoadError {
                // Not in the response: the description can contain the URL of the origin.
                request.logger.warning("\(error)")
                throw Abort(HTTPResponseStatus(statusCode: status(for: error)))
            }
        }
    }
}

/// The HTTP status of a response after a failure.
func status(for error: LoadError) -> Int {
    switch error.code {
    case .http, .remembered: error.statusCode == 404 || error.statusCode == 410 ? 404 : 502
    case .transport: error.isTimeout ? 504 : 502
    case .configuration, .invalidURL, .unsupportedScheme: 400
    case .undecodable, .unsupportedFormat, .unacceptableContentType, .pixelLimit, .bodyTooLarge: 415
    default: 502
    }
}
