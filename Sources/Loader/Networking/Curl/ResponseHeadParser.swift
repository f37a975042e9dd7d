internal import PlatformImage

/// A violation of HTTP's message syntax or of a limit.
struct MessageViolation: Error, Equatable {
    let reason: LoadError.TransportReason
    /// One line of English for a log, without bytes of the message.
    let message: String

    init(_ reason: LoadError.TransportReason, _ message: String) {
        self.reason = reason
        self.message = message
    }
}

/// The end of a body (RFC 9112 §6.3, RFC 9113 §8.1).
enum BodyFraming: Equatable, Sendable {
    /// There is no body: a response to HEAD, or status 204 or 304.
    case none
    /// Content-Length; the number of bytes.
    case length(Int64)
    /// The chunked transfer coding.
    case chunked
    /// The end of the connection; over HTTP/2 the end of the stream.
    case untilClose
}

/// A valid response head whose fields are not objects yet: the task that waits for the head creates them, so that their
/// memory is allocated and released by the same thread.
struct ReceivedHead: Sendable {
    let status: Int
    /// The name and the value of each field, each followed by a NUL, which neither can contain.
    fileprivate let text: [UInt8]

    /// The head.
    var head: ResponseHead {
        var fields: [HeaderField] = []
        fields.reserveCapacity(16)
        text.withUnsafeBufferPointer { text in
            var start = 0
            while let nameEnd = text[start...].firstIndex(of: 0),
                let valueEnd = text[(nameEnd + 1)...].firstIndex(of: 0)
            {
                let name = String(decoding: UnsafeBufferPointer(rebasing: text[start..<nameEnd]), as: UTF8.self)
                fields.append(HeaderField(name, bytes: Array(text[(nameEnd + 1)..<valueEnd])))
                start = valueEnd + 1
            }
        }
        return ResponseHead(status: status, fields: HeaderFields(fields))
    }
}

/// Parses the heads of one response line by line, strictly by RFC 9112.
///
/// libcurl accepts line ends without CR, white space before a colon, empty names, two values of Content-Length, and
/// heads that end in the middle. Each of these has been used to make two programs disagree about the end of a message.
/// A folded line continues the field before it, unless that field defines the end of the message.
struct ResponseHeadParser {
    /// Limits of the heads of one response.
    struct Limits: Equatable, Sendable {
        /// Maximum bytes of all heads and trailers, including the line ends.
        var bytes = 131_072
        /// Maximum number of lines of all heads and trailers.
        var lines = 1_000
        /// Maximum number of interim heads.
        var interimHeads = 32
    }

    /// The position in the message.
    private enum Stage {
        case statusLine, fields, complete
    }

    private let limits: Limits
    private let isResponseToHead: Bool
    /// True if only HTTP/1 was offered to the server.
    private let isHTTP1: Bool
    private var stage = Stage.statusLine
    private var status = 0
    /// ``ReceivedHead/text`` of the current head.
    private var text: [UInt8] = []
    private var length: Int64?
    private var transferCoding: TransferCoding?
    private var interimHeads = 0
    /// True when the next line may continue the last field: not before the first field, and not after one that defines
    /// the end of the message, which programs could read in two ways.
    private var mayBeFolded = false

    private enum TransferCoding {
        case chunked, identity
    }

    /// Bytes of all lines so far.
    private(set) var byteCount = 0
    private var lineCount = 0
    /// True when the response has the version HTTP/2.
    private(set) var isHTTP2 = false
    /// The end of the body; set with the final head.
    private(set) var framing = BodyFraming.none

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - isResponseToHead: True if the method of the request is HEAD.
    ///   - isHTTP1: True rejects a status line with another version than 1.0 and 1.1.
    init(limits: Limits = Limits(), isResponseToHead: Bool = false, isHTTP1: Bool = true) {
        self.limits = limits
        self.isResponseToHead = isResponseToHead
        self.isHTTP1 = isHTTP1
    }

