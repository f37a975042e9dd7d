import PlatformImageLoopbackOrigin
import Testing

@testable import PlatformImageLoader

/// Internationalized host names in the URLs of the loader (UTS 46, RFC 5891).
@Suite struct HostNameTests {
    private static func ascii(_ text: String) -> String? {
        HostName.ascii(text.utf8).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        arguments: [
            ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.example", "xn--bcher-kva.example"),
            ("b%C3%BCcher.example", "xn--bcher-kva.example"), ("b%c3%bccher.example", "xn--bcher-kva.example"),
            ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("例え.example", "xn--r8jz45g.example"),
            ("straße.example", "xn--strae-oqa.example"), ("παράδειγμα.example", "xn--hxajbheg2az3al.example"),
            ("example.com", "example.com"), ("A_b-1.example", "A_b-1.example"), ("a%41b", "a%41b"), ("[::1]", "[::1]"),
            ("１２７.0.0.1", "127.0.0.1"), ("paral·lel.example", "xn--parallel-koa.example"),
            ("xn--bücher.example", nil), ("a⁄b.example", nil), ("😀.example", nil), ("a\u{202E}b.example", nil),
            ("a。b", nil), ("b%C3.example", nil), ("\u{200D}ä", nil),
        ] as [(String, String?)])
    func hostIsConvertedToASCIIAndAnInvalidOneIsRefused(_ host: String, _ expected: String?) {
        #expect(Self.ascii(host) == expected)
    }

    @Test(
        arguments: [
            ("http://bücher.example/ü", "http://xn--bcher-kva.example/ü"),
            ("http://u:p@BÜCHER.example:8080/a", "http://xn--bcher-kva.example:8080/a"),
            ("https://b%C3%BCcher.example:443", "https://xn--bcher-kva.example/"),
            ("http://ex℀mple/", nil),
        ] as [(String, String?)])
    func cacheKeyAndOriginAndHostFieldHaveTheASCIIForm(_ url: String, _ expected: String?) {
        #expect(CacheKey.normalised(url) == expected)
        #expect(Origin(url)?.host == expected.map { _ in "xn--bcher-kva.example" })
        #expect(HTTPTarget(url)?.host.lowercased() == expected.map { _ in "xn--bcher-kva.example" })
    }

    @Test func trustedHostIsComparedInASCII() {
        var trust = TrustSettings()
        trust.trustedHosts = ["bücher.example"]

        #expect(trust.isTrusted(host: "xn--bcher-kva.example"))
        #expect(!trust.isTrusted(host: "xn--bcher-kvb.example"))
        #expect(TrustScope(trust).name(of: "https://bücher.example/") == "unverified")
    }

    @Test func hostNameOfAnyLengthDoesNotTrap() {
        for count in [1, 63, 64, 253, 254, 1_024, 8_192] {
            _ = Self.ascii(String(repeating: "é", count: count))
            _ = Self.ascii(String(repeating: "%C3%A9", count: count))
            _ = Self.ascii(String(repeating: "%", count: count))
        }
    }
}
