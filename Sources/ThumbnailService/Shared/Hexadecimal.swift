#if Service
/// Numbers as hexadecimal digits.
enum Hexadecimal {
    /// All lower-case digits of a number, zeros in front included: 4 of a `UInt16`, 16 of a `UInt64`.
    static func text(_ number: some FixedWidthInteger & UnsignedInteger) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: type(of: number).bitWidth / 4 - digits.count) + digits
    }
}
#endif