    /// True after the final head.
    var isComplete: Bool {
        if case .complete = stage { true } else { false }
    }

    /// Parses one line with its line end. Returns the final head with its last line; nil for all other lines.
    ///
    /// Lines after the final head are trailers; they are checked and discarded.
    mutating func parse(_ line: UnsafeBufferPointer<UInt8>) throws(MessageViolation) -> ReceivedHead? {
        byteCount += line.count
        lineCount += 1
        guard byteCount <= limits.bytes else {
            throw MessageViolation(.headTooLarge, "the response head is larger than \(limits.bytes) bytes")
        }
        guard lineCount <= limits.lines else {
            throw MessageViolation(.headTooLarge, "the response head has more than \(limits.lines) lines")
        }
        guard line.count >= 2, line[line.count - 1] == 0x0A, line[line.count - 2] == 0x0D else {
            throw MessageViolation(.invalidHead, "a line of the response head does not end with CRLF")
        }
        let content = UnsafeBufferPointer(rebasing: line[..<(line.count - 2)])
        switch stage {
        case .statusLine:
            try parseStatusLine(content)
            stage = .fields
        case .fields where content.isEmpty:
            return try endHead()
        case .fields where content[0].isASCIIBlank:
            try append(fold: content)
        case .fields:
            let field = try Self.split(content)
            mayBeFolded = try !parseFraming(field)
            if text.isEmpty { text.reserveCapacity(512) }
            text.append(contentsOf: field.name)
            text.append(0)
            text.append(contentsOf: field.value)
            text.append(0)
        case .complete:
            if !content.isEmpty { _ = try Self.split(content) }
        }
        return nil
    }

    private mutating func parseStatusLine(_ line: UnsafeBufferPointer<UInt8>) throws(MessageViolation) {
        let invalid = MessageViolation(.invalidHead, "the response does not begin with a valid HTTP status line")
        // libcurl writes "HTTP/2 200" for a response over HTTP/2, whose fields it has decoded and checked.
        isHTTP2 = !isHTTP1 && Self.starts(line, with: "HTTP/2 ")
        let isHTTP1Line = Self.starts(line, with: "HTTP/1.1 ") || Self.starts(line, with: "HTTP/1.0 ")
        guard isHTTP2 || isHTTP1Line else { throw invalid }
        let digits = isHTTP2 ? 7 : 9
        guard line.count >= digits + 3, line[digits] != UInt8(ascii: "0") else { throw invalid }
        status = 0
        for index in digits..<(digits + 3) {
            guard line[index].isASCIIDigit else { throw invalid }
            status = status * 10 + Int(line[index] - UInt8(ascii: "0"))
        }
        // The space before an empty reason phrase is often missing.
        let rest = line[(digits + 3)...]
        guard rest.first ?? 0x20 == 0x20, rest.allSatisfy({ $0 == 0x09 || !$0.isASCIIControl }) else { throw invalid }
    }

    private typealias Field = (name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>)

