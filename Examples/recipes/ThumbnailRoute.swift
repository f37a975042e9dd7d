import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

// `status(for:)` is in RetriesAndTimeouts.swift.

/// The response of a route of an HTTP server.
struct RouteResponse {
    var status: Int
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
}

/// The route `GET /thumbnails/{size}/{path}` of an application: a JPEG of `{base}/{path}` that fits into a square.
///
/// - Parameters:
///   - path: Percent-encoded, as in the request.
///   - base: URL of the images, without a slash at the end. Clients choose only the path, never the host.
///   - loader: Caches the images and their thumbnails.
///   - queue: Encodes the responses.
func thumbnail(
    size: Int, path: String, of base: String, loader: ImageLoader, queue: DecodeQueue
) async -> RouteResponse {
    do {
        var request = ImageRequest(url: "\(base)/\(path)", thumbnail: ThumbnailOptions(width: size, height: size))
        request.variantFormat = .jpeg
        let thumbnail = try await loader.image(for: request).bitmap
        let file = try await queue.encode(thumbnail, as: .jpeg)
        let fields = [("Content-Type", "image/jpeg"), ("Cache-Control", "public, max-age=3600")]
        return RouteResponse(status: 200, fields: fields, body: file)
    } catch let error as LoadError {
        // Not in the response: the description can contain the URL of the origin.
        print("thumbnails: \(error)")
        return RouteResponse(status: status(for: error))
    } catch {
        return RouteResponse(status: 500)
    }
}

extension RecipeTests {
    @Test func thumbnailRouteReturnsThumbnailsAndStatusesOfFailures() async throws {
        let (folder, origin) = (try TemporaryFolder(), try await LoopbackOrigin.examples())
        let loader = try ImageLoader(configuration: .server(directory: folder.path))
        for (size, path, status) in [(300, "mountains.jpg", 200), (0, "mountains.jpg", 400), (300, "none.jpg", 404)] {
            let response = await thumbnail(
                size: size, path: path, of: origin.url("/demo"), loader: loader, queue: DecodeQueue(width: 1))
            #expect(response.status == status, "\(path)")
            #expect(response.body.isEmpty == (status != 200))
            if status == 200 { #expect(try ImageDecoder().header(of: response.body).width == 300) }
        }
        await origin.stop()
    }
}
