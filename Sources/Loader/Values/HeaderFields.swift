#if Loader
import PlatformImage

/// One line of a header: a name as it was received and the bytes of its value.
public struct HeaderField: Hashable, Sendable {
    /// As received; names compare without regard to ASCII case.
    public let name: String
    /// Bytes, not text: HTTP lets them be of any encoding (RFC 9110 §5.5). No white space around.
    public let value: [UInt8]

    /// A line with a value of any bytes.
    public init(_ name: String, bytes value: [UInt8]) {
        self.name = name
        self.value = value
    }

    /// A line with the UTF-8 bytes of `value`.
    public init(_ name: String, _ value: String) {
        self.init(name, bytes: Array(value.utf8))
    }

    /// True when `name` is this field's, without regard to ASCII case.
    public func isNamed(_ name: String) -> Bool { self.name.isSame(as: name) { $0.lowercasedASCII } }

    /// The value with each byte as the code point of the same number, for people to read (ISO 8859-1).
    public var text: String { String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) })) }
}

extension HeaderField: CustomStringConvertible {
    /// The line, for people; of credentials the name alone.
    public var description: String {
        "\(name): \(isCredential ? Redaction.mark : text)"
    }

    /// True for what lets somebody in.
    var isCredential: Bool {
        ["Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie"].contains(where: isNamed)
    }

    /// True for a value that no head may hold (RFC 9110 §5.5): one with a control character other than a tab.
    package var hasControlCharacter: Bool { value.contains { $0.isASCIIControl && $0 != 0x09 } }
}

/// The lines of a header in the order in which they came, duplicates included.
public struct HeaderFields: Hashable, Sendable {
    /// The lines.
    public var lines: [HeaderField]

    /// A header of these lines; none by default.
    public init(_ lines: [HeaderField] = []) { self.lines = lines }

    /// The values of all lines of one name, in order; empty when there is none.
    public subscript(lines name: String) -> [[UInt8]] {
        var values: [[UInt8]] = []
        for line in lines where line.isNamed(name) { values.append(line.value) }
        return values
    }

    /// The values of all lines of one name joined with ", " (RFC 9110 §5.3); nil when there is none.
    public subscript(name: String) -> [UInt8]? {
        let values = self[lines: name]
        return values.isEmpty ? nil : Array(values.joined(separator: [0x2C, 0x20]))
    }

    /// True when there is a line of that name.
    public func contains(_ name: String) -> Bool { lines.contains { $0.isNamed(name) } }

    /// Takes out every line of that name.
    public mutating func removeAll(named name: String) { lines.removeAll { $0.isNamed(name) } }

    /// Appends a line.
    public mutating func append(_ name: String, _ value: String) { lines.append(HeaderField(name, value)) }
}

extension HeaderFields: CustomStringConvertible {
    /// All lines as ``HeaderField/description`` has them.
    public var description: String { lines.description }

    /// The names of its lines, in order, in brackets.
    var namesDescription: String { "[\(lines.map(\.name).joined(separator: ", "))]" }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    /// Lines in the order of the literal; a name may come twice.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { HeaderField($0.0, $0.1) })
    }
}

extension String {
    /// True for the same bytes, which `==` is not: it calls the two ways to write an accented letter equal.
    func hasSameBytes(as other: String) -> Bool { isSame(as: other) { $0 } }

    /// Compares bytes of which each is first made what `form` says.
    ///
    /// The bytes of nearly every string lie in a row: in place they are compared ten times faster than by an iterator.
    @inline(__always)
    fileprivate func isSame(as other: String, _ form: (UInt8) -> UInt8) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isSame = utf8.withContiguousStorageIfAvailable { a in
            other.utf8.withContiguousStorageIfAvailable { b in
                for index in 0..<a.count where a[index] != b[index] && form(a[index]) != form(b[index]) { return false }
                return true
            }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8) { form($0) == form($1) }
    }
}

extension HeaderField: CustomReflectable {
    /// Has no children: ``description`` says what may be shown.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HeaderFields: CustomReflectable {
    /// Has no children: ``description`` says what may be shown.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