    /// Splits a field line; the value has no surrounding white space.
    private static func split(_ line: UnsafeBufferPointer<UInt8>) throws(MessageViolation) -> Field {
        // A static property is looked up at each use.
        let tokenBytes = tokenBytes
        var colon = 0
        while colon < line.count, tokenBytes.contains(line[colon]) { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else {
            throw MessageViolation(.invalidHead, "a line of the response head is not a field with a valid name")
        }
        var (start, end) = (colon + 1, line.count)
        while start < end, line[start].isASCIIBlank { start += 1 }
        while end > start, line[end - 1].isASCIIBlank { end -= 1 }
        let value = UnsafeBufferPointer(rebasing: line[start..<end])
        guard value.allSatisfy({ $0 == 0x09 || !$0.isASCIIControl }) else {
            throw MessageViolation(.invalidHead, "a field of the response head contains a control character")
        }
        return (UnsafeBufferPointer(rebasing: line[..<colon]), value)
    }

    /// Appends a continuation line of the last field; a space replaces the line end (RFC 9112 §5.2).
    private mutating func append(fold line: UnsafeBufferPointer<UInt8>) throws(MessageViolation) {
        guard mayBeFolded else {
            throw MessageViolation(.invalidHead, "a line of the response head is not a field with a valid name")
        }
        guard line.allSatisfy({ $0 == 0x09 || !$0.isASCIIControl }) else {
            throw MessageViolation(.invalidHead, "a field of the response head contains a control character")
        }
        var (start, end) = (0, line.count)
        while start < end, line[start].isASCIIBlank { start += 1 }
        while end > start, line[end - 1].isASCIIBlank { end -= 1 }
        guard start < end else { return }
        // Replaces the NUL after the value; an empty value needs no space.
        text.removeLast()
        if text.last != 0 { text.append(0x20) }
        text.append(contentsOf: line[start..<end])
        text.append(0)
    }

    /// Reads a field that defines the end of the message; false for another field.
    private mutating func parseFraming(_ field: Field) throws(MessageViolation) -> Bool {
        if Self.isSame(field.name, "content-length") {
            guard length == nil, let number = Self.length(field.value) else {
                throw MessageViolation(.invalidFraming, "Content-Length is not one decimal number")
            }
            length = number
            return true
        } else if Self.isSame(field.name, "transfer-encoding") {
            let coding = String(decoding: field.value, as: UTF8.self).lowercased()
            guard transferCoding == nil, !isHTTP2, coding == "chunked" || coding == "identity" else {
                throw MessageViolation(.invalidFraming, "Transfer-Encoding is not chunked")
            }
            transferCoding = coding == "chunked" ? .chunked : .identity
            return true
        }
        return false
    }

    /// Returns a number of 1 to 18 decimal digits, which fits an `Int64`; nil for anything else.
    private static func length(_ value: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard (1...18).contains(value.count), value.allSatisfy(\.isASCIIDigit) else { return nil }
        return value.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    private mutating func endHead() throws(MessageViolation) -> ReceivedHead? {
        guard status != 101 else {
            throw MessageViolation(.unexpectedUpgrade, "the server switched to another protocol without being asked")
        }
        guard length == nil || transferCoding == nil else {
            throw MessageViolation(.invalidFraming, "the response has both Content-Length and Transfer-Encoding")
        }
        guard status >= 200 else {
            interimHeads += 1
            guard interimHeads <= limits.interimHeads else {
                throw MessageViolation(
                    .tooManyHeads, "the response has more than \(limits.interimHeads) interim responses")
            }
            (stage, length, transferCoding, mayBeFolded) = (.statusLine, nil, nil, false)
            text.removeAll(keepingCapacity: true)
            return nil
        }
        stage = .complete
        if isResponseToHead || status == 204 || status == 304 {
            framing = .none
        } else if let length {
            framing = .length(length)
        } else {
            framing = transferCoding == .chunked ? .chunked : .untilClose
        }
        var complete: [UInt8] = []
        swap(&complete, &text)
        return ReceivedHead(status: status, text: complete)
    }

    /// The bytes of a token (RFC 9110 §5.6.2).
    static let tokenBytes = ASCIISet.alphanumerics.union("!#$%&'*+-.^_`|~")

    /// Returns true if the bytes are `text` in any case; `text` is in lower case.
    private static func isSame(_ bytes: UnsafeBufferPointer<UInt8>, _ text: StaticString) -> Bool {
        bytes.count == text.utf8CodeUnitCount
            && text.withUTF8Buffer { text in text.indices.allSatisfy { bytes[$0].lowercasedASCII == text[$0] } }
    }

    private static func starts(_ line: UnsafeBufferPointer<UInt8>, with text: StaticString) -> Bool {
        text.utf8CodeUnitCount <= line.count
            && text.withUTF8Buffer { text in text.indices.allSatisfy { text[$0] == line[$0] } }
    }
}
