/// Incremental parser of request heads (RFC 9112 §2 to §6).
///
/// It is called with all bytes of a message from its start, and continues at the first byte that it has not seen. Bytes
/// that no head can contain are rejected where they are, the syntax of a line at its end, and missing fields at the end
/// of the head, so the result does not depend on how the bytes were split.
struct RequestParser: Sendable {
    private enum Part { case requestLine, fields }

    private var part = Part.requestLine
    private var position = 0
    private var lineStart = 0
    private var emptyLines = 0
    private var fieldSectionStart = 0
    private var fields: [FieldRange] = []
    private var facts = RequestHead.Facts()
    private var contentLength: Int?
    private var isChunked = false
    /// `close` has precedence over `keep-alive` (RFC 9112 §9.3).
    private var hasClose = false

    /// Parses the next bytes.
    ///
    /// - Parameter bytes: All bytes of the message so far, and possibly bytes after its head.
    /// - Returns: The length of the head; nil when more bytes are needed.
    mutating func parse(_ bytes: Span<UInt8>, _ limits: MessageLimits) throws(RequestRejection) -> Int? {
        while true {
            guard let lineEnd = try findLineEnd(bytes, limits) else { return nil }
            let line = lineStart..<lineEnd
            position = lineEnd + 2
            lineStart = position
            if part == .fields {
                if line.isEmpty {
                    try finish()
                    return position
                }
                try parseField(bytes, line, limits)
            } else if line.isEmpty {
                emptyLines += 1
                guard emptyLines <= MessageLimits.emptyLines else {
                    throw RequestRejection(.emptyLines, "more than 8 empty lines precede the request line")
                }
            } else {
                try parseRequestLine(bytes, line, limits)
                part = .fields
                fieldSectionStart = position
            }
        }
    }

    /// Returns the parsed head and prepares for the next one.
    ///
    /// - Parameter bytes: The bytes of the head.
    mutating func take(_ bytes: Span<UInt8>) -> RequestHead {
        let head = RequestHead(bytes: bytes.array, fields: fields, facts: facts)
        self = RequestParser()
        return head
    }

    /// The method and the target of a request that is refused; nil if its request line is malformed or
    /// has another version than HTTP/1.
    ///
    /// The method is nil if the server does not know it. Of a target that is too long, the result contains the first
    /// bytes.
    func requestLine(
        _ bytes: Span<UInt8>, refusedFor reason: RequestRejection, _ limits: MessageLimits
    ) -> (method: RequestMethod?, target: String)? {
        if part == .fields {
            let target = bytes.extracting(facts.target.path).array
            return (facts.method, String(decoding: target, as: UTF8.self))
        }
        // Empty lines of two bytes precede the request line.
        let start = 2 * emptyLines
        var index = start
        while index < bytes.count, bytes[index].isTokenByte { index += 1 }
        let method = RequestMethod(bytes, start..<index)
        // After an unknown method of any length, the beginning of a long target may not be complete.
        guard reason.rule == .method || reason.rule == .targetLength && method != nil else { return nil }
        let targetStart = min(index + 1, bytes.count)
        let end = min(targetStart + limits.targetBytes, bytes.count)
        index = targetStart
        while index < end, bytes[index].isTargetByte { index += 1 }
        return (method, String(decoding: bytes.extracting(targetStart..<index).array, as: UTF8.self))
    }

    /// Returns the position of the CR of the next line end; nil when more bytes are needed.
    private mutating func findLineEnd(_ bytes: Span<UInt8>, _ limits: MessageLimits) throws(RequestRejection) -> Int? {
        let maxEnd: Int
        if part == .requestLine {
            maxEnd = lineStart + limits.targetBytes + MessageLimits.requestLineBytes
        } else {
            maxEnd = fieldSectionStart + limits.fieldBytes - 2
        }
        let end = min(bytes.count, maxEnd + 1)
        var index = position
        while index < end {
            let byte = bytes[index]
            if byte >= 0x20 && byte != 0x7F {
                index += 1
            } else if byte == .tab {
                guard part == .fields else { throw Self.malformedRequestLine }
                index += 1
            } else if byte == .carriageReturn {
                position = index
                guard index + 1 < bytes.count else { return nil }
                guard bytes[index + 1] == .lineFeed else {
                    throw RequestRejection(.lineEnd, "a CR is not followed by LF")
                }
                return index
            } else if byte == .lineFeed {
                throw RequestRejection(.lineEnd, "a line ends with LF instead of CRLF")
            } else {
                throw RequestRejection(.controlByte, "the head contains a control byte")
            }
        }
        position = index
        if index > maxEnd {
            if part == .fields { throw Self.tooManyFields }
            throw Self.targetTooLong
        }
        return nil
    }

    // MARK: - Request line

    private static var malformedRequestLine: RequestRejection {
        RequestRejection(.requestLine, "the request line is not METHOD SP TARGET SP VERSION")
    }

    private static var targetTooLong: RequestRejection {
        RequestRejection(.targetLength, status: 414, "the request target is too long")
    }

    private static var tooManyFields: RequestRejection {
        RequestRejection(.fieldSection, status: 431, "the header fields are too large or too many")
    }

