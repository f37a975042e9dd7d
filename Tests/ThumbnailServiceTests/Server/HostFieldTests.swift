import Foundation
import PlatformImageHTTPServer
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Validation of the Host field (RFC 9112 section 3.2); no storable response depends on the Host field.
@Suite(.timeLimit(.minutes(30))) struct HostFieldTests {
    /// The HTTP version, the header fields, and the authority that the service reads; nil for a rejected request.
    static let requests: [(version: String, fields: [String], authority: String?)] = [
        ("1.1", ["Host: a.example"], "a.example"), ("1.1", ["hOsT:a.example:8080"], "a.example:8080"),
        ("1.1", ["Host: [::1]:80"], "[::1]:80"), ("1.1", ["Host: 127.0.0.1"], "127.0.0.1"),
        ("1.1", ["X-A: 1", "Host: a_b.example."], "a_b.example."), ("1.0", ["Host: a.example"], "a.example"),
        ("1.0", [], ""), ("1.1", [], nil), ("1.1", ["X-Host: a.example"], nil),
        ("1.1", ["Host: a.example", "Host: b.example"], nil), ("1.1", ["Host: a.example", "Host: a.example"], nil),
        ("1.1", ["Host: a.example", "X-A: 1", "HOST: b.example"], nil), ("1.0", ["Host: a", "Host: b"], nil),
        ("1.1", ["Host:"], nil), ("1.0", ["Host: a b"], nil), ("1.1", ["Host: a.example, b.example"], nil),
        ("1.1", ["Host: a.example/b"], nil),
    ]

    @Test(arguments: [
        ("a.example", true), ("A.EXAMPLE:80", true), ("a.example:", true), ("a:65535", true), ("[2001:db8::1]", true),
        ("[::1]:8080", true), ("1.2.3.4:1", true), ("localhost", true), ("a_b-c.d", true), ("", false), (":80", false),
        ("a:65536", false), ("a:000080", false), ("a:8o", false), ("a:-1", false), ("a:80:80", false), ("::1", false),
        ("[::1", false), ("[]", false), ("[a.example]", false), ("[::1]80", false), ("[::1]:x", false),
        ("user@a.example", false), ("a.example/", false), ("a.example?b", false), ("a#b", false), ("a b", false),
        ("a,b", false), ("a\"b", false), ("<a>", false), ("a%2eb", false), ("\u{E4}.example", false), ("a\\b", false),
        ("http://a.example", false),
    ])
    func hostFieldIsValidatedAsHostAndPort(_ value: String, isValid: Bool) {
        #expect(HostField.isValid(value) == isValid)
    }

    @Test(.requirement("X16")) func missingRepeatedOrInvalidHostFieldIsRejectedWith400() async throws {
        try await withService {
            $0.server.adminPort = 0
        } _: { service in
            for port in [service.port, try service.admin.port] {
                for (version, fields, authority) in Self.requests {
                    let reply = try await Self.exchange(
                        "GET /health/live HTTP/\(version)\r\n", fields + ["Connection: close"], port: port)
                    let expected = authority == nil ? "HTTP/1.1 400 " : "HTTP/1.1 200 "
                    #expect(reply.hasPrefix(expected), "\(fields)")
                }
            }
            let refused = try await Self.exchange(
                "GET /unsafe/8x8/a.example/b.png HTTP/1.1\r\n", ["Connection: close"], port: service.port)
            #expect(refused.contains("\"reason\":\"malformed\""))
            #expect(refused.contains("application/problem+json"))
        }
    }

    /// Sends a request and reads until the service closes the connection.
    private static func exchange(_ line: String, _ fields: [String], port: Int) async throws -> String {
        let client = try await RawClient(port: port)
        try await client.send(line + fields.map { $0 + "\r\n" }.joined() + "\r\n")
        return String(decoding: try await client.readToEnd(), as: UTF8.self)
    }

    @Test(.requirement("X3"), arguments: [nil, "https://images.example"])
    func infoJSONWithIdFromTheHostFieldIsNoStore(publicURL: String?) async throws {
        let folder = Fixture.folder.path(percentEncoded: false)
        try await withService {
            $0.server.publicURL = publicURL
            $0.iiif = .init(fileRoot: folder)
        } _: { service in
            for host in ["evil.example", "evil.example:81"] {
                let reply = try await service.send("/iiif/3/demo%2Fwindow.png/info.json", fields: [("Host", host)])
                #expect(reply.status == 200)
                #expect(reply.text.contains("\"id\":\"\(publicURL ?? "http://\(host)")/iiif/3/demo%2Fwindow.png\""))
                #expect(reply["Cache-Control"] == (publicURL == nil ? "no-store" : "public, max-age=86400"))
            }
        }
    }

    @Test(.requirement("X3"), arguments: [nil, "https://images.example"])
    func noFieldOfAStorableResponseDependsOnTheHostField(publicURL: String?) async throws {
        let folder = Fixture.folder.path(percentEncoded: false)
        try await withService {
            $0.server.publicURL = publicURL
            $0.iiif = .init(fileRoot: folder)
        } _: { service in
            let path = "/iiif/3/demo%2Fwindow.png/full/40,/0/default.png"
            for target in [
                path, "/iiif/3/demo%2Fwindow.png", "/iiif/3/..%2Fa/info.json", "/unsafe/8x8/a.example/b.png",
            ] {
                // `exchange` does not follow redirects. One target redirects to info.json; without a public URL the
                // info.json response contains the host, but it is `no-store`.
                let reply = try await Self.exchange(
                    "GET \(target) HTTP/1.1\r\n", ["Host: evil.example", "Connection: close"], port: service.port)
                #expect(reply.hasPrefix("HTTP/1.1 "))
                #expect(!reply.contains("evil"), "\(target): \(reply)")
            }
            let link = try #require(try await service.send(path)["Link"])
            let base = "\(publicURL ?? "")/iiif/3/demo%2Fwindow.png/full/40,"
            #expect(link.contains("<\(base)"))
            #expect(link.hasSuffix(">;rel=\"canonical\""))
        }
    }
}
