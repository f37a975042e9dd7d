/// Formatting of integers as hexadecimal digits.
enum Hexadecimal {
    /// Returns all lower-case digits including leading zeros: 4 for a `UInt16`, 16 for a `UInt64`.
    static func text(_ number: some FixedWidthInteger & UnsignedInteger) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: type(of: number).bitWidth / 4 - digits.count) + digits
    }
}
