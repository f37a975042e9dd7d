import PlatformImage

/// One header field line: the name as received and the bytes of the value.
public struct HeaderField: Hashable, Sendable {
    /// The name as received; names compare case-insensitively (ASCII).
    public let name: String
    /// The value as bytes, because HTTP permits any encoding (RFC 9110 §5.5); no surrounding white space.
    public let value: [UInt8]

    /// Creates a line from a value of any bytes.
    public init(_ name: String, bytes value: [UInt8]) {
        self.name = name
        self.value = value
    }

    /// Creates a line from the UTF-8 bytes of `value`.
    public init(_ name: String, _ value: String) {
        self.init(name, bytes: Array(value.utf8))
    }

    /// Returns true when the field has this name, compared case-insensitively (ASCII).
    public func isNamed(_ name: String) -> Bool { self.name.isSame(as: name) { $0.lowercasedASCII } }

    /// The value decoded as ISO 8859-1, for display.
    public var text: String { String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) })) }
}

extension HeaderField: CustomStringConvertible {
    /// The line for display; the value of a credential is masked.
    public var description: String {
        "\(name): \(isCredential ? Redaction.mask : text)"
    }

    /// True for fields that contain credentials.
    var isCredential: Bool {
        ["Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie"].contains(where: isNamed)
    }

    /// True for a value with a control character other than tab, which is invalid (RFC 9110 §5.5).
    package var hasControlCharacter: Bool { value.contains { $0.isASCIIControl && $0 != 0x09 } }
}

/// Header field lines in received order, including duplicates.
public struct HeaderFields: Hashable, Sendable {
    /// The lines.
    public var lines: [HeaderField]

    /// Creates a header from lines; without an argument it is empty.
    public init(_ lines: [HeaderField] = []) { self.lines = lines }

    /// The values of all lines with a name, in order; empty when there is none.
    public subscript(lines name: String) -> [[UInt8]] {
        var values: [[UInt8]] = []
        for line in lines where line.isNamed(name) { values.append(line.value) }
        return values
    }

    /// The values of all lines with a name, joined with ", " (RFC 9110 §5.3); nil when there is none.
    public subscript(name: String) -> [UInt8]? {
        let values = self[lines: name]
        return values.isEmpty ? nil : Array(values.joined(separator: [0x2C, 0x20]))
    }

    /// Returns true when at least one line has this name.
    public func contains(_ name: String) -> Bool { lines.contains { $0.isNamed(name) } }

    /// Removes every line with this name.
    public mutating func removeAll(named name: String) { lines.removeAll { $0.isNamed(name) } }

    /// Appends a line.
    public mutating func append(_ name: String, _ value: String) { lines.append(HeaderField(name, value)) }
}

extension HeaderFields: CustomStringConvertible {
    /// All lines, formatted as in ``HeaderField/description``.
    public var description: String { lines.description }

    /// The names of the lines, in order, in brackets.
    var namesDescription: String { "[\(lines.map(\.name).joined(separator: ", "))]" }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    /// Creates lines in the order of the literal; a name may occur several times.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { HeaderField($0.0, $0.1) })
    }
}

extension String {
    /// Returns true for identical bytes; `==` also treats canonically equivalent strings as equal.
    func hasSameBytes(as other: String) -> Bool { isSame(as: other) { $0 } }

    /// Compares the UTF-8 bytes of both strings after `form` was applied to each byte.
    ///
    /// Nearly all strings have contiguous UTF-8 storage. A loop over that storage is ten times faster than an iterator.
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
    /// A mirror without children, so that `dump` shows only the description, in which credentials are masked.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HeaderFields: CustomReflectable {
    /// A mirror without children, so that `dump` shows only the description, in which credentials are masked.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
