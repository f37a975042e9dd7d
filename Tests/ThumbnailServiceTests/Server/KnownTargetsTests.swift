import PlatformImage
import PlatformImageLoopbackOrigin
import Testing

@testable import PlatformImageService

/// The cache of parsed targets: a cached result is returned without parsing its target again.
@Suite struct KnownTargetsTests {
    private static let key = Array("a key of these tests".utf8)

    private static func origin() async throws -> LoopbackOrigin {
        let image = try Bitmap.landscape(40, 30).png()
        return try await LoopbackOrigin { _ in .ok(image, [OriginField("Cache-Control", "max-age=3600")]) }
    }

    private static func known(_ name: String) throws -> VerifiedTargetCache.Target {
        guard case .image(let request, let dialect) = try Dialects(configuration).parse("/unsafe/8x8/\(name).png")
        else {
            throw ServiceError(.malformed, "the target is not an image request")
        }
        return VerifiedTargetCache.Target(
            request: request, dialect: dialect, key: ResultKey(canonical: request.canonicalBytes),
            dependsOnAccept: false)
    }

    private static var configuration: ServiceConfiguration {
        var configuration = ServiceConfiguration()
        configuration.signing.allowsUnsafe = true
        return configuration
    }

    @Test func modifiedTargetIsRejectedWhileTheSignedTargetIsCached() async throws {
        let origin = try await Self.origin()
        try await withService(origin: origin) {
            $0.signing.keys = [Self.key]
            $0.signing.allowsUnsafe = false
        } _: { service in
            let keys = try SigningKeys([Self.key], algorithms: [.sha1])
            let target = keys.signed("8x8/127.0.0.1:\(origin.port)/a.png")
            let first = try await service.send(target)
            #expect(first.status == 200 && first["X-Cache"] == "render")
            for method in ["GET", "GET", "HEAD"] {
                let again = try await service.send(target, method: method)
                #expect(again.status == 200 && again["X-Cache"] == "memory")
                #expect(again["ETag"] == first["ETag"] && again.body == (method == "HEAD" ? [] : first.body))
            }
            for index in target.indices.dropFirst() where target[index] != "%" {
                var changed = target
                changed.replaceSubrange(index...index, with: target[index] == "x" ? "y" : "x")
                #expect(try await service.send(changed).status != 200, "\(changed)")
            }
            #expect(try await service.send(target, method: "POST", body: []).status == 405)
        }
    }

    @Test func acceptSelectsTheFormatInEachRequestWhenTheParsedTargetIsCached() async throws {
        let origin = try await Self.origin()
        try await withService(origin: origin) {
            $0.output.negotiates = true
        } _: { service in
            let target = "/unsafe/8x8/127.0.0.1:\(origin.port)/a.png"
            for _ in 0..<3 {
                for type in ["image/jpeg", "image/png"] {
                    let reply = try await service.send(target, fields: [("Accept", type)])
                    #expect(reply.status == 200 && reply["Content-Type"] == type && reply["Vary"] == "Accept")
                }
            }
        }
    }

    @Test func canonicallyEquivalentUnicodeTargetsAreSeparateCacheEntries() throws {
        let targets = VerifiedTargetCache()
        let (composed, apart) = ("/unsafe/8x8/\u{E9}.png", "/unsafe/8x8/e\u{301}.png")
        #expect(composed == apart)

        targets.insert(try Self.known("a"), for: VerifiedTargetCache.Name(composed, accepted: .standard))

        #expect(targets.find(VerifiedTargetCache.Name(composed, accepted: .standard)) != nil)
        #expect(targets.find(VerifiedTargetCache.Name(apart, accepted: .standard)) == nil)
        #expect(targets.find(VerifiedTargetCache.Name(composed, accepted: NegotiatedFormats(png: .jpeg))) == nil)
    }

    @Test func oldestVerifiedTargetsAreEvictedAtTheByteLimit() throws {
        let targets = VerifiedTargetCache(maxBytes: 18_000)
        let known = try Self.known("a")
        for number in 0..<100 {
            targets.insert(known, for: VerifiedTargetCache.Name("/\(number)", accepted: .standard))
        }
        let kept = (0..<100).filter { targets.find(VerifiedTargetCache.Name("/\($0)", accepted: .standard)) != nil }
        #expect(kept == [96, 97, 98, 99])
    }
}
