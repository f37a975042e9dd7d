#if Service
/// A decimal number of a target with at most ten digits after the point, exact: two ways to write one number are equal,
/// and no rounding of a `Double` gets into a size or a key.
struct FixedDecimal: Hashable, Comparable, Sendable {
    /// The number times ``scale``.
    let units: Int

    /// Units of 1.
    static let scale = 10_000_000_000
    /// The largest whole part that is read: with a picture side its product stays in 64 bits.
    static let maxWhole = 100_000

    init(units: Int) { self.units = units }

    /// A whole number of at most ``maxWhole``, either sign; farther ones are taken as that.
    init(_ whole: Int) { units = min(max(whole, -Self.maxWhole), Self.maxWhole) * Self.scale }

    var doubleValue: Double { Double(units) / Double(Self.scale) }

    static func < (left: Self, right: Self) -> Bool { left.units < right.units }
}

extension FixedDecimal: CustomStringConvertible {
    /// The shortest text that reads as this number: `-0.5`, `12`.
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
#endif
