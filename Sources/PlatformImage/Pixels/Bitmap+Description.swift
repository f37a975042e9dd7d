extension Bitmap: CustomStringConvertible {
    /// Size in pixels and bytes: `Bitmap(640 x 480, 1228800 bytes)`.
    public var description: String { "Bitmap(\(width) x \(height), \(byteCount) bytes)" }
}

extension RGBA8: CustomStringConvertible {
    /// `#rrggbbaa` in lower-case hexadecimal digits.
    public var description: String {
        "#"
            + [red, green, blue, alpha].map { sample in
                let digits = String(sample, radix: 16)
                return digits.utf8.count == 1 ? "0" + digits : digits
            }.joined()
    }
}
