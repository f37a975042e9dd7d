import Foundation
import PlatformImage
import PlatformImageLoader
import Testing

/// A transport without a network: requests to one host are answered with the files of a folder.
///
/// The loader adds caches, decoding, retries and events, as with any other transport.
struct FolderTransport: HTTPTransport {
    let host: String
    let folder: URL

    func validate(_ trust: TrustSettings) throws(LoadError) {
        // A transport must not ignore settings that it does not support.
        guard trust == TrustSettings() else { throw .configuration("files have no certificates") }
    }

    func send(
        _ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts
    ) async throws -> HTTPResponse {
        guard let url = URL(string: request.url), url.host == host else { throw LoadError.refused("another host") }
        let file = folder.appending(path: url.path).standardizedFileURL
        let isInside = file.path.hasPrefix(folder.standardizedFileURL.path + "/")
        guard isInside else { throw LoadError.refused("outside of the folder") }
        guard let bytes = try? [UInt8](Data(contentsOf: file)) else {
            return HTTPResponse(head: ResponseHead(status: 404, fields: [:]), body: HTTPBody([]))
        }
        let fields: HeaderFields = ["Content-Type": "image/\(file.pathExtension)", "Cache-Control": "max-age=60"]
        return HTTPResponse(head: ResponseHead(status: 200, fields: fields), body: HTTPBody(bytes))
    }
}

extension RecipeTests {
    @Test func loaderUsesTheCustomTransport() async throws {
        let (files, caches) = (try TemporaryFolder(), try TemporaryFolder())
        try Data(example("demo/logo.png")).write(to: files.url.appending(path: "logo.png"))
        let loader = try ImageLoader(
            configuration: .server(directory: caches.path),
            transport: FolderTransport(host: "images.test", folder: files.url))

        let image = try await loader.image(for: ImageRequest(url: "http://images.test/logo.png"))
        #expect(image.bitmap.width == 320 && image.source == .networkToDisk)
        let urls = [
            ("http://images.test/none.png", LoadError.Code.http), ("http://other.test/logo.png", .refused),
            ("http://images.test/%2e%2e/logo.png", .refused),
        ]
        for (url, code) in urls {
            await #expect {
                try await loader.image(for: ImageRequest(url: url))
            } throws: { ($0 as? LoadError)?.code == code }
        }
    }
}
