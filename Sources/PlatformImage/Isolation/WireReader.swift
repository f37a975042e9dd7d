/// A message that does not have the form of the protocol.
struct WireError: Error {}

/// Reads the values of one message, which may be hostile: every number is checked before its use.
///
/// The message is a copy in the memory of this process, so its bytes do not change between a check and a use.
struct WireReader {
    private let bytes: [UInt8]
    private var cursor: ByteCursor

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        cursor = ByteCursor(bytes.span)
    }

    mutating func readUInt64() throws(WireError) -> UInt64 {
        let bytes = bytes
        guard let value = cursor.word(8, .little, bytes.span) else { throw WireError() }
        return value
    }

    mutating func readInt() throws(WireError) -> Int { Int(truncatingIfNeeded: try readUInt64()) }

    /// Reads a number in `range`.
    mutating func readInt(in range: ClosedRange<Int>) throws(WireError) -> Int {
        let value = try readInt()
        guard range.contains(value) else { throw WireError() }
        return value
    }

    mutating func readDouble() throws(WireError) -> Double { Double(bitPattern: try readUInt64()) }

    mutating func readByte() throws(WireError) -> UInt8 {
        let bytes = bytes
        guard let byte = cursor.next(bytes.span) else { throw WireError() }
        return byte
    }

    mutating func readBool() throws(WireError) -> Bool {
        switch try readByte() {
        case 0: false
        case 1: true
        default: throw WireError()
        }
    }

    /// Reads a byte string of at most `maxCount` bytes.
    mutating func readBytes(maxCount: Int) throws(WireError) -> [UInt8] {
        guard let range = cursor.take(FileNumber(try readInt(in: 0...max(0, maxCount)))) else { throw WireError() }
        return bytes.span.copy(range)
    }

    /// Reads at most `maxCount` bytes of valid UTF-8.
    mutating func readString(maxCount: Int = 1024) throws(WireError) -> String {
        guard let text = String(validating: try readBytes(maxCount: maxCount), as: UTF8.self) else { throw WireError() }
        return text
    }

    /// Reads a text for logs and errors: valid UTF-8 without control characters.
    mutating func readText(maxCount: Int = 1024) throws(WireError) -> String {
        let text = try readString(maxCount: maxCount)
        guard !text.unicodeScalars.contains(where: \.isControl) else { throw WireError() }
        return text
    }

    /// Reads a raw value that `Value` defines.
    mutating func readCase<Value: RawRepresentable<String>>(_: Value.Type) throws(WireError) -> Value {
        guard let value = Value(rawValue: try readText(maxCount: 64)) else { throw WireError() }
        return value
    }

    mutating func readOptional<Value>(
        _ body: (inout WireReader) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        try readBool() ? try body(&self) : nil
    }

    /// Reads at most `maxCount` elements; memory is allocated only for elements that the message contains.
    mutating func readAll<Element>(
        maxCount: Int, _ body: (inout WireReader) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        let count = try readInt(in: 0...max(0, maxCount))
        var elements: [Element] = []
        while elements.count < count { elements.append(try body(&self)) }
        return elements
    }

    mutating func readOptionalInt() throws(WireError) -> Int? {
        try readOptional { (reader) throws(WireError) in try reader.readInt() }
    }

    /// - Throws: When bytes remain that no value used.
    func finish() throws(WireError) {
        guard cursor.isAtEnd else { throw WireError() }
    }
}

extension Unicode.Scalar {
    /// True for the scalars of the general category Cc.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