    private mutating func parseRequestLine(
        _ bytes: Span<UInt8>, _ line: Range<Int>, _ limits: MessageLimits
    ) throws(RequestRejection) {
        var index = line.lowerBound
        while index < line.upperBound, bytes[index].isTokenByte { index += 1 }
        let method = line.lowerBound..<index
        guard !method.isEmpty, index < line.upperBound, bytes[index] == .space else { throw Self.malformedRequestLine }
        index += 1
        let targetStart = index
        while index < line.upperBound, bytes[index].isTargetByte { index += 1 }
        let target = targetStart..<index
        guard index < line.upperBound, bytes[index] == .space else {
            if index < line.upperBound {
                throw RequestRejection(.controlByte, "the request target contains a byte that must be encoded")
            }
            throw Self.malformedRequestLine
        }
        guard !target.isEmpty else { throw Self.malformedRequestLine }
        guard target.count <= limits.targetBytes else { throw Self.targetTooLong }
        try parseVersion(bytes, index + 1..<line.upperBound)
        guard let known = RequestMethod(bytes, method) else {
            throw RequestRejection(.method, status: 405, "the method is not supported")
        }
        facts.method = known
        facts.target = try RequestTarget(bytes, target, method: known)
    }

    private mutating func parseVersion(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(RequestRejection) {
        let start = range.lowerBound
        guard range.count == 8, bytes.equals(start..<start + 5, "HTTP/"), bytes[start + 5].isDigit,
            bytes[start + 6] == UInt8(ascii: "."), bytes[start + 7].isDigit, bytes[start + 5] != UInt8(ascii: "0")
        else { throw RequestRejection(.version, "the version is not HTTP/1.0 or HTTP/1.1") }
        guard bytes[start + 5] == UInt8(ascii: "1") else {
            throw RequestRejection(.version, status: 505, "the server supports HTTP/1.1 only")
        }
        // A higher minor version is compatible (RFC 9110 §2.5).
        facts.minorVersion = bytes[start + 7] == UInt8(ascii: "0") ? 0 : 1
        facts.keepsAlive = facts.minorVersion == 1
    }

    // MARK: - Fields

    private mutating func parseField(
        _ bytes: Span<UInt8>, _ line: Range<Int>, _ limits: MessageLimits
    ) throws(RequestRejection) {
        var index = line.lowerBound
        while index < line.upperBound, bytes[index].isTokenByte { index += 1 }
        let name = line.lowerBound..<index
        guard !name.isEmpty, index < line.upperBound, bytes[index] == .colon else {
            throw RequestRejection(.fieldLine, "a field line is not NAME: VALUE")
        }
        var start = index + 1
        var end = line.upperBound
        while start < end, bytes[start].isBlank { start += 1 }
        while end > start, bytes[end - 1].isBlank { end -= 1 }
        guard fields.count < limits.fields else { throw Self.tooManyFields }
        if fields.isEmpty { fields.reserveCapacity(16) }
        let value = start..<end
        fields.append(FieldRange(name: name, value: value))
        switch name.count {
        case 4 where bytes.matches(name, "host"): try parseHost(bytes, value)
        case 6 where bytes.matches(name, "expect"): try parseExpect(bytes, value)
        case 10 where bytes.matches(name, "connection"): parseConnection(bytes, value)
        case 14 where bytes.matches(name, "content-length"): try parseContentLength(bytes, value)
        case 17 where bytes.matches(name, "transfer-encoding"): try parseTransferEncoding(bytes, value)
        default: break
        }
    }

    private mutating func parseHost(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(RequestRejection) {
        guard facts.host == nil, HostField.isValid(bytes, value) else { throw Self.invalidHost }
        facts.host = value
    }

    private static var invalidHost: RequestRejection {
        RequestRejection(.host, "the request must have exactly one valid Host field")
    }

    private mutating func parseExpect(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(RequestRejection) {
        // HTTP/1.0 clients cannot receive an interim response (RFC 9110 §10.1.1).
        guard facts.minorVersion == 1 else { return }
        guard bytes.matches(value, "100-continue") else {
            throw RequestRejection(.expect, status: 417, "the only supported expectation is 100-continue")
        }
        facts.expectsContinue = true
    }

    private mutating func parseConnection(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        var index = value.lowerBound
        while index < value.upperBound {
            var end = index
            while end < value.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
            var option = index..<end
            while !option.isEmpty, bytes[option.lowerBound].isBlank { option = option.lowerBound + 1..<end }
            var last = option.upperBound
            while last > option.lowerBound, bytes[last - 1].isBlank { last -= 1 }
            option = option.lowerBound..<last
            if bytes.matches(option, "close") {
                hasClose = true
            } else if bytes.matches(option, "keep-alive") {
                facts.keepsAlive = true
            }
            index = end + 1
        }
    }

    private mutating func parseContentLength(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(RequestRejection) {
        guard !value.isEmpty, value.count <= 18 else { throw Self.invalidContentLength }
        var length = 0
        for index in value {
            guard bytes[index].isDigit else { throw Self.invalidContentLength }
            length = length * 10 + Int(bytes[index] - 0x30)
        }
        guard contentLength ?? length == length else { throw Self.invalidContentLength }
        contentLength = length
    }

    private static var invalidContentLength: RequestRejection {
        RequestRejection(.contentLength, "Content-Length is not one number of at most 18 digits")
    }

    private mutating func parseTransferEncoding(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(RequestRejection) {
        guard facts.minorVersion == 1, !isChunked, bytes.matches(value, "chunked") else {
            throw RequestRejection(.transferEncoding, "the only supported transfer coding is chunked, once")
        }
        isChunked = true
    }

    private mutating func finish() throws(RequestRejection) {
        guard facts.host != nil || facts.minorVersion == 0 else { throw Self.invalidHost }
        guard !isChunked || contentLength == nil else {
            throw RequestRejection(.framing, "the request has both Content-Length and Transfer-Encoding")
        }
        if isChunked {
            facts.framing = .chunked
        } else if let contentLength, contentLength > 0 {
            facts.framing = .length(contentLength)
        }
        if hasClose { facts.keepsAlive = false }
        if facts.framing == .none { facts.expectsContinue = false }
    }
}
