#if Service
extension Sequence<UInt8> {
    /// The bytes as text in which letters, digits and the bytes of `plain` stand for themselves and all others are
    /// escaped.
    func percentEncoded(keeping plain: StaticString) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(underestimatedCount)
        for byte in self {
            if byte.isAlphanumeric || plain.contains(byte) {
                encoded.append(byte)
            } else {
                encoded.append(percentEscaped: byte)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

extension StaticString {
    /// True when one of the bytes is that one.
    func contains(_ byte: UInt8) -> Bool { withUTF8Buffer { $0.contains(byte) } }
}

extension [UInt8] {
    /// Appends `%` and two upper-case digits.
    mutating func append(percentEscaped byte: UInt8) {
        append(UInt8(ascii: "%"))
        append(Hexadecimal.digit(byte >> 4, ten: UInt8(ascii: "A")))
        append(Hexadecimal.digit(byte & 15, ten: UInt8(ascii: "A")))
    }
}

extension ArraySlice<UInt8> {
    /// The bytes with each `%` and two hexadecimal digits replaced, once; other `%` stay.
    var percentDecoded: [UInt8] {
        guard contains(UInt8(ascii: "%")) else { return Array(self) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(count)
        var index = startIndex
        while index < endIndex {
            if let byte = escape(at: index) {
                decoded.append(byte)
                index += 3
            } else {
                decoded.append(self[index])
                index += 1
            }
        }
        return decoded
    }

    /// The byte that an escape of three bytes here stands for; nil where there is none.
    func escape(at index: Int) -> UInt8? {
        guard self[index] == UInt8(ascii: "%"), index + 2 < endIndex, let high = self[index + 1].hexadecimalValue,
            let low = self[index + 2].hexadecimalValue
        else { return nil }
        return high << 4 | low
    }
}
#endif
