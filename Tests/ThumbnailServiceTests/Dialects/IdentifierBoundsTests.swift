import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// IIIF identifiers are not signed, so each source URL must start with the prefix that the operator configured.
@Suite(.timeLimit(.minutes(30))) struct IdentifierBoundsTests {
    @Test(.requirement("X2")) func iiifIdentifierOutsideTheURLPrefixIs404WithoutAnOriginRequest() async throws {
        let file = try Bitmap.landscape(20, 10).png()
        let origin = try await LoopbackOrigin { _ in .ok(file) }
        let prefix = origin.url("/images/")
        try await withService(origin: origin) {
            $0.iiif = .init(urlPrefix: prefix)
        } _: { service in
            for identifier in [
                "..%2F..%2Fsecret.png", "..%2Fsecret.png", "%2E%2E%2Fsecret.png", "a%2F..%2F..%2Fsecret.png",
                "..;%2Fsecret.png", "..;a=1%2Fsecret.png", "%2Fsecret.png", "%2F%2Fevil.test%2Fa.png",
                "%252e%252e%252fsecret.png", "..%252Fsecret.png", "..%5Csecret.png", ".%2Fa.png",
            ] {
                for parts in ["full/max/0/default.png", "info.json"] {
                    let reply = try await service.send("/iiif/3/\(identifier)/\(parts)")
                    #expect(reply.status == 404, "\(identifier)")
                }
            }
            #expect(origin.requests.map(\.target) == [])

            // The prefix ends with a slash, so text that looks like a host or port is a path segment.
            for (identifier, target) in [
                ("a%2Fb.png", "/images/a/b.png"), (".evil.test%3A38471%2Fx.png", "/images/.evil.test:38471/x.png"),
                ("@evil.test%2Fx.png", "/images/@evil.test/x.png"), ("a%3Fb%23c.png", "/images/a%3Fb%23c.png"),
                ("ark:%2F12025%2F654.png", "/images/ark:/12025/654.png"),
            ] {
                #expect(try await service.send("/iiif/3/\(identifier)/info.json").status == 200, "\(identifier)")
                #expect(origin.requests.last?.target == target)
            }
        }
        await origin.stop()
    }
}
