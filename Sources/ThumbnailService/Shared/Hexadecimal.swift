#if Service
/// Bytes and numbers as hexadecimal digits.
enum Hexadecimal {
    /// Two lower-case digits for each byte.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 15))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// All lower-case digits of a number, zeros in front included: 4 of a `UInt16`, 16 of a `UInt64`.
    static func text(_ number: some FixedWidthInteger & UnsignedInteger) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: type(of: number).bitWidth / 4 - digits.count) + digits
    }

    /// The digit of 0 to 15.
    ///
    /// - Parameter ten: The digit of 10: a capital letter for capital letters.
    static func digit(_ value: UInt8, ten: UInt8 = UInt8(ascii: "a")) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : ten - 10 + value
    }
}
#endif
