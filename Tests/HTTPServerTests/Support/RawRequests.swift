import Testing

/// Requests as bytes, with the statuses of all responses when a valid GET follows on the same connection.
struct RawRequest: CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    /// Statuses of the final responses. If the last one is that of the GET, the connection stays open;
    /// otherwise it is closed.
    let statuses: [Int]
    let isOpen: Bool

    init(_ name: String, _ text: String, _ statuses: Int..., isOpen: Bool? = nil) {
        self.name = name
        bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        self.statuses = statuses
        self.isOpen = isOpen ?? (statuses.last == 200)
    }

    var testDescription: String { name }

    private static func head(_ fields: String...) -> String {
        "GET /t HTTP/1.1\r\nHost: a.example\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    private static func line(_ line: String) -> String { line + "\r\nHost: a.example\r\n\r\n" }

    private static func chunked(_ body: String) -> String { post("Transfer-Encoding: chunked", body) }

    /// The requests of the smuggling table and of its rules.
    static let table: [RawRequest] = [
        // Framing.
        .init(
            "Content-Length and Transfer-Encoding", post("Content-Length: 5\r\nTransfer-Encoding: chunked", "hello"),
            400),
        .init(
            "Transfer-Encoding and Content-Length",
            post("Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n"), 400),
        .init(
            "Transfer-Encoding and Content-Length 0",
            post("Transfer-Encoding: chunked\r\nContent-Length: 0", "0\r\n\r\n"), 400),
        .init("differing Content-Length", post("Content-Length: 5\r\nContent-Length: 6", "hello!"), 400),
        .init("listed Content-Length", post("Content-Length: 5, 5", "hello"), 400),
        .init("Content-Length with plus", post("Content-Length: +5", "hello"), 400),
        .init("Content-Length with minus", post("Content-Length: -5", "hello"), 400),
        .init("hexadecimal Content-Length", post("Content-Length: 0x5", "hello"), 400),
        .init("Content-Length of 19 digits", post("Content-Length: 1000000000000000000"), 400),
        .init("Content-Length of 2^64 + 5", post("Content-Length: 18446744073709551621"), 400),
        .init("empty Content-Length", post("Content-Length:"), 400),
        .init("Content-Length with a space", post("Content-Length: 5 5", "hello"), 400),
        .init("Content-Length with a fraction", post("Content-Length: 5.0", "hello"), 400),
        .init("gzip coding", post("Transfer-Encoding: gzip"), 400),
        .init("gzip, chunked coding", post("Transfer-Encoding: gzip, chunked", "0\r\n\r\n"), 400),
        .init("chunked, chunked coding", post("Transfer-Encoding: chunked, chunked", "0\r\n\r\n"), 400),
        .init("chunked twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n"), 400),
        .init("xchunked coding", post("Transfer-Encoding: xchunked", "0\r\n\r\n"), 400),
        .init("quoted chunked coding", post("Transfer-Encoding: \"chunked\"", "0\r\n\r\n"), 400),
        .init("chunked coding with a parameter", post("Transfer-Encoding: chunked;q=1", "0\r\n\r\n"), 400),
        .init("identity coding", post("Transfer-Encoding: identity"), 400),
        .init("empty Transfer-Encoding", post("Transfer-Encoding:"), 400),
        .init(
            "Transfer-Encoding in HTTP/1.0",
            "POST /p HTTP/1.0\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        // Field lines.
        .init("space before the colon", head("X-A : 1"), 400),
        .init("tab before the colon", head("X-A\t: 1"), 400),
        .init("space before the colon of Content-Length", post("Content-Length : 5", "hello"), 400),
        .init("bare LF after a field", "GET / HTTP/1.1\r\nHost: a.example\nX-A: 1\r\n\r\n", 400),
        .init("bare LF after the request line", "GET / HTTP/1.1\nHost: a.example\r\n\r\n", 400),
        .init("bare LF at the end of the head", "GET / HTTP/1.1\r\nHost: a.example\r\n\n", 400),
        .init("bare CR in a value", head("X-A: 1\r2"), 400),
        .init("bare CR at the end of a line", "GET / HTTP/1.1\r\nHost: a.example\rX-A: 1\r\n\r\n", 400),
        .init("CR CR LF", "GET / HTTP/1.1\r\nHost: a.example\r\r\n\r\n", 400),
        .init("folded line", head("X-A: 1", " 2"), 400),
        .init("line folded with a tab", head("X-A: 1", "\t2"), 400),
        .init("space before the first field", "GET / HTTP/1.1\r\n Host: a.example\r\n\r\n", 400),
        .init("NUL in a value", head("X-A: 1\0"), 400),
        .init("control byte in a value", head("X-A: 1\u{1}"), 400),
        .init("DEL in a value", head("X-A: 1\u{7F}"), 400),
        .init("NUL in a name", head("X\0A: 1"), 400),
        .init("parenthesis in a name", head("X(A: 1"), 400),
        .init("non-ASCII byte in a name", head("X\u{E4}: 1"), 400),
        .init("empty name", head(": 1"), 400),
        .init("line without colon", head("X-A"), 400),
        .init("17 kB of fields", head("X-A: " + String(repeating: "a", count: 17_000)), 431),
        .init(
            "many fields of 17 kB",
            head([String](repeating: "X-A: 12345678901234567890", count: 700).joined(separator: "\r\n")), 431),
        .init("101 fields", head([String](repeating: "X-A: 1", count: 100).joined(separator: "\r\n")), 431),
        // Host.
        .init("no Host", "GET / HTTP/1.1\r\n\r\n", 400),
        .init("two Hosts", head("Host: b.example"), 400),
        .init("two equal Hosts", head("Host: a.example"), 400),
        .init("Host with a space", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
        .init("Host with a path", "GET / HTTP/1.1\r\nHost: a.example/b\r\n\r\n", 400),
        .init("empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400),
        .init("two Hosts in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        // Request line.
        .init("tab in the request line", line("GET\t/ HTTP/1.1"), 400),
        .init("tab before the version", line("GET /\tHTTP/1.1"), 400),
        .init("two spaces before the target", line("GET  / HTTP/1.1"), 400),
        .init("two spaces before the version", line("GET /  HTTP/1.1"), 400),
        .init("space in the target", line("GET /a b HTTP/1.1"), 400),
        .init("space after the version", line("GET / HTTP/1.1 "), 400),
        .init("space before the method", line(" GET / HTTP/1.1"), 400),
        .init("NUL in the target", line("GET /\0 HTTP/1.1"), 400),
        .init("number sign in the target", line("GET /#a HTTP/1.1"), 400),
        .init("non-ASCII byte in the target", line("GET /\u{E4} HTTP/1.1"), 400),
        .init("target without a slash", line("GET a HTTP/1.1"), 400),
        .init("asterisk with GET", line("GET * HTTP/1.1"), 400),
        .init("target of another scheme", line("GET ftp://a.example/ HTTP/1.1"), 400),
        .init("absolute target with user information", line("GET http://u@a.example/ HTTP/1.1"), 400),
        .init("lower-case http", line("GET / http/1.1"), 400),
        .init("HTTP/0.9", line("GET / HTTP/0.9"), 400),
        .init("no version", line("GET /"), 400),
        .init("HTTP/1.10", line("GET / HTTP/1.10"), 400),
        .init("HTTP/1", line("GET / HTTP/1"), 400),
        .init("HTTP/2.0", line("GET / HTTP/2.0"), 505),
        .init("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        .init("target of 9,000 bytes", line("GET /" + String(repeating: "a", count: 9_000) + " HTTP/1.1"), 414),
        .init("method of 9,000 bytes", line(String(repeating: "A", count: 9_000) + " / HTTP/1.1"), 414),
        .init("CONNECT", "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n", 405),
        .init("unknown method", line("BREW / HTTP/1.1"), 405),
        .init("lower-case method", line("get / HTTP/1.1"), 405),
        .init("nine empty lines", String(repeating: "\r\n", count: 9) + get, 400),
        .init("LF before the request line", "\n" + get, 400),
        .init("unknown expectation", head("Expect: magic"), 417),
        // Chunks.
        .init("chunk size with 0x", chunked("0x5\r\nhello\r\n0\r\n\r\n"), 400),
        .init("chunk size with plus", chunked("+5\r\nhello\r\n0\r\n\r\n"), 400),
        .init("chunk size with minus", chunked("-5\r\nhello\r\n0\r\n\r\n"), 400),
        .init("chunk size of 17 digits", chunked("00000000000000005\r\nhello\r\n0\r\n\r\n"), 400),
        .init("chunk size of 2^64 - 1", chunked("ffffffffffffffff\r\nhello\r\n0\r\n\r\n"), 400),
        .init("empty chunk size", chunked("\r\nhello\r\n0\r\n\r\n"), 400),
        .init("chunk line that ends with LF", chunked("5\nhello\r\n0\r\n\r\n"), 400),
        .init("chunk data without CRLF", chunked("5\r\nhello0\r\n\r\n"), 400),
        .init("chunk data that ends with LF", chunked("5\r\nhello\n0\r\n\r\n"), 400),
        .init("chunk data longer than its size", chunked("4\r\nhello\r\n0\r\n\r\n"), 400),
        .init("space after a chunk size", chunked("5 \r\nhello\r\n0\r\n\r\n"), 400),
        .init("space before a chunk size", chunked(" 5\r\nhello\r\n0\r\n\r\n"), 400),
        .init("CR in a chunk extension", chunked("5;a\rb\r\nhello\r\n0\r\n\r\n"), 400),
        .init("LF in a chunk extension", chunked("5;a\nb\r\nhello\r\n0\r\n\r\n"), 400),
        .init(
            "chunk extension of 300 bytes",
            chunked("5;" + String(repeating: "a", count: 300) + "\r\nhello\r\n0\r\n\r\n"), 400),
        .init("last chunk that ends with LF", chunked("0\n\r\n"), 400),
        .init("trailer without colon", chunked("0\r\nX-A\r\n\r\n"), 400),
        .init("trailer that ends with LF", chunked("0\r\nX-A: 1\n\r\n"), 400),
        .init("folded trailer", chunked("0\r\nX-A: 1\r\n 2\r\n\r\n"), 400),
        .init("trailers of 9 kB", chunked("0\r\nX-A: " + String(repeating: "a", count: 9_000) + "\r\n\r\n"), 400),
        .init(
            "malformed chunk on GET", "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400),
        // Accepted.
        .init("plain request", get, 200, 200),
        .init("two equal Content-Length", post("Content-Length: 5\r\nContent-Length: 5", "hello"), 200, 200),
        .init("Content-Length 5 and 05", post("Content-Length: 5\r\nContent-Length: 05", "hello"), 200, 200),
        .init("Content-Length 0", post("Content-Length: 0"), 200, 200),
        .init("HTTP/1.2", line("GET / HTTP/1.2"), 200, 200),
        .init("absolute target", line("GET http://b.example/a?b HTTP/1.1"), 200, 200),
        .init("absolute target without a path", line("GET HTTP://b.example HTTP/1.1"), 200, 200),
        .init("empty lines before the request line", "\r\n\r\n" + get, 200, 200),
        .init("body on GET", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", 200, 200),
        .init(
            "chunked body on GET",
            "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            200, 200),
        .init("Expect", post("Content-Length: 5\r\nExpect: 100-continue", "hello"), 200, 200),
        .init("Expect without a body", head("Expect: 100-Continue"), 200, 200),
        .init("chunked body", chunked("5\r\nhello\r\nA\r\n0123456789\r\n0\r\n\r\n"), 200, 200),
        .init("chunk extension and trailers", chunked("5 ; a=\"b\"\r\nhello\r\n0\r\nX-A: 1\r\nX-B:\r\n\r\n"), 200, 200),
        .init("chunk size with zeros", chunked("0000000000000005\r\nhello\r\n000\r\n\r\n"), 200, 200),
        .init("upper-case Chunked", post("Transfer-Encoding: Chunked", "5\r\nhello\r\n0\r\n\r\n"), 200, 200),
        .init("value with bytes over 127", head("X-A: \u{E4}\u{FF}"), 200, 200),
        .init("value with tabs around", head("X-A:\t 1 \t"), 200, 200),
        .init("empty value", head("X-A:"), 200, 200),
        .init("100 fields", head([String](repeating: "X-A: 1", count: 99).joined(separator: "\r\n")), 200, 200),
        .init("asterisk with OPTIONS", line("OPTIONS * HTTP/1.1"), 200, 200),
        .init("HTTP/1.0 with keep-alive", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, 200),
        .init("HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", 200, isOpen: false),
        .init("Connection: close", head("Connection: close"), 200, isOpen: false),
        .init(
            "Connection: keep-alive, close", head("Connection: keep-alive", "Connection: x , CLOSE"), 200, isOpen: false
        ),
    ]
}
