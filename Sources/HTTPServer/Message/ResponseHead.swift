/// Renders the head of a response (RFC 9112 §4 to §6).
struct ResponseHead: Sendable {
    /// How the end of the body is marked.
    enum Length: Hashable, Sendable {
        case bytes(Int)
        case chunked
        /// The end of the connection.
        case untilClose
        /// The status has no body and no Content-Length: 204 and 304 (RFC 9110 §8.6).
        case none
    }

    /// Properties of the connection that the head contains.
    enum Persistence: Hashable, Sendable { case http11, keepAlive10, close }

    /// The Server field with its line end; empty for none.
    let server: [UInt8]
    private var date = DateField()
    private let statusLines = StatusLines()

    /// - Parameter serverName: Value of the Server field; nil for no such field.
    init(serverName: String?) {
        var block = FieldBlock()
        if let serverName { block.append(FieldName("Server"), serverName) }
        server = block.bytes
    }

    mutating func updateDate(now: UInt64, wallClock: () -> Int64) { date.update(now: now, wallClock: wallClock) }

    /// Appends a head.
    ///
    /// - Parameters:
    ///   - fields: Field lines that follow those of the server.
    ///   - ownFields: Field lines that follow `fields`.
    func append(
        status: Int, _ fields: FieldBlock, _ ownFields: FieldBlock, _ length: Length, _ persistence: Persistence,
        to bytes: inout [UInt8]
    ) {
        bytes.append(contentsOf: statusLines[status])
        bytes.append(contentsOf: date.bytes)
        bytes.append(contentsOf: server)
        bytes.append(contentsOf: fields.bytes)
        bytes.append(contentsOf: ownFields.bytes)
        switch length {
        case .bytes(let count):
            bytes.append("Content-Length: ")
            bytes.append(decimal: count)
            bytes.append("\r\n")
        case .chunked: bytes.append("Transfer-Encoding: chunked\r\n")
        case .untilClose, .none: break
        }
        switch persistence {
        case .http11: bytes.append("\r\n")
        case .keepAlive10: bytes.append("Connection: keep-alive\r\n\r\n")
        case .close: bytes.append("Connection: close\r\n\r\n")
        }
    }
}

/// The status lines of all statuses.
private struct StatusLines: Sendable {
    private let lines: [[UInt8]]

    init() {
        lines = (200..<600).map { status in
            Array("HTTP/1.1 \(status) \(Self.reasons[status] ?? "")\r\n".utf8)
        }
    }

    /// The line of a status, or of 500 for a number outside of 200...599.
    subscript(status: Int) -> [UInt8] { lines[(200..<600).contains(status) ? status - 200 : 300] }

    private static let reasons = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
        403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout",
        409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
        421: "Misdirected Request", 422: "Unprocessable Content", 426: "Upgrade Required", 428: "Precondition Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        505: "HTTP Version Not Supported",
    ]
}
