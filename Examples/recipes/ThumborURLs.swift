import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageService
import Testing

/// Signed URLs of a thumbnail service, made by the application that writes the HTML pages.
struct ThumbnailURLs: Sendable {
    let service: String
    let keys: SigningKeys

    /// The URL of a thumbnail that is cropped to the size. Another size needs another signature, and so the key.
    func cropped(_ source: String, width: Int, height: Int) -> String {
        service + keys.signed("\(width)x\(height)/smart/filters:quality(80)/\(source)")
    }
}

/// The configuration of a service that accepts these URLs and fetches images only from one host.
func serviceConfiguration(key: [UInt8], host: String) -> ServiceConfiguration {
    var configuration = ServiceConfiguration()
    configuration.signing.keys = [key]
    configuration.source.allow = [host]
    return configuration
}

extension RecipeTests {
    @Test func signedURLIsServedAndAChangedURLIsRejected() async throws {
        let (key, origin) = (Array("0123456789abcdef".utf8), try await LoopbackOrigin.examples())
        var configuration = serviceConfiguration(key: key, host: "127.0.0.1")
        // Only for the test: a free port, and an origin on this machine, which is blocked by default.
        (configuration.server.port, configuration.server.adminPort) = (0, nil)
        configuration.source.ports = [origin.port]
        configuration.source.allowedRanges = ["127.0.0.1/32"]
        let server = try ThumbnailServer(configuration)
        let (ports, started) = AsyncStream.makeStream(of: Int.self)

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run(onListening: { started.yield($0) }) }
            let port = try #require(await ports.first { _ in true })
            let urls = ThumbnailURLs(service: "http://127.0.0.1:\(port)", keys: try SigningKeys([key]))
            let signed = urls.cropped(origin.url("/demo/mountains.jpg"), width: 200, height: 100)
            for (url, status) in [(signed, 200), (signed.replacing("200x100", with: "900x100"), 400)] {
                let response = try await CurlTransport().send(
                    HTTPRequest(url: url), trust: TrustSettings(), timeouts: TransportTimeouts())
                let body = try await response.body.reduce(into: [UInt8]()) { $0 += $1 }
                #expect(response.head.status == status)
                if status == 200 { #expect(try ImageDecoder().header(of: body).width == 200) }
            }
            group.cancelAll()
        }
    }
}
