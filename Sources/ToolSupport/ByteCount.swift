import PlatformImage

/// A number of bytes on the command line, with an optional unit: `2000`, `10k`, `10kB` or `2MiB`.
package struct ByteCount: ExpressibleByArgument, Hashable, Sendable {
    /// 0 or more.
    package let bytes: Int

    /// Powers of 1000 and, with `i`, of 1024; `B` after the unit is optional.
    private static let units: [String: Int] = [
        "": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000, "t": 1_000_000_000_000,
        "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40,
    ]

    /// Parses digits and a unit in upper or lower case, such as `k`, `kB`, `KiB` or `M`; nil for any other text, and
    /// when the number does not fit into an `Int`.
    package init?(argument: String) {
        let digits = argument.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        var unit = String(decoding: argument.utf8.dropFirst(digits.count).map(\.lowercasedASCII), as: UTF8.self)
        if unit.hasSuffix("b") { unit.removeLast() }
        guard let count = Int(asciiDigits: digits), let size = Self.units[unit] else { return nil }
        let (bytes, overflows) = count.multipliedReportingOverflow(by: size)
        guard !overflows else { return nil }
        self.bytes = bytes
    }

    package var defaultText: String { String(bytes) }
}
