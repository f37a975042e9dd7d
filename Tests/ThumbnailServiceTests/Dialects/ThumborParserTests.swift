import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Each case has a name, a target and the expected canonical form without source and quality. The canonical form omits
/// default operations.
@Suite struct ThumborParserTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let parts: String
        let canonicalText: String
        var source = "http://img"

        init(_ name: String, _ parts: String, _ canonicalText: String, source: String = "http://img") {
            (self.name, self.parts, self.canonicalText, self.source) = (name, parts, canonicalText, source)
        }

        var testDescription: String { name }
    }

    static let parts: [Case] = [
        Case("no part", "img", ""),
        Case("both sides", "300x200/img", "width:300;height:200;"),
        Case("width alone", "300x/img", "width:300;"),
        Case("width and 0", "300x0/img", "width:300;"),
        Case("height alone", "x200/img", "height:200;"),
        Case("0 and height", "0x200/img", "height:200;"),
        Case("an x alone", "x/img", ""),
        Case("two zeros", "0x0/img", ""),
        Case("zeros before a number", "00300x0200/img", "width:300;height:200;"),
        Case("original width", "origx200/img", "width:-1;height:200;"),
        Case("original height", "300xorig/img", "width:300;height:-1;"),
        Case("both original", "origxorig/img", "width:-1;height:-1;"),
        Case("mirrored", "-300x200/img", "width:300;height:200;mirror;"),
        Case("upside down", "300x-200/img", "width:300;height:200;flip;"),
        Case("both turned", "-300x-200/img", "width:300;height:200;mirror;flip;"),
        Case("mirrored without a size", "-0x0/img", "mirror;"),
        Case("a minus alone", "-x-/img", "mirror;flip;"),
        Case("mirrored original", "-origx200/img", "width:-1;height:200;mirror;"),
        Case("fit-in", "fit-in/300x200/img", "fit:0,0;width:300;height:200;"),
        Case("full-fit-in", "full-fit-in/300x200/img", "fit:1,0;width:300;height:200;"),
        Case("adaptive-fit-in", "adaptive-fit-in/300x200/img", "fit:0,1;width:300;height:200;"),
        Case("adaptive-full-fit-in", "adaptive-full-fit-in/300x200/img", "fit:1,1;width:300;height:200;"),
        Case("fit-in without a size", "fit-in/img", ""),
        Case("fit-in with one side", "fit-in/300x0/img", "fit:0,0;width:300;"),
        Case("an adaptive square is a square", "adaptive-fit-in/200x200/img", "fit:0,0;width:200;height:200;"),
        Case("crop", "10x11:12x13/img", "box:10,11,12,13;"),
        Case("crop and size", "10x20:110x120/50x0/img", "box:10,20,110,120;width:50;"),
        Case("an empty crop", "60x40:10x10/30x0/img", "width:30;"),
        Case("a crop of zeros", "0x0:0x0/img", ""),
        Case("a crop without rows", "0x5:10x5/img", ""),
        Case("trim", "trim/img", "trim:0,0;"),
        Case("trim from a corner", "trim:top-left/img", "trim:0,0;"),
        Case("trim from the other corner", "trim:bottom-right/img", "trim:1,0;"),
        Case("trim with a tolerance", "trim:50/img", "trim:0,50;"),
        Case("trim with both", "trim:bottom-right:442/img", "trim:1,442;"),
        Case("left", "300x200/left/img", "width:300;height:200;left;"),
        Case("right", "300x200/right/img", "width:300;height:200;right;"),
        Case("center is the default", "300x200/center/img", "width:300;height:200;"),
        Case("top", "300x200/top/img", "width:300;height:200;top;"),
        Case("bottom", "300x200/bottom/img", "width:300;height:200;bottom;"),
        Case("middle is the default", "300x200/middle/img", "width:300;height:200;"),
        Case("a corner", "300x200/right/bottom/img", "width:300;height:200;right;bottom;"),
        Case("smart", "300x200/smart/img", "width:300;height:200;smart;"),
        Case("smart in a corner", "300x200/left/top/smart/img", "width:300;height:200;left;top;smart;"),
        Case(
            "fit-in ignores the alignment", "fit-in/300x200/left/top/smart/img", "fit:0,0;width:300;height:200;"),
        Case("the alignment is ignored without a size", "left/top/smart/img", ""),
        Case("meta", "meta/300x200/img", "width:300;height:200;meta:0;"),
        Case("meta keeps the alignment", "meta/fit-in/300x200/left/img", "fit:0,0;width:300;height:200;left;meta:0;"),
        Case(
            "all parts", "meta/trim/10x11:12x13/fit-in/-300x-200/left/top/smart/filters:some_filter()/img",
            "trim:0,0;box:10,11,12,13;fit:0,0;width:300;height:200;left;top;smart;mirror;flip;meta:0;"),
        Case(
            "all parts and a URL with a path",
            "meta/trim:bottom-right:100/10x11:12x13/fit-in/-300x-200/left/top/smart/filters:some_filter()/"
                + "s.example.com/es/2011/03/29/o_60.jpg",
            "trim:1,100;box:10,11,12,13;fit:0,0;width:300;height:200;left;top;smart;mirror;flip;meta:0;",
            source: "http://s.example.com/es/2011/03/29/o_60.jpg"),
        Case(
            "filters and the parts before them", "10x10:90x90/60x40/right/bottom/smart/filters:grayscale()/img",
            "box:10,10,90,90;width:60;height:40;right;bottom;smart;gray;"),
    ]

    static let sources: [Case] = [
        Case("https", "https://foobar/en/_images/man.png", "", source: "https://foobar/en/_images/man.png"),
        Case("http after a size", "300x200/http://h/a.jpg", "width:300;height:200;", source: "http://h/a.jpg"),
        Case(
            "an escaped URL", "https%3A%2F%2Ffoobar%2Fman.png%3Ffoo%3Dbar", "",
            source: "https://foobar/man.png?foo=bar"),
        Case("a host with a port", "my.server.com:8080/a.jpg", "", source: "http://my.server.com:8080/a.jpg"),
        Case("a scheme and a host in capitals", "HTTP://Foo.Example/A.JPG", "", source: "http://foo.example/A.JPG"),
        Case("user information is unchanged", "http://User@Foo/a.jpg", "", source: "http://User@Foo/a.jpg"),
        Case("an unsupported scheme is parsed", "ftp://h/a.jpg", "", source: "ftp://h/a.jpg"),
        Case("a space", "h/a%20b.jpg", "", source: "http://h/a%20b.jpg"),
        Case("an escaped percent sign", "h/a%2520b.jpg", "", source: "http://h/a%20b.jpg"),
        Case("a plus sign is unchanged", "h/a+b.jpg", "", source: "http://h/a+b.jpg"),
        Case("a tilde", "h/~user/a.jpg", "", source: "http://h/~user/a.jpg"),
        Case("an escaped tilde", "h/%7Euser/a.jpg", "", source: "http://h/~user/a.jpg"),
        Case("escaped UTF-8", "h/%C3%BC.jpg", "", source: "http://h/%C3%BC.jpg"),
        Case("raw UTF-8", "h/ü.jpg", "", source: "http://h/%C3%BC.jpg"),
        Case("a percent sign without hexadecimal digits", "h/100%.jpg", "", source: "http://h/100%25.jpg"),
        Case("a percent sign before one hexadecimal digit", "h/1%2", "", source: "http://h/1%252"),
        Case("a number sign", "h/a%23b.jpg", "", source: "http://h/a%23b.jpg"),
        Case("a query with an escaped number sign", "h/a%3Fb%3D%2523", "", source: "http://h/a?b=%23"),
        Case("brackets of an IPv6 address", "http://%5B::1%5D/a", "", source: "http://[::1]/a"),
        Case("brackets of a path", "h/a%5B1%5D", "", source: "http://h/a%5B1%5D"),
        Case("quotes and angles", "h/%22%3C%3E%5C%5E%60%7B%7C%7D", "", source: "http://h/%22%3C%3E%5C%5E%60%7B%7C%7D"),
        Case("a slash at the end", "h/a/", "", source: "http://h/a/"),
        Case("two consecutive slashes", "h//a", "", source: "http://h//a"),
        Case("a size after the host belongs to the source", "h/300x200/a.jpg", "", source: "http://h/300x200/a.jpg"),
        Case("an escaped slash after trim", "trim%2Fimg", "", source: "http://trim/img"),
        Case("an escaped slash after meta", "meta%2Fimg", "", source: "http://meta/img"),
        Case("an escaped slash after center", "center%2Fimg", "", source: "http://center/img"),
        Case("an escaped slash after smart", "smart%2Fimg", "", source: "http://smart/img"),
        Case("an escaped slash after fit-in", "fit-in%2Fimg", "", source: "http://fit-in/img"),
        Case("an escaped slash after a size", "300x200%2Fimg", "", source: "http://300x200/img"),
        Case("escaped letters of a part", "sm%61rt/img", "", source: "http://smart/img"),
        Case("smart twice", "smart/smart/img", "", source: "http://smart/img"),
        Case("a size twice", "300x200/400x300/img", "width:300;height:200;", source: "http://400x300/img"),
        Case("parts in another order", "smart/300x200/img", "", source: "http://300x200/img"),
        Case("top before left", "top/left/img", "", source: "http://left/img"),
        Case("a crop after a size", "30x20/1x2:3x4/img", "width:30;height:20;", source: "http://1x2:3x4/img"),
        Case("a name that begins like a part", "smartphone/a.jpg", "", source: "http://smartphone/a.jpg"),
        Case("a part in capitals", "Smart/a.jpg", "", source: "http://smart/a.jpg"),
        Case("fit in with a space", "fit_in/a.jpg", "", source: "http://fit_in/a.jpg"),
        Case("a word with an x", "example/a.jpg", "", source: "http://example/a.jpg"),
        Case("a hexadecimal host is no size", "0x7f.1/a.jpg", "", source: "http://0x7f.1/a.jpg"),
        Case("a last part is a name", "300x200", "", source: "http://300x200"),
        Case("an address in an address", "http://h/http://i/a.jpg", "", source: "http://h/http://i/a.jpg"),
    ]

    @Test(arguments: parts + sources)
    func parsedThumborTargetHasTheExpectedCanonicalFormAndSource(_ test: Case) throws {
        let request = try Self.dialect.parse("/unsafe/\(test.parts)".utf8)

        #expect(Self.canonicalText(request) == test.canonicalText)
        #expect(request.source == .url(test.source))
    }

    @Test func testTableHasAtLeast87TargetsWithUniqueNames() {
        #expect(Self.parts.count + Self.sources.count >= 87)
        #expect(Set((Self.parts + Self.sources).map(\.name)).count == Self.parts.count + Self.sources.count)
    }

    /// Docs/service-rules.md 2.1: an invalid part is an error and not the host of a source.
    @Test(
        .requirement("SV15"),
        arguments: [
            "/unsafe/", "/unsafe", "/", "", "unsafe/img", "/unsafe/300x200/", "/unsafe/smart/",
            "/unsafe/filters:blur(1)/",
            "/unsafe/debug/img", "/unsafe/1e9x200/img", "/unsafe/99999999999999999999x200/img",
            "/unsafe/1000000000x1/img", "/unsafe/300x--200/img", "/unsafe/--300x200/img", "/unsafe/+300x200/img",
            "/unsafe/++x9/img", "/unsafe/NaNx200/img", "/unsafe/nanxnan/img", "/unsafe/infx1/img", "/unsafe/3.5x2/img",
            "/unsafe/\u{FF13}00x200/img", "/unsafe/%EF%BC%93x200/img", "/unsafe/\u{663}x200/img",
            "/unsafe/0.2x0.15:0.45x0.67/img", "/unsafe/10x10:60/img", "/unsafe/-1x2:3x4/img",
            "/unsafe/trim:left/img", "/unsafe/trim:/img", "/unsafe/trim:443/img", "/unsafe/trim:-1/img",
            "/unsafe/trim:top-left:/img", "/unsafe/trim:top-left:x/img", "/unsafe/trim:top-leftish/img",
            "/unsafe/filters:blur(1)", "/unsafe/filters:blur(1/img", "/unsafe/filters:/img", "/unsafe/filters:)/img",
            "/unsafe/h/a%00b", "/unsafe/h/a%0Ab", "/unsafe/h/a%7Fb",
        ])
    func thumborTargetWithAnInvalidPartIsMalformed(_ target: String) {
        #expect(Self.reason(of: target) == .malformed)
    }

    @Test(.requirement("SV14")) func targetOver8192BytesIsTooLong() throws {
        let name = String(repeating: "a", count: 8192 - "/unsafe/".utf8.count)

        #expect(try Self.dialect.parse("/unsafe/\(name)".utf8).source == .url("http://\(name)"))
        #expect(Self.reason(of: "/unsafe/\(name)a") == .targetTooLong)
        #expect(Self.reason(of: "/" + String(repeating: "/", count: 9000)) == .targetTooLong)
    }

    @Test func thumborTargetWithAQueryIsRejected() {
        for target in ["/unsafe/img?", "/unsafe/img?w=1", "/unsafe/?img", "/unsafe/300x200/h/a?b=c"] {
            #expect(Self.reason(of: target) == .queryRefused, "\(target)")
        }
    }

    @Test func sourceWithoutASchemeIsAFileWhenFileSourcesAreEnabled() throws {
        var dialect = Self.dialect
        dialect.readsFiles = true

        #expect(try dialect.parse("/unsafe/300x0/a/b%20c.jpg".utf8).source == .file("a/b c.jpg"))
        #expect(try dialect.parse("/unsafe/a/%252e%252e/b".utf8).source == .file("a/%2e%2e/b"))
        #expect(try dialect.parse("/unsafe/https://h/a".utf8).source == .url("https://h/a"))
    }

    /// The URL of the source has the bytes that the target names: escapes of any byte, also of bytes that are not
    /// UTF-8, and the escapes of an escape.
    @Test func everyByteOfASourceIsInItsURLAsAnEscapeOrAsItself() throws {
        for byte in UInt8.min...UInt8.max {
            let hex = (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            let escaped = try Self.dialect.parse("/unsafe/http://h/a%25\(hex)b".utf8).source
            #expect(escaped == .url("http://h/a%\(hex)b"))
            guard byte >= 0x20, byte != 0x7F else { continue }
            guard case .url(let url) = try Self.dialect.parse("/unsafe/http://h/a%\(hex)b".utf8).source else {
                Issue.record("the source is no URL")
                continue
            }
            let character = byte < 0x80 ? String(Unicode.Scalar(byte)) : ""
            #expect(url == "http://h/a%\(hex)b" || url == "http://h/a\(character)b", "\(hex)")
            #expect(byte < 0x80 || url == "http://h/a%\(hex)b")
        }
    }

    @Test func fileNameThatIsNotUTF8IsMalformed() {
        var dialect = Self.dialect
        dialect.readsFiles = true

        for target in ["/unsafe/h/%FF%FE", "/unsafe/h/%ED%A0%80"] {
            #expect(throws: ServiceError.self) { try dialect.parse(target.utf8) }
        }
    }

    @Test(arguments: [
        ("http://B%C3%BCcher.example/a", "http://xn--bcher-kva.example/a"),
        ("http://b%25C3%25BCcher.example:8080/a", "http://xn--bcher-kva.example:8080/a"),
        ("bücher.example/%C3%BC", "http://xn--bcher-kva.example/%C3%BC"),
        ("http://B.example/a", "http://b.example/a"), ("http://b%2541.example/a", "http://b%41.example/a"),
    ])
    func internationalizedHostOfASourceIsInASCII(_ source: String, _ url: String) throws {
        #expect(try Self.dialect.parse("/unsafe/\(source)".utf8).source == .url(url))
    }

    @Test func sourceWithoutASchemeGetsTheConfiguredScheme() throws {
        var dialect = Self.dialect
        dialect.defaultScheme = "https"

        #expect(try dialect.parse("/unsafe/h/a".utf8).source == .url("https://h/a"))
        #expect(try dialect.parse("/unsafe/http://h/a".utf8).source == .url("http://h/a"))
    }

    @Test func postTargetWhoseSourceIsNotTheWordBodyIsMalformed() throws {
        let dialect = PostDialect(thumbor: Self.dialect)

        let request = try dialect.parse(Array("/post/unsafe/fit-in/30x20/filters:grayscale()/body".utf8))

        #expect(request.source == .body)
        #expect(Self.canonicalText(request) == "fit:0,0;width:30;height:20;gray;")
        for target in [
            "/post/unsafe/h/a.jpg", "/post/unsafe/", "/post/body", "/post/unsafe/body/", "/posted/unsafe/body",
        ] {
            let result = Result { () throws(ServiceError) in try dialect.parse(Array(target.utf8)) }
            #expect(result.refusal == .malformed, "\(target)")
        }
    }

    static var dialect: ThumborDialect {
        var dialect = ThumborDialect()
        dialect.signing.allowsUnsafe = true
        return dialect
    }

    static func reason(of target: String) -> ServiceError.Reason? {
        Result { () throws(ServiceError) in try dialect.parse(target.utf8) }.refusal
    }

    /// The canonical operations without the quality, which every request contains.
    static func canonicalText(_ request: ThumbnailRequest) -> String {
        String(decoding: request.canonicalOperations, as: UTF8.self).replacing("quality:80;", with: "")
    }
}

extension Result where Failure == ServiceError {
    /// The reason of the failure; nil for a success.
    var refusal: ServiceError.Reason? {
        if case .failure(let error) = self { error.reason } else { nil }
    }
}
