import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// The methods that the field Allow lists are those that the target supports (RFC 9110, 10.2.1).
@Suite(.timeLimit(.minutes(30))) struct AllowFieldTests {
    private static let targets: [(target: String, allow: String)] = [
        ("/unsafe/10x10/a.example/b.png", "GET, HEAD, OPTIONS"), ("/nothing", "GET, HEAD, OPTIONS"),
        ("/iiif/3/cat/full/max/0/default.png", "GET, HEAD, OPTIONS"), ("/iiif/3/cat", "GET, HEAD, OPTIONS"),
        ("/post/unsafe/10x10/body", "OPTIONS, POST"), ("/post/", "OPTIONS, POST"),
        ("/gallery", "GET, HEAD, OPTIONS"), ("/gallery/state", "GET, HEAD, OPTIONS"),
        ("/gallery/clear-memory", "OPTIONS, POST"), ("/gallery/purge-disk", "OPTIONS, POST"),
    ]

    private static func withTargets(_ body: @escaping @Sendable (RunningService) async throws -> Void) async throws {
        try await withService {
            $0.iiif = .init(urlPrefix: "http://a.example/")
            $0.gallery = .init(images: [])
        } _: {
            try await body($0)
        }
    }

    @Test func responseToOPTIONSAllowsTheMethodsOfTheTarget() async throws {
        try await Self.withTargets { service in
            for (target, allow) in Self.targets {
                let reply = try await service.send(target, method: "OPTIONS")
                #expect(reply.status == 204)
                #expect(reply["Allow"] == allow, "\(target)")
            }
        }
    }

    @Test func responseWithStatus405AllowsTheMethodsOfTheTarget() async throws {
        try await Self.withTargets { service in
            for (target, allow) in Self.targets {
                let isPost = allow.hasSuffix("POST")
                for method in ["DELETE", "PUT", "BREW", "get", isPost ? "GET" : "POST"] {
                    let reply = try await service.send(target, method: method)
                    #expect(reply.status == 405, "\(method) \(target)")
                    #expect(reply["Allow"] == allow, "\(method) \(target)")
                }
            }
        }
    }
}
