/// The positions of a field in the bytes of a head.
struct FieldRange: Hashable, Sendable {
    private var nameStart: UInt32
    private var nameEnd: UInt32
    private var valueStart: UInt32
    private var valueEnd: UInt32

    /// - Parameters: Positions below 2^32; a head is at most a few megabytes long.
    init(name: Range<Int>, value: Range<Int>) {
        nameStart = UInt32(truncatingIfNeeded: name.lowerBound)
        nameEnd = UInt32(truncatingIfNeeded: name.upperBound)
        valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
        valueEnd = UInt32(truncatingIfNeeded: value.upperBound)
    }

    var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
}

/// How the body of a request is delimited (RFC 9112 §6.3).
package enum BodyFraming: Hashable, Sendable {
    /// The request has no body: its Content-Length is missing or 0, and it is not chunked.
    case none
    /// Bytes of the body, at least 1.
    case length(Int)
    /// The body has the chunked transfer coding.
    case chunked
}

/// The request line and the fields of a request that follows the rules of Docs/http-server.md.
package struct RequestHead: Hashable, Sendable {
    let bytes: [UInt8]
    let fields: [FieldRange]
    let facts: Facts

    /// What the parser finds out about a request.
    struct Facts: Hashable, Sendable {
        var method = RequestMethod.get
        /// 0 for HTTP/1.0, otherwise 1.
        var minorVersion = 1
        var target = RequestTarget()
        var host: Range<Int>?
        var framing = BodyFraming.none
        var expectsContinue = false
        /// False when the client does not want to send another request on the connection.
        var keepsAlive = true
    }

    /// A head without bytes.
    static let empty = RequestHead(bytes: [], fields: [], facts: Facts())

    /// The method.
    package var method: RequestMethod { facts.method }
    /// True for HTTP/1.0.
    package var isHTTP10: Bool { facts.minorVersion == 0 }
    /// How the body is delimited.
    package var framing: BodyFraming { facts.framing }
    /// Number of field lines.
    package var fieldCount: Int { fields.count }

    /// Path and query as sent; of an absolute target, those after the host, beginning with `/`. `*` is possible with
    /// OPTIONS only. All bytes are visible ASCII.
    package var target: String {
        let text = String(decoding: bytes[facts.target.path], as: UTF8.self)
        return facts.target.needsSlash ? "/" + text : text
    }

    /// The bytes of ``target``.
    package var targetBytes: [UInt8] {
        facts.target.needsSlash ? [UInt8(ascii: "/")] + bytes[facts.target.path] : Array(bytes[facts.target.path])
    }

    /// Host and port, a valid `host` or `host:port`: those of an absolute target, otherwise the Host field. Nil only
    /// for an HTTP/1.0 request without either.
    package var authority: String? {
        (facts.target.authority ?? facts.host).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// The value of a field; values of several lines with this name are joined by `, ` (RFC 9110 §5.3). Nil when the
    /// request has no such field.
    package subscript(name: FieldName) -> String? {
        var result: String?
        let span = bytes.span
        for field in fields where name.matches(span, field.name) {
            let value = String(decoding: bytes[field.value], as: UTF8.self)
            result = result.map { $0 + ", " + value } ?? value
        }
        return result
    }

    /// True if the request has a field.
    package func contains(_ name: FieldName) -> Bool {
        let span = bytes.span
        return fields.contains { name.matches(span, $0.name) }
    }

    /// True if the request has a field in exactly one line, with this value.
    package func hasSingle(_ name: FieldName, equalTo value: [UInt8]) -> Bool {
        let span = bytes.span
        var isFound = false
        for field in fields where name.matches(span, field.name) {
            guard !isFound, bytes[field.value].elementsEqual(value) else { return false }
            isFound = true
        }
        return isFound
    }

    /// The values of all lines with a name, in their order.
    package func values(of name: FieldName) -> [String] {
        let span = bytes.span
        var values: [String] = []
        for field in fields where name.matches(span, field.name) {
            values.append(String(decoding: bytes[field.value], as: UTF8.self))
        }
        return values
    }

    /// All fields in their order. Bytes that are not UTF-8 are replaced by U+FFFD.
    package var allFields: [(name: String, value: String)] {
        fields.map {
            (String(decoding: bytes[$0.name], as: UTF8.self), String(decoding: bytes[$0.value], as: UTF8.self))
        }
    }
}
