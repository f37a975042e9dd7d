/// Header fields of a response in their wire form, `Name: value` and CRLF for each field.
///
/// A block is rendered once for a result and sent with every response of it: appending one field costs about 0.1 us,
/// sending a block costs one copy.
package struct FieldBlock: Hashable, Sendable {
    private(set) var bytes: [UInt8] = []

    /// An empty block.
    package init() {}

    /// Length in bytes.
    package var byteCount: Int { bytes.count }

    /// Reserves memory for further fields.
    package mutating func reserveCapacity(_ byteCount: Int) { bytes.reserveCapacity(byteCount) }

    /// Appends a field.
    ///
    /// Control bytes of the value, CR and LF among them, are replaced by spaces, so that a value cannot end its field.
    ///
    /// - Parameters:
    ///   - name: Not Connection, Content-Length, Date, Transfer-Encoding or the Server field of the configuration: the
    ///     server sends these.
    ///   - value: Sent as UTF-8.
    package mutating func append(_ name: FieldName, _ value: String) {
        name.append(to: &bytes)
        bytes.append(.colon)
        bytes.append(.space)
        for byte in value.utf8 { bytes.append(byte.isControl ? .space : byte) }
        bytes.append(.carriageReturn)
        bytes.append(.lineFeed)
    }

    /// Appends a field with a number.
    package mutating func append(_ name: FieldName, _ value: Int) {
        name.append(to: &bytes)
        bytes.append(.colon)
        bytes.append(.space)
        bytes.append(decimal: value)
        bytes.append(.carriageReturn)
        bytes.append(.lineFeed)
    }

    /// Appends a field with a number in 16 hexadecimal digits.
    package mutating func append(_ name: FieldName, hexadecimal value: UInt64) {
        bytes.reserveCapacity(bytes.count + name.byteCount + 20)
        name.append(to: &bytes)
        bytes.append(.colon)
        bytes.append(.space)
        for shift in stride(from: 60, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: (value >> UInt64(shift)) & 15)
            bytes.append(digit < 10 ? digit &+ 0x30 : digit &+ 0x57)
        }
        bytes.append(.carriageReturn)
        bytes.append(.lineFeed)
    }

    /// Appends the fields of another block.
    package mutating func append(_ other: FieldBlock) { bytes.append(contentsOf: other.bytes) }
}

extension [UInt8] {
    /// Appends a number in decimal digits.
    mutating func append(decimal value: Int) {
        guard value >= 0 else {
            append(contentsOf: String(value).utf8)
            return
        }
        var divisor = 1
        while value / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(truncatingIfNeeded: value / divisor % 10) + 0x30)
            divisor /= 10
        }
    }

    /// Appends a constant text.
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe append(contentsOf: $0) }
    }
}
