import PlatformImage

/// Text form of a configuration value, for files, environment variables and options alike.
struct ValueFormat<Value: Sendable>: Sendable {
    /// Description of the syntax for documentation and errors.
    let syntax: String
    /// Parses a text; nil when it is invalid.
    let parse: @Sendable (String) -> Value?
    /// Formats a value as a text that ``parse`` accepts.
    let format: @Sendable (Value) -> String

    /// Returns a format that also accepts a word for nil.
    ///
    /// - Parameter none: The word; may be empty.
    func optional(none: String) -> ValueFormat<Value?> {
        ValueFormat<Value?>(
            syntax: none.isEmpty ? syntax : "\(syntax), or `\(none)`",
            parse: { text in text == none ? .some(nil) : parse(text).map { .some($0) } },
            format: { value in value.map(format) ?? none })
    }
}

extension ValueFormat<Int> {
    /// An integer in decimal digits.
    static func integer(_ range: ClosedRange<Int>, _ noun: String = "number") -> Self {
        Self(
            syntax: "\(noun), \(range.lowerBound) to \(range.upperBound)",
            parse: { text in Self.parseDigits(text).flatMap { range.contains($0) ? $0 : nil } }, format: { "\($0)" })
    }

    /// Parses decimal digits; nil for signs, blanks and overflow.
    fileprivate static func parseDigits(_ text: some StringProtocol) -> Int? {
        Int(asciiDigits: text.utf8)
    }

    /// Parses digits and a unit; no fractions.
    ///
    /// - Parameter units: Units with their sizes; the unit named "" applies to numbers without a unit.
    fileprivate static func parseQuantity(
        _ text: String, in units: [(name: String, size: Int)], _ range: ClosedRange<Int>
    ) -> Int? {
        let number = text.prefix { $0.isASCII && $0.isNumber }
        let name = text.dropFirst(number.count)
        guard let count = parseDigits(number), let unit = units.first(where: { $0.name == name }) else { return nil }
        let (value, overflows) = count.multipliedReportingOverflow(by: unit.size)
        return !overflows && range.contains(value) ? value : nil
    }

    /// Formats a value in the largest unit that divides it.
    fileprivate static func formatQuantity(_ value: Int, in units: [(name: String, size: Int)]) -> String {
        let exactUnits = units.filter { value >= $0.size && value % $0.size == 0 }.max { $0.size < $1.size }
        guard value > 0, let unit = exactUnits else { return "\(value)" }
        return "\(value / unit.size)\(unit.name)"
    }

    private static let byteUnits: [(name: String, size: Int)] = [
        ("", 1), ("B", 1), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
    ]
    private static let formattedByteUnits: [(name: String, size: Int)] = byteUnits.filter {
        $0.name.isEmpty || $0.name.hasSuffix("iB")
    }

    /// A number of bytes, with `kB`, `MB`, `GB`, `TB` for powers of 1000 and `KiB`, `MiB`, `GiB`, `TiB` for powers of
    /// 1024.
    static func bytes(_ range: ClosedRange<Int>) -> Self {
        Self(
            syntax: "bytes, \(formatQuantity(range.lowerBound, in: formattedByteUnits)) to "
                + "\(formatQuantity(range.upperBound, in: formattedByteUnits))",
            parse: { parseQuantity($0, in: byteUnits, range) }, format: { formatQuantity($0, in: formattedByteUnits) })
    }

    private static let pixelUnits: [(name: String, size: Int)] = [("", 1), ("MP", 1_000_000)]

    /// A number of pixels, with `MP` for millions.
    static func pixels(_ range: ClosedRange<Int>) -> Self {
        Self(
            syntax: "pixels, \(formatQuantity(range.lowerBound, in: pixelUnits)) to "
                + "\(formatQuantity(range.upperBound, in: pixelUnits))",
            parse: { parseQuantity($0, in: pixelUnits, range) }, format: { formatQuantity($0, in: pixelUnits) })
    }
}

extension ValueFormat<Duration> {
    private static let units: [(name: String, size: Int)] = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]
    /// 100 years in milliseconds.
    private static let maxMilliseconds = 36_500 * 86_400_000

    /// A duration: digits followed by one of the units `ms`, `s`, `m`, `h` and `d`.
    ///
    /// - Parameter allowsZero: Also accepts `0`, which needs no unit.
    static func duration(allowsZero: Bool = false) -> Self {
        Self(
            syntax: allowsZero ? "duration, 0 or more" : "duration, more than 0",
            parse: { text in
                if allowsZero, text == "0" { return .zero }
                return ValueFormat<Int>.parseQuantity(text, in: units, (allowsZero ? 0 : 1)...maxMilliseconds).map {
                    .milliseconds($0)
                }
            },
            format: { duration in
                ValueFormat<Int>.formatQuantity(Int(clamping: duration.millisecondCount), in: units)
            })
    }
}

extension ValueFormat<Bool> {
    /// One of two words, for false and true.
    static func either(_ no: String, _ yes: String) -> Self {
        Self(
            syntax: "`\(no)` or `\(yes)`", parse: { $0 == yes ? true : $0 == no ? false : nil },
            format: { $0 ? yes : no })
    }

    /// A boolean: `on` and `true` mean true, `off` and `false` mean false.
    static let boolean = Self(
        syntax: "`on` or `off`",
        parse: { ["on", "true"].contains($0) ? true : ["off", "false"].contains($0) ? false : nil },
        format: { $0 ? "on" : "off" })
}

extension ValueFormat<String> {
    /// `*`, or the origin of web pages.
    static let origin = Self(
        syntax: "`*` or origin such as `https://app.example`",
        parse: { $0 == "*" ? $0 : WebOrigin.normalized($0) }, format: { $0 })

    /// The value of a header field: printable ASCII, at most 1,000 bytes, without spaces at its ends.
    static func fieldValue(_ noun: String) -> Self {
        Self(
            syntax: noun,
            parse: { text in
                let isValid = text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && text.utf8.count <= 1_000
                return !isValid || text.isEmpty || text.hasPrefix(" ") || text.hasSuffix(" ") ? nil : text
            },
            format: { $0 })
    }

    /// A text that is not empty and has no control characters.
    static func text(_ noun: String) -> Self {
        Self(
            syntax: noun,
            parse: { text in text.isEmpty || text.utf8.contains { $0.isASCIIControl } ? nil : text },
            format: { $0 })
    }
}

extension ValueFormat where Value: CaseIterable & RawRepresentable<String> {
    /// A raw value of an enumeration.
    static var choice: Self {
        Self(
            syntax: Value.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "),
            parse: { Value(rawValue: $0) }, format: \.rawValue)
    }
}
