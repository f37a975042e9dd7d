import Foundation
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

/// The tests of all recipes. Each recipe adds its test in an extension.
@Suite(.timeLimit(.minutes(30))) struct RecipeTests {
    /// The bytes of an example image; `demo/logo.png` is a file of the folder Fixtures.
    func example(_ path: String) throws -> [UInt8] { try Fixture.file(path) }
}

/// An empty folder that is deleted when the object is released.
final class TemporaryFolder: Sendable {
    let url: URL
    var path: String { url.path }

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "recipe-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

extension LoopbackOrigin {
    /// A web server on 127.0.0.1 that serves the files of the folder Fixtures: `url("/demo/logo.png")`.
    ///
    /// - Parameter maxAge: Lifetime of the responses in seconds; nil sends no Cache-Control.
    static func examples(maxAge: Int? = 60) async throws -> LoopbackOrigin {
        try await LoopbackOrigin { request in
            guard let bytes = try? Fixture.file(String(request.target.dropFirst())) else {
                return .response(OriginResponse(status: 404))
            }
            let type = request.target.hasSuffix(".png") ? "image/png" : "image/jpeg"
            let file = OriginResource(bytes, contentType: type, etag: "\"\(bytes.count)\"", maxAge: maxAge)
            return .response(file.response(to: request))
        }
    }
}
