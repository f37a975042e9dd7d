import PlatformImageTestSupport
import Testing

@testable import PlatformImageHTTPServer

/// Values that the parser reads from valid heads.
@Suite struct RequestParserTests {
    /// Parses a head that arrives at once.
    static func parse(_ text: String, _ limits: MessageLimits = MessageLimits()) throws(RequestRejection)
        -> RequestHead?
    {
        let bytes = Array(text.utf8)
        var parser = RequestParser()
        guard let length = try parser.parse(bytes.span, limits) else { return nil }
        return parser.take(bytes.span.extracting(0..<length))
    }

    private static func head(_ line: String, _ fields: String...) -> String {
        line + "\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    @Test(
        .requirement("HS7", "HS11"),
        arguments: [
            ("GET /a/b?c=d HTTP/1.1", "/a/b?c=d", "a.example"), ("GET // HTTP/1.1", "//", "a.example"),
            ("GET http://b.example/x HTTP/1.1", "/x", "b.example"), ("GET http://b.example HTTP/1.1", "/", "b.example"),
            ("GET HTTPS://[::1]:8443?q HTTP/1.1", "/?q", "[::1]:8443"), ("OPTIONS * HTTP/1.1", "*", "a.example"),
            ("GET http://b.example?q HTTP/1.1", "/?q", "b.example"),
        ])
    func targetIsPathWithQueryAndAnAbsoluteTargetReplacesTheHost(
        _ line: String, _ target: String, _ authority: String
    ) throws {
        let head = try #require(try Self.parse(Self.head(line, "Host: a.example")))

        #expect(head.target == target)
        #expect(head.targetBytes == Array(target.utf8))
        #expect(head.authority == authority)
    }

    @Test(.requirement("HS9")) func fieldValuesAreTrimmedAndSeveralLinesAreJoined() throws {
        let head = try #require(
            try Self.parse(Self.head("GET / HTTP/1.1", "Host: a", "accept:  b\t", "ACCEPT:c", "X-Empty:", "X-A: d e")))

