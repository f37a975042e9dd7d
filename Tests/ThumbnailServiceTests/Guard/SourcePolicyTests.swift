import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// The checks of a source URL before its host name is looked up.
@Suite struct SourcePolicyTests {
    private func reason(_ url: String, _ policy: SourcePolicy) -> ServiceError.Reason? {
        do throws(ServiceError) {
            _ = try policy.validate(url)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(.requirement("SV5")) func urlWithAForbiddenSchemeOrHostOrPortIsRejected() throws {
        let open = try SourcePolicy(allow: ["*"])
        let table: [(url: String, reason: ServiceError.Reason?)] = [
            ("http://example.com/a.jpg", nil), ("https://example.com", nil), ("HTTP://EXAMPLE.COM/a", nil),
            ("http://example.com:80/", nil), ("https://example.com:443/", nil), ("http://example.com:443/", nil),
            ("http://example.com:/", nil), ("http://example.com:0080/", nil), ("http://93.184.216.34/", nil),
            ("http://[2606:2800:220:1:248:1893:25c8:1946]:80/", nil), ("http://example.com?q", nil),
            ("http://example.com#f", nil), ("http://example.com/a@b", nil), ("http://example.com/a:99", nil),
            ("ftp://example.com/", .schemeRefused), ("file:///etc/passwd", .schemeRefused),
            ("gopher://example.com/", .schemeRefused), ("data:,a", .schemeRefused), ("javascript:a", .schemeRefused),
            ("http+unix://a/", .schemeRefused), ("httpx://example.com/", .schemeRefused), ("", .malformed),
            ("example.com", .malformed), ("//example.com/", .malformed), ("http:example.com", .malformed),
            ("http:/example.com", .malformed), ("http://", .hostRefused), ("http:///a", .hostRefused),
            ("http://:80/", .hostRefused), ("http://example.com\\@127.0.0.1/", .malformed),
            ("http://exam ple.com/", .malformed), ("http://example.com/\r\nHost: a", .malformed),
            ("http://example.com/\u{0}", .malformed),
            ("http://user@example.com/", .hostRefused), ("http://user:pass@example.com/", .hostRefused),
            ("http://@example.com/", .hostRefused), ("http://127.0.0.1#@example.com/", .addressRefused),
            ("http://example.com:8080/", .portRefused), ("http://example.com:22/", .portRefused),
            ("http://example.com:65616/", .portRefused), ("http://example.com:0/", .portRefused),
            ("http://example.com:-80/", .portRefused), ("http://example.com:+80/", .portRefused),
            ("http://example.com:80a/", .portRefused), ("http://example.com:80:80/", .portRefused),
            ("http://a%2eb/", .hostRefused), ("http://[::1/", .hostRefused), ("http://::1/", .hostRefused),
            ("http://1.2.3.4.5/", .hostRefused),
        ]
        for row in table { #expect(reason(row.url, open) == row.reason, "\(row.url.debugDescription)") }
    }

    @Test(
        .requirement("SV3"),
        arguments: [
            "127.1", "0177.0.0.1", "0x7f.1", "2130706433", "[::ffff:7f00:1]", "127.0.0.1.", "[::1]", "[::]", "0",
            "169.254.169.254",
            "[::ffff:169.254.169.254]", "0xa9fea9fe", "[64:ff9b::169.254.169.254]", "10.0.0.1", "[fd00::1]",
            "[fe80::1]",
            "100.100.100.200", "１６９.254.169.254", "[2002:a9fe:a9fe::1]", "0251.0376.0251.0376",
        ])
    func blockedAddressLiteralIsRejected(host: String) throws {
        let open = try SourcePolicy(allow: ["*"])

        #expect(reason("http://\(host)/latest/meta-data/", open) == .addressRefused)
        #expect(reason("https://\(host):443/", open) == .addressRefused)
    }

    @Test(.requirement("SV6")) func allowedHostPatternMatchesWholeLabels() throws {
        let table: [(pattern: String, host: String, isAllowed: Bool)] = [
            ("example.com", "example.com", true), ("example.com", "EXAMPLE.com.", true),
            ("Example.COM", "example.com", true),
            ("example.com", "a.example.com", false), ("example.com", "evilexample.com", false),
            ("example.com", "example.com.evil.org", false), ("example.com", "example.co", false),
            ("*.example.com", "a.example.com", true), ("*.example.com", "a.b.example.com", true),
            ("*.example.com", "example.com", false), ("*.example.com", "evilexample.com", false),
            ("*.example.com", "example.com.evil.org", false), ("*.example.com", "a.example.com.evil.org", false),
            ("*.example.com", "aexample.com", false), ("*", "anything.test", true), ("*", "93.184.216.34", true),
            ("93.184.216.34", "93.184.216.34", true), ("93.184.216.34", "1572395042", true),
            ("93.184.216.34", "93.184.216.35", false), ("*.example.com", "93.184.216.34", false),
            ("[2606:2800:220:1::1]", "[2606:2800:220:1:0:0:0:1]", true),
            ("bücher.example", "xn--bcher-kva.example", true),
            ("xn--bcher-kva.example", "BÜCHER.example", true), ("*.bücher.example", "a.xn--bcher-kva.example", true),
        ]
        for row in table {
            let policy = try SourcePolicy(allow: [row.pattern])
            let expected: ServiceError.Reason? = row.isAllowed ? nil : .hostRefused
            #expect(reason("http://\(row.host)/", policy) == expected, "\(row.host) by \(row.pattern)")
        }
    }

    @Test(.requirement("SV5")) func emptyAllowListRejectsEveryHost() throws {
        #expect(reason("http://example.com/", try SourcePolicy(allow: [])) == .hostRefused)
    }

    @Test func sourcePolicyWithAnInvalidHostPatternOrAddressRangeOrPortIsRejected() {
        for pattern in [
            "", "*.", "*.*.com", "a*", "http://example.com", "example.com:80", "*.127.0.0.1", "a b", ".example.com",
        ] {
            #expect(throws: ServiceError.self, "\(pattern)") { try SourcePolicy(allow: [pattern]) }
        }
        for range in ["10.0.0.1/8", "localhost", ""] {
            #expect(throws: ServiceError.self, "\(range)") { try SourcePolicy(allow: ["*"], exceptions: [range]) }
        }
        for port in [0, -1, 65_536] {
            #expect(throws: ServiceError.self, "\(port)") { try SourcePolicy(allow: ["*"], ports: [port]) }
        }
    }

    @Test func allowedURLIsNormalized() throws {
        let open = try SourcePolicy(allow: ["*"], ports: [80, 443, 8080], exceptions: ["127.0.0.0/8"])
        let table = [
            ("HTTP://Example.COM.:80/a%20b?q=1#f", "http://example.com/a%20b?q=1"),
            ("https://example.com:443", "https://example.com/"), ("http://example.com?q", "http://example.com/?q"),
            ("http://0x7f.1:8080/x", "http://127.0.0.1:8080/x"),
            ("http://[2606:2800:0220::1]/", "http://[2606:2800:220::1]/"),
            ("https://example.com:80/", "https://example.com:80/"),
            ("http://bücher.example/é", "http://xn--bcher-kva.example/é"),
            ("http://example.com/../a//b", "http://example.com/../a//b"),
        ]
        for (url, expected) in table { #expect(try open.validate(url).url == expected) }
    }

    @Test(.requirement("SV4")) func redirectFromHTTPSToHTTPIsRefusedAndOtherRedirectsAreAllowed() throws {
        let policy = try SourcePolicy(allow: ["*"])
        let (secure, plain) = (try policy.validate("https://example.com/"), try policy.validate("http://example.com/"))
        for location in ["http://example.com/", "HTTP://a/", "http:a"] {
            #expect(throws: ServiceError.self) { try policy.validateRedirect(from: secure, to: location) }
            #expect(throws: Never.self) { try policy.validateRedirect(from: plain, to: location) }
        }
        for location in ["https://example.com/", "/a", "//a/b", "a", "httpx", ""] {
            #expect(throws: Never.self) { try policy.validateRedirect(from: secure, to: location) }
        }
    }

    @Test func forbiddenSourceURLIs403AndMalformedSourceURLIs400() throws {
        for (url, status) in [
            ("http://127.0.0.1/", 403), ("http://a.test:1/", 403), ("ftp://a.test/", 403), ("http://u@a.test/", 403),
            ("a", 400),
        ] {
            let error = #expect(throws: ServiceError.self) { try SourcePolicy(allow: ["*"]).validate(url) }
            #expect(error?.status == status, "\(url)")
        }
    }
}
