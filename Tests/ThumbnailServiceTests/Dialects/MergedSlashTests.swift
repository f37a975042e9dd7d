import Testing

@testable import PlatformImageService

/// Proxies that merge slashes turn `http://host` in a target into `http:/host`.
@Suite struct MergedSlashTests {
    @Test(arguments: [
        ("http:/a.example/b.png", "http://a.example/b.png"), ("https:/a.example/b.png", "https://a.example/b.png"),
        ("HTTPS:/A.example:8443/b.png", "https://a.example:8443/b.png"),
        ("http%3A/a.example/b.png", "http://a.example/b.png"), ("http:%2Fa.example/b.png", "http://a.example/b.png"),
        ("http://a.example/b.png", "http://a.example/b.png"), ("http:80/b.png", "http://http:80/b.png"),
        ("http.example/b.png", "http://http.example/b.png"),
    ])
    func sourceWithOneSlashAfterItsSchemeHasTheURLWithTwo(_ written: String, _ url: String) throws {
        for readsFiles in [false, true] where !readsFiles || url != "http://" + written.lowercased() {
            var dialect = ThumborDialect()
            dialect.signing.allowsUnsafe = true
            dialect.readsFiles = readsFiles
            #expect(try dialect.parse("/unsafe/30x20/\(written)".utf8).source == .url(url))
        }
    }

    @Test func mergedTargetHasTheCanonicalFormOfTheOriginalOne() throws {
        var dialect = ThumborDialect()
        dialect.signing.allowsUnsafe = true
        let merged = try dialect.parse("/unsafe/30x20/http:/a.example/b.png".utf8)
        let original = try dialect.parse("/unsafe/30x20/http://a.example/b.png".utf8)
        #expect(merged.canonicalBytes == original.canonicalBytes)
    }

    /// A signature covers the target as it was received.
    @Test func signatureOfTheOriginalTargetDoesNotVerifyTheMergedOne() throws {
        let keys = try SigningKeys([Array("a key of these tests".utf8)], algorithms: [.sha1])
        var dialect = ThumborDialect()
        dialect.signing.keys = keys
        let target = keys.signed("30x20/http://a.example/b.png")
        #expect(throws: Never.self) { try dialect.parse(target.utf8) }
        #expect(throws: ServiceError.self) {
            try dialect.parse(target.replacing("http://", with: "http:/").utf8)
        }
        #expect(throws: Never.self) { try dialect.parse(keys.signed("30x20/http:/a.example/b.png").utf8) }
    }
}
