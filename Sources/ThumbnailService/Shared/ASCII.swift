#if Service
/// Classes of ASCII bytes; no other byte belongs to one.
extension UInt8 {
    /// `0` to `9`.
    var isDigit: Bool { UInt8(ascii: "0") <= self && self <= UInt8(ascii: "9") }

    /// `a` to `z`.
    var isLowerLetter: Bool { UInt8(ascii: "a") <= self && self <= UInt8(ascii: "z") }

    /// `A` to `Z`.
    var isUpperLetter: Bool { UInt8(ascii: "A") <= self && self <= UInt8(ascii: "Z") }

    /// A letter or a digit.
    var isAlphanumeric: Bool { isDigit || isLowerLetter || isUpperLetter }

    /// A blank or a tab.
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// A control character.
    var isControl: Bool { self < 0x20 || self == 0x7F }

    /// The small letter of a capital one; any other byte as it is.
    var lowercased: UInt8 { isUpperLetter ? self | 0x20 : self }

    /// 0 to 9 of a decimal digit; nil for any other byte.
    var digitValue: Int? { isDigit ? Int(self - UInt8(ascii: "0")) : nil }

    /// 0 to 15 of a hexadecimal digit of either case; nil for any other byte.
    var hexadecimalValue: UInt8? {
        if isDigit { return self - UInt8(ascii: "0") }
        let letter = lowercased
        return UInt8(ascii: "a") <= letter && letter <= UInt8(ascii: "f") ? letter - UInt8(ascii: "a") + 10 : nil
    }
}
#endif
