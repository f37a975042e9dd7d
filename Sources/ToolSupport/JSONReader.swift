import PlatformImage

/// Parser for one JSON value, strict by RFC 8259: only white space may follow it, member names are unique in an object,
/// text is valid UTF-8, and numbers are stored as their text.
package struct JSONReader {
    /// Syntax error.
    package struct Failure: Error {
        /// Description of the error with its byte offset.
        package let message: String
    }

    /// Maximum nesting depth; each level uses stack.
    package static let maxDepth = 64

    /// Members of the outermost object that were read so far; valid also after an error.
    package private(set) var outerMembers: [(String, JSON)] = []
    private let bytes: [UInt8]
    private var position = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Parses the value; call it once.
    package mutating func document() throws(Failure) -> JSON {
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw failure("text follows the value") }
        return value
    }

    private mutating func value(depth: Int) throws(Failure) -> JSON {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"): return try number()
        case let byte? where byte.isASCIIDigit: return try number()
        case nil: throw failure("unexpected end of text")
        default: throw failure("expected a value")
        }
    }

    private mutating func object(depth: Int) throws(Failure) -> JSON {
        guard depth < Self.maxDepth else { throw failure("more than \(Self.maxDepth) nesting levels") }
        position += 1
        var members: [(String, JSON)] = []
        var names: Set<[UInt8]> = []
        skipSpace()
        if consume("}") { return .object([]) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("expected a member name") }
            let name = try string()
            guard names.insert(Array(name.utf8)).inserted else { throw failure("duplicate member name") }
            skipSpace()
            guard consume(":") else { throw failure("expected a colon") }
            let member = (name, try value(depth: depth + 1))
            members.append(member)
            if depth == 0 { outerMembers.append(member) }
            skipSpace()
            if consume("}") { return .object(members) }
            guard consume(",") else { throw failure("expected a comma or the end of the object") }
        }
    }

    private mutating func array(depth: Int) throws(Failure) -> JSON {
        guard depth < Self.maxDepth else { throw failure("more than \(Self.maxDepth) nesting levels") }
        position += 1
        var values: [JSON] = []
        skipSpace()
        if consume("]") { return .array([]) }
        while true {
            values.append(try value(depth: depth + 1))
            skipSpace()
            if consume("]") { return .array(values) }
            guard consume(",") else { throw failure("expected a comma or the end of the array") }
        }
    }

    private mutating func string() throws(Failure) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw failure("a string is not valid UTF-8")
                }
                return string
            case UInt8(ascii: "\\"):
                position += 1
                text += Array(String(Character(try escaped())).utf8)
            case 0..<0x20:
                throw failure("control character in a string")
            default:
                text.append(byte)
                position += 1
            }
        }
        throw failure("unterminated string")
    }

    private mutating func escaped() throws(Failure) -> Unicode.Scalar {
        guard let byte = next else { throw failure("unterminated string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw failure("invalid escape sequence")
        }
        let unit = try codeUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // A high surrogate (RFC 8259 §7) must be followed by a low surrogate.
        guard unit < 0xDC00, consume("\\"), consume("u") else { throw failure("unpaired surrogate") }
        let low = try codeUnit()
        guard low >= 0xDC00, low < 0xE000,
            let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
        else { throw failure("unpaired surrogate") }
        return scalar
    }

    private mutating func codeUnit() throws(Failure) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = next?.asciiHexValue else {
                throw failure("the escape sequence \\u requires four hexadecimal digits")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    private mutating func number() throws(Failure) -> JSON {
        let start = position
        _ = consume("-")
        if !consume("0") { try digits() }
        if consume(".") { try digits() }
        if consume("e") || consume("E") {
            if !consume("+") { _ = consume("-") }
            try digits()
        }
        return .numeral(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func digits() throws(Failure) {
        let start = position
        while next?.isASCIIDigit == true { position += 1 }
        if position == start { throw failure("number without digits") }
    }

    private mutating func word(_ word: String, _ value: JSON) throws(Failure) -> JSON {
        guard bytes[position...].starts(with: word.utf8) else { throw failure("expected a value") }
        position += word.utf8.count
        return value
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private func failure(_ message: String) -> Failure {
        Failure(message: "invalid JSON: \(message) at byte \(position)")
    }
}

extension JSON {
    /// Value of a member; `nil` when this is not an object, the member is missing or its value is `null`.
    package subscript(name: String) -> JSON? {
        guard case .object(let members) = self, let member = members.first(where: { $0.0 == name })?.1 else {
            return nil
        }
        if case .null = member { return nil }
        return member
    }

    /// The string; `nil` for other values.
    package var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The boolean; `nil` for other values.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The elements of an array; `nil` for other values.
    package var array: [JSON]? { if case .array(let values) = self { values } else { nil } }

    /// The number rounded to a double; `nil` when it overflows, and for other values.
    package var double: Double? {
        switch self {
        case .numeral(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        case .number(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }

    /// The number as an integer; `nil` for fractions, overflow, ``number(_:)`` and values that are not numbers.
    package var integer: Int? {
        switch self {
        case .numeral(let text): Int(text) ?? double.flatMap { Int(exactly: $0) }
        case .integer(let value): value
        default: nil
        }
    }
}
