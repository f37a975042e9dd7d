#if Loader
extension UInt8 {
    /// The lower-case letter for an ASCII capital, any other byte as it is.
    var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

    /// True for `0` to `9`.
    var isASCIIDigit: Bool { self >= 0x30 && self <= 0x39 }

    /// True for a letter of either case.
    var isASCIILetter: Bool { asciiLowercased >= 0x61 && asciiLowercased <= 0x7A }

    /// A blank or a tab (OWS of RFC 9110 §5.6.3).
    var isSpace: Bool { self == 0x20 || self == 0x09 }

    /// The number that a hexadecimal digit of either case stands for; nil for any other byte.
    var hexDigitValue: UInt8? {
        switch asciiLowercased {
        case 0x30...0x39: self - 0x30
        case 0x61...0x66: asciiLowercased - 0x61 + 10
        default: nil
        }
    }

    private static let upperHexDigits = Array("0123456789ABCDEF".utf8)

    /// `%` and two hexadecimal digits in upper case (RFC 3986 §2.1).
    var percentEncoded: [UInt8] { [0x25, Self.upperHexDigits[Int(self >> 4)], Self.upperHexDigits[Int(self & 15)]] }
}

extension Sequence<UInt8> {
    /// Two hexadecimal digits a byte, in lower case.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension Collection<UInt8> {
    /// The number that decimal digits stand for; nil for anything but one or more digits, and for more than fits.
    var decimalNumber: Int? {
        guard !isEmpty, allSatisfy(\.isASCIIDigit) else { return nil }
        return Int(String(decoding: self, as: UTF8.self))
    }
}

extension BidirectionalCollection<UInt8> {
    /// Without the blanks and tabs around (OWS of RFC 9110 §5.6.3).
    var trimmingSpace: SubSequence {
        guard let first = firstIndex(where: { !$0.isSpace }), let last = lastIndex(where: { !$0.isSpace }) else {
            return self[endIndex...]
        }
        return self[first...last]
    }
}
#endif
