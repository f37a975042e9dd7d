import PlatformImage

/// Parsers for numbers in targets: ASCII digits only, with overflow checks.
enum Number {
    /// The largest integer in a target: the product of two such integers, or of one and a side of an image, fits in 64
    /// bits.
    static let max = 999_999_999

    /// Parses an integer of 0 to ``max`` in decimal digits; nil for any other text.
    static func unsigned(_ text: some Sequence<UInt8>) -> Int? {
        var value = 0
        var isEmpty = true
        for byte in text {
            guard let digit = byte.asciiDigitValue else { return nil }
            value = value * 10 + digit
            guard value <= max else { return nil }
            isEmpty = false
        }
        return isEmpty ? nil : value
    }

    /// Parses an integer with an optional `-`.
    static func signed(_ text: ArraySlice<UInt8>) -> Int? {
        text.first == UInt8(ascii: "-") ? unsigned(text.dropFirst()).map { -$0 } : unsigned(text)
    }

    /// Parses a decimal number such as `1`, `1.`, `.5` or `-0.25`: an optional `-`, then at least one digit and at most
    /// one point. Digits after the tenth decimal place are dropped.
    static func decimal(_ text: ArraySlice<UInt8>) -> FixedDecimal? {
        let isNegative = text.first == UInt8(ascii: "-")
        var (integer, fraction, unit, digits) = (0, 0, FixedDecimal.scale, 0)
        var isFraction = false
        for byte in isNegative ? text.dropFirst() : text {
            if byte == UInt8(ascii: "."), !isFraction {
                isFraction = true
                continue
            }
            guard let digit = byte.asciiDigitValue else { return nil }
            digits += 1
            if isFraction {
                unit /= 10
                fraction += digit * unit
            } else {
                integer = integer * 10 + digit
                guard integer <= FixedDecimal.maxInteger else { return nil }
            }
        }
        guard digits > 0 else { return nil }
        let units = integer * FixedDecimal.scale + fraction
        return FixedDecimal(units: isNegative ? -units : units)
    }

    /// Parses `AxB`, two integers.
    static func pair(_ text: ArraySlice<UInt8>) -> (Int, Int)? {
        guard let cross = text.firstIndex(of: UInt8(ascii: "x")), let first = unsigned(text[..<cross]),
            let second = unsigned(text[(cross + 1)...])
        else { return nil }
        return (first, second)
    }

    /// Parses `LxT:RxB`, four integers.
    static func box(_ text: ArraySlice<UInt8>) -> (left: Int, top: Int, right: Int, bottom: Int)? {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), let (left, top) = pair(text[..<colon]),
            let (right, bottom) = pair(text[(colon + 1)...])
        else { return nil }
        return (left, top, right, bottom)
    }
}

/// An exact decimal number with at most ten decimal places. Different spellings of a number are equal, and no `Double`
/// rounding affects sizes and cache keys.
struct FixedDecimal: Hashable, Comparable, Sendable {
    /// The number times ``scale``.
    let units: Int

    /// Units of the number 1.
    static let scale = 10_000_000_000
    /// The largest integer part that is parsed: such a number has about 10¹⁵ units at most, which fits in 64 bits.
    static let maxInteger = 100_000

    init(units: Int) { self.units = units }

    /// Converts an integer, clamped to ±``maxInteger``.
    init(_ integer: Int) { units = min(max(integer, -Self.maxInteger), Self.maxInteger) * Self.scale }

    var doubleValue: Double { Double(units) / Double(Self.scale) }

    static func < (left: Self, right: Self) -> Bool { left.units < right.units }
}

extension FixedDecimal: CustomStringConvertible {
    /// The shortest text for this number: `-0.5`, `12`.
    var description: String {
        let magnitude = units.magnitude
        let scale = UInt(Self.scale)
        var text = (units < 0 ? "-" : "") + String(magnitude / scale)
        let fraction = magnitude % scale
        guard fraction > 0 else { return text }
        let digits = String(fraction)
        text += "." + String(repeating: "0", count: 10 - digits.count) + digits
        while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
        return text
    }
}