        #expect(head[FieldName("Accept")] == "b, c")
        #expect(head.values(of: FieldName("accept")) == ["b", "c"])
        #expect(head[FieldName("X-Empty")] == "")
        #expect(head[FieldName("X-A")] == "d e")
        #expect(head[FieldName("X-B")] == nil)
        #expect(head.allFields.map(\.name) == ["Host", "accept", "ACCEPT", "X-Empty", "X-A"])
        #expect(head.fieldCount == 5)
    }

    @Test(
        .requirement("HS27"),
        arguments: [
            ("1.1", [], true), ("1.1", ["Connection: close"], false), ("1.1", ["Connection: Keep-Alive"], true),
            ("1.1", ["Connection: x,close ,y"], false), ("1.1", ["Connection: closed"], true), ("1.0", [], false),
            ("1.0", ["Connection: keep-alive"], true), ("1.0", ["Connection: keep-alive", "Connection: close"], false),
            ("1.0", ["Connection: close", "Connection: keep-alive"], false), ("1.1", ["Connection: , ,"], true),
        ])
    func connectionFieldDecidesWhetherTheConnectionStaysOpen(_ version: String, _ fields: [String], _ keeps: Bool)
        throws
    {
        let text = "GET / HTTP/\(version)\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
        let head = try #require(try Self.parse(text))

        #expect(head.keepsAlive == keeps)
        #expect(head.isHTTP10 == (version == "1.0"))
    }

    @Test(.requirement("HS6"), arguments: RequestMethod.allCases)
    func knownMethodIsParsedAndEveryOtherSpellingIsRejected(_ method: RequestMethod) throws {
        #expect(try Self.parse(Self.head("\(method.rawValue) / HTTP/1.1", "Host: a"))?.method == method)
        for name in [method.rawValue.lowercased(), method.rawValue + "X", String(method.rawValue.dropLast())] {
            let rejection = #expect(throws: RequestRejection.self) {
                try Self.parse(Self.head("\(name) / HTTP/1.1", "Host: a"))
            }
            #expect(rejection?.status == 405)
            #expect(rejection?.rule == .method)
        }
    }

    @Test(
        .requirement("HS12", "HS13"),
        arguments: [
            ([], BodyFraming.none), (["Content-Length: 0"], .none), (["Content-Length: 17"], .length(17)),
            (["Content-Length: 999999999999999999"], .length(999_999_999_999_999_999)),
            (["Transfer-Encoding: CHUNKED"], .chunked),
        ])
    func framingFieldsSelectTheFraming(_ fields: [String], _ framing: BodyFraming) throws {
        let text = "POST / HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"

        #expect(try Self.parse(text)?.framing == framing)
    }

    @Test(.requirement("HS8", "HS10")) func headsAtTheirLimitsAreAcceptedAndOneByteMoreIsRejected() throws {
        var limits = MessageLimits()
        limits.targetBytes = 100
        limits.fieldBytes = 200
        limits.fields = 3
        let target = "/" + String(repeating: "a", count: 99)
        #expect(try Self.parse(Self.head("DELETE \(target) HTTP/1.1", "Host: a"), limits) != nil)
        #expect(throws: RequestRejection.self) {
            try Self.parse(Self.head("GET \(target)a HTTP/1.1", "Host: a"), limits)
        }
        // 9 bytes for the line of Host, 5 for the name of the other and its end, 2 for the end of the head.
        let value = String(repeating: "b", count: 200 - 9 - 5 - 2)
        #expect(try Self.parse(Self.head("GET / HTTP/1.1", "Host: a", "X: \(value)"), limits) != nil)
        let tooLarge = #expect(throws: RequestRejection.self) {
            try Self.parse(Self.head("GET / HTTP/1.1", "Host: a", "X: \(value)b"), limits)
        }
        #expect(tooLarge?.status == 431)
        #expect(try Self.parse(Self.head("GET / HTTP/1.1", "Host: a", "X: 1", "Y: 2"), limits) != nil)
        let tooMany = #expect(throws: RequestRejection.self) {
            try Self.parse(Self.head("GET / HTTP/1.1", "Host: a", "X: 1", "Y: 2", "Z: 3"), limits)
        }
        #expect(tooMany?.status == 431)
    }

    @Test func limitsAreClampedToTheirRanges() {
        var limits = MessageLimits()
        (limits.targetBytes, limits.fieldBytes, limits.fields) = (.max, .max, .max)
        #expect([limits.targetBytes, limits.fieldBytes, limits.fields] == [1_000_000, 1 << 20, 1_000])
        (limits.targetBytes, limits.fieldBytes, limits.fields) = (.min, .min, .min)
        #expect([limits.targetBytes, limits.fieldBytes, limits.fields] == [1, 2, 1])
    }

    /// Every byte value at every position of a head: no trap, and the same result in one part and byte by byte.
    @Test(.requirement("HS3", "HS30")) func everyByteAtEveryPositionHasOneResultForAnySplit() throws {
        let valid = Array("GET /a?b HTTP/1.1\r\nHost: a.b:8\r\nX-A: 1\r\nContent-Length: 5\r\n\r\n".utf8)
        for position in valid.indices {
            for byte in UInt8.min...UInt8.max {
                var bytes = valid
                bytes[position] = byte
                let whole = Self.result(bytes, step: bytes.count)
                #expect(Self.result(bytes, step: 1) == whole, "byte \(byte) at \(position)")
                if byte < 0x20, byte != .tab, byte != .lineFeed, byte != .carriageReturn, case .accepted = whole {
                    Issue.record("control byte \(byte) at \(position) was accepted")
                }
            }
        }
    }

    private enum Outcome: Equatable {
        case accepted(RequestHead)
        case incomplete
        case rejected(RequestRejection)
    }

    private static func result(_ bytes: [UInt8], step: Int) -> Outcome {
        var parser = RequestParser()
        var count = 0
        while count < bytes.count {
            count = min(count + step, bytes.count)
            do throws(RequestRejection) {
                let part = bytes.span.extracting(0..<count)
                if let length = try parser.parse(part, MessageLimits()) {
                    return .accepted(parser.take(part.extracting(0..<length)))
                }
            } catch {
                return .rejected(error)
            }
        }
        return .incomplete
    }
}
