/// Classes of bytes in messages (RFC 9110 §5.6.2, RFC 9112 §2.2).
extension UInt8 {
    static let space: UInt8 = 0x20
    static let tab: UInt8 = 0x09
    static let carriageReturn: UInt8 = 0x0D
    static let lineFeed: UInt8 = 0x0A
    static let colon: UInt8 = 0x3A

    /// True for the bytes of a token: letters, digits and ``!#$%&'*+-.^_`|~``.
    var isTokenByte: Bool {
        // One bit for each byte below 128.
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        return self < 64 ? (low >> UInt64(self)) & 1 == 1 : self < 128 && (high >> UInt64(self - 64)) & 1 == 1
    }

    /// True for the bytes of a request target: visible ASCII without `#`.
    var isTargetByte: Bool { self > 0x20 && self < 0x7F && self != 0x23 }

    /// True for bytes that a field value must not contain: control bytes other than a tab.
    var isControl: Bool { (self < 0x20 && self != .tab) || self == 0x7F }

    /// True for a space or a tab.
    var isBlank: Bool { self == .space || self == .tab }

    var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    var isLetter: Bool { self | 0x20 >= 0x61 && self | 0x20 <= 0x7A }

    /// The value of a hexadecimal digit; nil for another byte.
    var hexadecimalValue: UInt8? {
        if isDigit { return self - 0x30 }
        let lower = self | 0x20
        return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : nil
    }

    /// The byte with an ASCII letter in lower case.
    var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}

extension Span<UInt8> {
    /// A copy of the bytes.
    var array: [UInt8] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }

    /// True if the bytes of a range are those of a text.
    func equals(_ range: Range<Int>, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard range.count == text.count else { return false }
            for offset in 0..<text.count where self[range.lowerBound + offset] != (unsafe text[offset]) {
                return false
            }
            return true
        }
    }

    /// True if the bytes of a range are those of a text, where ASCII letters may differ in their case.
    func matches(_ range: Range<Int>, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard range.count == text.count else { return false }
            for offset in 0..<text.count {
                let byte = unsafe text[offset]
                if self[range.lowerBound + offset].lowercased != byte.lowercased { return false }
            }
            return true
        }
    }
}
