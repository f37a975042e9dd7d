#if Service
/// Reads a target forwards, a segment at a time, and never goes back behind one that was taken.
struct TargetScanner {
    let bytes: [UInt8]
    private(set) var position: Int
    /// Bytes looked at so far: tests bound it by a multiple of the length.
    private(set) var steps = 0

    init(_ bytes: [UInt8], from position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    var isAtEnd: Bool { position >= bytes.count }

    /// What is left.
    var rest: ArraySlice<UInt8> { bytes[position...] }

    /// The bytes up to the next slash, not with it; nil when no slash follows. Does not move.
    mutating func segment() -> ArraySlice<UInt8>? {
        var end = position
        while end < bytes.count, bytes[end] != UInt8(ascii: "/") { end += 1 }
        steps += end - position + 1
        return end < bytes.count ? bytes[position..<end] : nil
    }

    /// Moves behind the slash that follows a segment.
    mutating func take(_ segment: ArraySlice<UInt8>) { position = segment.endIndex + 1 }

    /// The bytes up to and with the first `)` that a slash follows; nil when there is none. Does not move.
    mutating func upToClosedSegment() -> ArraySlice<UInt8>? {
        var end = position
        while end + 1 < bytes.count {
            steps += 1
            if bytes[end] == UInt8(ascii: ")"), bytes[end + 1] == UInt8(ascii: "/") { return bytes[position...end] }
            end += 1
        }
        return nil
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

extension UInt8 {
    /// 0 to 9 of a decimal digit in ASCII; nil for any other byte.
    var digitValue: Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) ? Int(self - UInt8(ascii: "0")) : nil
    }

    /// 0 to 15 of a hexadecimal digit in ASCII; nil for any other byte.
    var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// An ASCII letter or digit.
    var isAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}
#endif
