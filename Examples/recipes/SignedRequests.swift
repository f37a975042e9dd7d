import Foundation
import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import Testing

/// A configuration whose requests carry a signature of the path, as storage services and CDNs require.
///
/// The signature is no part of the cache key: a stored image is used without a new signature.
///
/// - Parameter sign: Returns the signature of the bytes of a path: usually an HMAC, computed by the cryptographic
///   library of the application.
func signingConfiguration(
    directory: String, sign: @escaping @Sendable ([UInt8]) -> [UInt8]
) -> ImageLoader.Configuration {
    var configuration = ImageLoader.Configuration.server(directory: directory)
    configuration.requestModifier = { request in
        guard let path = URL(string: request.url)?.path else { throw URLError(.badURL) }
        var signed = request
        signed.fields.append("X-Signature", sign(Array(path.utf8)).map { String(format: "%02x", $0) }.joined())
        return signed
    }
    // A shared cache stores no response to a request with Authorization. Here `partition` separates the users.
    configuration.isSharedCache = false
    return configuration
}

/// A request on behalf of one user. Its images are stored separately from those of all other users.
func request(for url: String, user: String, token: String) -> ImageRequest {
    var request = ImageRequest(url: url, fields: ["Authorization": "Bearer \(token)"])
    // Without `partition`, the partition is derived from Authorization, and each new token makes a new one.
    request.partition = user
    return request
}

extension RecipeTests {
    @Test func everyRequestIsSignedAndUsersDoNotShareImages() async throws {
        let folder = try TemporaryFolder()
        let bytes = try example("demo/logo.png")
        let origin = try await LoopbackOrigin { request in
            // Computed by Python: hmac.new(b"a secret of the CDN", b"/demo/logo.png", "sha256").hexdigest()
            let expected = "3967a28eb266c367f586aeeebb359d713bfd1c7cc34abfa6ec288f811a9d48de"
            guard request["X-Signature"] == expected else { return .response(OriginResponse(status: 403)) }
            let cacheControl = OriginField("Cache-Control", "public, max-age=60")
            return .ok(bytes, [OriginField("Content-Type", "image/png"), cacheControl])
        }
        let key = Array("a secret of the CDN".utf8)
        let configuration = signingConfiguration(directory: folder.path) { path in
            HMAC.code(.sha256, key: key, message: path)
        }
        let loader = try ImageLoader(configuration: configuration)
        let url = origin.url("/demo/logo.png")

        #expect(try await loader.image(for: request(for: url, user: "ann", token: "1")).source == .networkToDisk)
        #expect(try await loader.image(for: request(for: url, user: "ann", token: "2")).source == .memory)
        #expect(try await loader.image(for: request(for: url, user: "bob", token: "3")).source == .networkToDisk)
    }
}
