import PlatformImageLoopbackOrigin
import Testing

@testable import PlatformImageLoader

/// Responses that violate RFC 9112, sent as raw bytes: each is an error with the reason of the table.
@Suite(.timeLimit(.minutes(30))) struct TransportViolationTests {
    struct Violation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let wire: [UInt8]
        let reason: LoadError.TransportReason

        init(_ name: String, _ wire: [UInt8], _ reason: LoadError.TransportReason) {
            testDescription = name
            self.wire = wire
            self.reason = reason
        }

        init(_ name: String, _ wire: String, _ reason: LoadError.TransportReason) {
            self.init(name, Array(wire.utf8), reason)
        }
    }

    /// A response whose fields are valid except for `fields`.
    private static func head(_ fields: String, _ body: String = "hello") -> String {
        "HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n\(body)"
    }

    /// A response with a chunked body.
    private static func chunked(_ body: String) -> String { head("Transfer-Encoding: chunked", body) }

    private static let statusLines: [Violation] = [
        Violation("nothing", "", .closedBeforeResponse),
        Violation("HTTP/0.9", "<html>hello</html>", .invalidHead),
        Violation("ICY", "ICY 200 OK\r\n\r\nhello", .invalidHead),
        Violation("another protocol", "220 mail ready\r\n", .invalidHead),
        Violation("SSH", "SSH-2.0-OpenSSH\r\n", .invalidHead),
        Violation("empty line before the status line", "\r\nHTTP/1.1 200 OK\r\n\r\nhello", .invalidHead),
        Violation("HTTP/1.2", "HTTP/1.2 200 OK\r\n\r\nhello", .invalidHead),
        Violation("HTTP/2 in HTTP/1", "HTTP/2 200\r\n\r\nhello", .invalidHead),
        Violation("HTTP/2.0 in HTTP/1", "HTTP/2.0 200 OK\r\n\r\nhello", .invalidHead),
        Violation("HTTP/3 in HTTP/1", "HTTP/3 200\r\n\r\nhello", .invalidHead),
        Violation("lower case", "http/1.1 200 OK\r\n\r\nhello", .invalidHead),
        Violation("status 99", "HTTP/1.1 99 Low\r\n\r\nhello", .invalidHead),
        Violation("status 1000", "HTTP/1.1 1000 High\r\n\r\nhello", .invalidHead),
        Violation("status 099", "HTTP/1.1 099 Low\r\n\r\nhello", .invalidHead),
        Violation("status abc", "HTTP/1.1 abc\r\n\r\nhello", .invalidHead),
        Violation("status 20x", "HTTP/1.1 20x\r\n\r\nhello", .invalidHead),
        Violation("no status", "HTTP/1.1\r\n\r\nhello", .invalidHead),
        Violation("tab before the status", "HTTP/1.1\t200 OK\r\n\r\nhello", .invalidHead),
        Violation("control character in the reason phrase", "HTTP/1.1 200 O\u{1}K\r\n\r\nhello", .invalidHead),
        Violation("status 101", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", .unexpectedUpgrade),
    ]

    private static let fields: [Violation] = [
        Violation("bare LF", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", .invalidHead),
        Violation("bare LF after one field", "HTTP/1.1 200 OK\r\nX: 1\nContent-Length: 5\r\n\r\nhello", .invalidHead),
        Violation("bare LF at the end of the head", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\nhello", .invalidHead),
        Violation("bare CR in a value", head("X: 1\r2\r\nContent-Length: 5"), .invalidHead),
        Violation("two CR", head("X: 1\r\r\nContent-Length: 5"), .invalidHead),
        Violation("folded line before the first field", head(" X: 1\r\nContent-Length: 5"), .invalidHead),
        Violation("folded Content-Length", head("Content-Length: 5\r\n 0"), .invalidHead),
        Violation("folded Transfer-Encoding", head("Transfer-Encoding: chunked\r\n\t, gzip"), .invalidHead),
        Violation("space before the first field", head(" X: 1\r\nContent-Length: 5"), .invalidHead),
        Violation("space before a colon", head("X : 1\r\nContent-Length: 5"), .invalidHead),
        Violation("space before the colon of Content-Length", head("Content-Length : 5"), .invalidHead),
        Violation("tab before a colon", head("X\t: 1\r\nContent-Length: 5"), .invalidHead),
        Violation("empty name", head(": 1\r\nContent-Length: 5"), .invalidHead),
        Violation("name that is no token", head("X(1): 1\r\nContent-Length: 5"), .invalidHead),
        Violation("name that is not ASCII", head("größe: 1\r\nContent-Length: 5"), .invalidHead),
        Violation("no colon", head("hello\r\nContent-Length: 5"), .invalidHead),
        Violation("NUL in a value", head("X: a\u{0}b\r\nContent-Length: 5"), .invalidHead),
        Violation("NUL in a name", head("X\u{0}Y: 1\r\nContent-Length: 5"), .invalidHead),
        Violation("control character in a value", head("X: a\u{7}b\r\nContent-Length: 5"), .invalidHead),
        Violation("DEL in a value", head("X: a\u{7F}b\r\nContent-Length: 5"), .invalidHead),
        Violation("head cut in the status line", "HTTP/1.1 2", .closedBeforeResponse),
        Violation("head cut after the status line", "HTTP/1.1 200 OK\r\n", .closedInHead),
        Violation("head cut in a field", "HTTP/1.1 200 OK\r\nContent-Le", .closedInHead),
        Violation("head cut before its empty line", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", .closedInHead),
        Violation("only an interim head", "HTTP/1.1 103 Early\r\n\r\n", .closedInHead),
    ]

    private static let lengths: [Violation] = [
        Violation(
            "1,001 fields", head(Array(repeating: "X: 1", count: 1_001).joined(separator: "\r\n")), .headTooLarge),
        Violation("two differing lengths", head("Content-Length: 5\r\nContent-Length: 6"), .invalidFraming),
        Violation("two equal lengths", head("Content-Length: 5\r\nContent-Length: 5"), .invalidFraming),
        Violation("length with letters", head("Content-Length: 5abc"), .invalidFraming),
        Violation("length with a plus", head("Content-Length: +5"), .invalidFraming),
        Violation("negative length", head("Content-Length: -5"), .invalidFraming),
        Violation("list of lengths", head("Content-Length: 5, 5"), .invalidFraming),
        Violation("hexadecimal length", head("Content-Length: 0x5"), .invalidFraming),
        Violation("length of 2^70", head("Content-Length: 1180591620717411303424"), .invalidFraming),
        Violation("empty length", head("Content-Length:"), .invalidFraming),
        Violation("length with a space", head("Content-Length: 5 5"), .invalidFraming),
        Violation("fractional length", head("Content-Length: 5.0"), .invalidFraming),
        Violation("length and chunked", head("Content-Length: 5\r\nTransfer-Encoding: chunked"), .invalidFraming),
        Violation("chunked and length", head("Transfer-Encoding: chunked\r\nContent-Length: 5"), .invalidFraming),
        Violation("shorter than its length", head("Content-Length: 6"), .truncatedBody),
        Violation("no byte of the body", head("Content-Length: 6", ""), .truncatedBody),
        Violation("transfer coding gzip", head("Transfer-Encoding: gzip"), .invalidFraming),
        Violation("gzip, chunked", head("Transfer-Encoding: gzip, chunked", "0\r\n\r\n"), .invalidFraming),
        Violation("chunked, gzip", head("Transfer-Encoding: chunked, gzip", "0\r\n\r\n"), .invalidFraming),
        Violation("xchunked", head("Transfer-Encoding: xchunked", "0\r\n\r\n"), .invalidFraming),
        Violation("chunked, chunked", head("Transfer-Encoding: chunked, chunked", "0\r\n\r\n"), .invalidFraming),
        Violation(
            "chunked in two lines", head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
            .invalidFraming),
        Violation("empty Transfer-Encoding", head("Transfer-Encoding:"), .invalidFraming),
    ]

    private static let chunks: [Violation] = [
        Violation("chunk size xyz", chunked("xyz\r\nhello\r\n0\r\n\r\n"), .invalidFraming),
        Violation("negative chunk size", chunked("-5\r\nhello\r\n0\r\n\r\n"), .invalidFraming),
        Violation("chunk size with a plus", chunked("+5\r\nhello\r\n0\r\n\r\n"), .invalidFraming),
        Violation("chunk size 0x5", chunked("0x5\r\nhello\r\n0\r\n\r\n"), .invalidFraming),
        Violation("space before a chunk size", chunked(" 5\r\nhello\r\n0\r\n\r\n"), .invalidFraming),
        Violation("empty chunk size", chunked("\r\nhello\r\n0\r\n\r\n"), .invalidFraming),
        Violation("chunk size of 17 digits", chunked("00000000000000005\r\nhello\r\n0\r\n\r\n"), .invalidFraming),
        Violation("chunk size of 2^63", chunked("8000000000000000\r\nhello\r\n0\r\n\r\n"), .invalidFraming),
        Violation("chunk size of 2^64 - 1", chunked("ffffffffffffffff\r\nhello\r\n0\r\n\r\n"), .invalidFraming),
        Violation("chunk lines with LF", chunked("5\nhello\n0\n\n"), .invalidFraming),
        Violation("chunk size with LF", chunked("5\nhello\r\n0\r\n\r\n"), .invalidFraming),
        Violation("chunk data with LF", chunked("5\r\nhello\n0\r\n\r\n"), .invalidFraming),
        Violation("chunk data without an end", chunked("5\r\nhello0\r\n\r\n"), .invalidFraming),
        Violation("longer than its chunk size", chunked("4\r\nhello\r\n0\r\n\r\n"), .invalidFraming),
        Violation("bare CR in an extension", chunked("5;a\rb\r\nhello\r\n0\r\n\r\n"), .invalidFraming),
        Violation("NUL in an extension", chunked("5;a\u{0}b\r\nhello\r\n0\r\n\r\n"), .invalidFraming),
        Violation("text after a chunk size", chunked("5 x\r\nhello\r\n0\r\n\r\n"), .invalidFraming),
        Violation("trailer without a colon", chunked("0\r\nhello\r\n\r\n"), .invalidFraming),
        Violation("trailer with LF", chunked("0\r\nX: 1\n\r\n"), .invalidFraming),
        Violation("trailer without a name", chunked("0\r\n: 1\r\n\r\n"), .invalidFraming),
        Violation("last chunk without a trailer section", chunked("5\r\nhello\r\n0\r\n"), .truncatedBody),
        Violation("no last chunk", chunked("5\r\nhello\r\n"), .truncatedBody),
        Violation("cut in a chunk", chunked("5\r\nhel"), .truncatedBody),
        Violation("cut after a chunk size", chunked("5\r\n"), .truncatedBody),
        Violation("cut in a chunk size", chunked("5"), .truncatedBody),
        Violation("no chunk", chunked(""), .truncatedBody),
    ]

    private static let sizes: [Violation] = [
        Violation(
            "head of 2 MB", head(String(repeating: "X: \(filler(1_000))\r\n", count: 2_000) + "Y: 1"), .headTooLarge),
        Violation("field of 120 kB", head("X: \(filler(120_000))"), .headTooLarge),
        Violation("field of 1 MB", head("X: \(filler(1_000_000))"), .headTooLarge),
        Violation("status line of 200 kB", "HTTP/1.1 200 \(filler(200_000))\r\n\r\n", .headTooLarge),
        Violation(
            "20,000 fields", head((0..<20_000).map { "X-\($0): 1\r\n" }.joined() + "Y: 1"), .headTooLarge),
        Violation(
            "1,000 interim heads", String(repeating: "HTTP/1.1 103 Early\r\n\r\n", count: 1_000) + head("X: 1"),
            .tooManyHeads),
        Violation(
            "interim heads of 1 MB",
            String(repeating: "HTTP/1.1 103 Early\r\nX: \(filler(50_000))\r\n\r\n", count: 20) + head("X: 1"),
            .headTooLarge),
        Violation("extension of 1 MB", chunked("5;\(filler(1_000_000))\r\nhello\r\n0\r\n\r\n"), .framingTooLarge),
        Violation(
            "trailers of 1 MB", chunked("0\r\n" + String(repeating: "X: \(filler(1_000))\r\n", count: 1_000) + "\r\n"),
            .framingTooLarge),
        Violation(
            "extensions of 4 MB in many chunks",
            chunked(String(repeating: "1;\(filler(4_000))\r\nx\r\n", count: 1_000) + "0\r\n\r\n"), .framingTooLarge),
    ]

    private static func filler(_ count: Int) -> String { String(repeating: "v", count: count) }

    @Test(arguments: statusLines + fields + lengths + chunks + sizes)
    func invalidResponseIsAnErrorWithItsReason(_ violation: Violation) async throws {
        let origin = try await LoopbackOrigin { _ in .close(after: violation.wire) }

        let error = await TransportFixture.failure(origin.url(), with: CurlTransport(proxy: .none))

        #expect(error?.code == .transport)
        #expect(error?.reason == violation.reason, "\(error.map { "\($0)" } ?? "no error")")
        #expect(origin.requests.count == 1, "the request is not repeated")
        #expect(origin.connectionCount == 1)
    }

    /// The same responses on a connection that stays open: the error does not wait for its end.
    @Test(arguments: statusLines + fields + lengths + chunks + sizes)
    func invalidResponseOnAConnectionThatStaysOpenIsAnErrorUnlessItIsIncomplete(_ violation: Violation) async throws {
        let incomplete: [LoadError.TransportReason] = [.closedBeforeResponse, .closedInHead, .truncatedBody]
        if incomplete.contains(violation.reason) || violation.wire.starts(with: "<html>".utf8) { return }
        let origin = try await LoopbackOrigin { _ in .raw(violation.wire) }

        let error = await TransportFixture.failure(origin.url(), with: CurlTransport(proxy: .none))

        #expect(error?.reason == violation.reason, "\(error.map { "\($0)" } ?? "no error")")
        await origin.waitForClosedConnections(1)
    }

    /// Valid responses that a strict parser could reject by mistake.
    @Test(arguments: [
        ("HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", "hello"),
        ("HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nhello", "hello"),
        ("HTTP/1.1 999 größe\tx\r\ncontent-length:5\r\n\r\nhello", "hello"),
        ("HTTP/1.0 200 OK\r\nContent-Length:\t 5 \t\r\n\r\nhello", "hello"),
        ("HTTP/1.1 200 OK\r\nX:\r\nY: \r\n!#$%&'*+-.^_`|~: 1\r\nContent-Length: 05\r\n\r\nhello", "hello"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more", "hello"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nhello", "hello"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n0005 ;a=\"b;c\"\r\nhello\r\n00\r\n\r\n", "hello"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5  \r\nhello\r\n0;x\r\nA: b\r\nC:\r\n\r\n", "hello"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\nhello\r\n\r\nx\r\n0\r\n\r\nrest", "hello\r\n\r\nx"),
        ("HTTP/1.1 204 No\r\nContent-Length: 7\r\n\r\n", ""),
        ("HTTP/1.1 304 Not\r\nTransfer-Encoding: chunked\r\n\r\n", ""),
        (
            "HTTP/1.1 100 Continue\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "hello"
        ),
    ])
    func unusualButValidResponseIsDelivered(_ wire: String, _ body: String) async throws {
        let origin = try await LoopbackOrigin { _ in .close(after: Array(wire.utf8)) }

        let reply = try await TransportFixture.get(origin.url(), with: CurlTransport(proxy: .none))

        #expect(reply.body == Array(body.utf8))
    }
}
