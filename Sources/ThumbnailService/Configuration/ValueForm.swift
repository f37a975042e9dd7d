#if Service
import PlatformImage

/// Text form of a configuration value, the same in a file, the environment and an option.
struct ValueForm<Value: Sendable>: Sendable {
    /// Description of the syntax for documentation and errors.
    let syntax: String
    /// Parses a text; nil when it is invalid.
    let read: @Sendable (String) -> Value?
    /// Formats a value as a text that ``read`` accepts.
    let show: @Sendable (Value) -> String

    /// Returns a form that also accepts a word for nil.
    ///
    /// - Parameter none: The word; may be empty.
    func optional(none: String) -> ValueForm<Value?> {
        ValueForm<Value?>(
            syntax: none.isEmpty ? syntax : "\(syntax), or `\(none)`",
            read: { text in text == none ? .some(nil) : read(text).map { .some($0) } },
            show: { value in value.map(show) ?? none })
    }
}

extension ValueForm<Int> {
    /// A whole number in decimal digits.
    static func integer(_ range: ClosedRange<Int>, _ noun: String = "number") -> Self {
        Self(
            syntax: "\(noun), \(range.lowerBound) to \(range.upperBound)",
            read: { text in Self.digits(text).flatMap { range.contains($0) ? $0 : nil } }, show: { "\($0)" })
    }

    /// Parses decimal digits; nil for signs, blanks and overflow.
    fileprivate static func digits(_ text: some StringProtocol) -> Int? {
        Int(asciiDigits: text.utf8)
    }

    /// Parses digits and a unit; no fractions.
    ///
    /// - Parameter units: Units with their sizes; the unit named "" applies to numbers without a unit.
    fileprivate static func measured(
        _ text: String, in units: [(name: String, size: Int)], _ range: ClosedRange<Int>
    ) -> Int? {
        let number = text.prefix { $0.isASCII && $0.isNumber }
        let name = text.dropFirst(number.count)
        guard let count = digits(number), let unit = units.first(where: { $0.name == name }) else { return nil }
        let (value, overflows) = count.multipliedReportingOverflow(by: unit.size)
        return !overflows && range.contains(value) ? value : nil
    }

    /// Formats a value in the largest unit that divides it.
    fileprivate static func shown(_ value: Int, in units: [(name: String, size: Int)]) -> String {
        let fitting = units.filter { value >= $0.size && value % $0.size == 0 }.max { $0.size < $1.size }
        guard value > 0, let unit = fitting else { return "\(value)" }
        return "\(value / unit.size)\(unit.name)"
    }

    private static let byteUnits: [(name: String, size: Int)] = [
        ("", 1), ("B", 1), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
    ]
    private static let shownByteUnits: [(name: String, size: Int)] = byteUnits.filter {
        $0.name.isEmpty || $0.name.hasSuffix("iB")
    }

    /// A number of bytes, with `kB`, `MB`, `GB`, `TB` for powers of 1000 and `KiB`, `MiB`, `GiB`, `TiB` for powers of
    /// 1024.
    static func bytes(_ range: ClosedRange<Int>) -> Self {
        Self(
            syntax: "bytes, \(shown(range.lowerBound, in: shownByteUnits)) to "
                + "\(shown(range.upperBound, in: shownByteUnits))",
            read: { measured($0, in: byteUnits, range) }, show: { shown($0, in: shownByteUnits) })
    }

    private static let pixelUnits: [(name: String, size: Int)] = [("", 1), ("MP", 1_000_000)]

    /// A number of pixels, with `MP` for millions.
    static func pixels(_ range: ClosedRange<Int>) -> Self {
        Self(
            syntax: "pixels, \(shown(range.lowerBound, in: pixelUnits)) to \(shown(range.upperBound, in: pixelUnits))",
            read: { measured($0, in: pixelUnits, range) }, show: { shown($0, in: pixelUnits) })
    }
}

extension ValueForm<Duration> {
    private static let units: [(name: String, size: Int)] = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]
    /// 100 years in milliseconds.
    private static let most = 36_500 * 86_400_000

    /// A duration in digits with one of the units `ms`, `s`, `m`, `h` and `d`.
    ///
    /// - Parameter allowsZero: Also accepts `0`, which needs no unit.
    static func duration(allowsZero: Bool = false) -> Self {
        Self(
            syntax: allowsZero ? "time, 0 or more" : "time, over 0",
            read: { text in
                if allowsZero, text == "0" { return .zero }
                return ValueForm<Int>.measured(text, in: units, (allowsZero ? 0 : 1)...most).map { .milliseconds($0) }
            },
            show: { duration in
                ValueForm<Int>.shown(Int(clamping: duration.millisecondCount), in: units)
            })
    }
}

extension ValueForm<Bool> {
    /// One of two words, for false and true.
    static func either(_ no: String, _ yes: String) -> Self {
        Self(
            syntax: "`\(no)` or `\(yes)`", read: { $0 == yes ? true : $0 == no ? false : nil },
            show: { $0 ? yes : no })
    }

    /// `on` or `true`, `off` or `false`.
    static let boolean = Self(
        syntax: "`on` or `off`",
        read: { ["on", "true"].contains($0) ? true : ["off", "false"].contains($0) ? false : nil },
        show: { $0 ? "on" : "off" })
}

extension ValueForm<String> {
    /// A text that is not empty and has no control characters.
    static func text(_ noun: String) -> Self {
        Self(
            syntax: noun,
            read: { text in text.isEmpty || text.utf8.contains { $0.isASCIIControl } ? nil : text },
            show: { $0 })
    }
}

extension ValueForm where Value: CaseIterable & RawRepresentable<String> {
    /// A raw value of an enumeration.
    static var choice: Self {
        Self(
            syntax: Value.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "),
            read: { Value(rawValue: $0) }, show: \.rawValue)
    }
}
#endif
