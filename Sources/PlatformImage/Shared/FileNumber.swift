/// A number that a file, a message of a worker, a field of a peer or the disk contains.
///
/// It has no operators and no conversion that can trap: arithmetic and conversions have names that state the result of
/// an overflow. In the files that read such numbers, `make lint` (Scripts/verify/hostile-numbers) rejects other
/// arithmetic.
package struct FileNumber: Hashable, Sendable {
    private let value: Int

    /// A number of this program, such as a count of bytes in memory.
    package init(_ value: Int) { self.value = value }

    /// The number; nil when it does not fit into 64 bits with a sign.
    package init?(exactly value: some BinaryInteger) {
        guard let value = Int(exactly: value) else { return nil }
        self.value = value
    }

    // MARK: Conversions

    /// The number; nil when it is outside of `range`.
    package func int(in range: ClosedRange<Int>) -> Int? { range.contains(value) ? value : nil }

    /// The nearest number of `range`.
    package func clamped(to range: ClosedRange<Int>) -> Int { min(max(value, range.lowerBound), range.upperBound) }

    /// The number as another type; nil when the type does not contain it.
    package func exactly<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? { Number(exactly: value) }

    /// The nearest number of another type.
    package func clamped<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number { Number(clamping: value) }

    /// The nearest floating-point number.
    package var double: Double { Double(value) }

    // MARK: Arithmetic

    /// The sum; nil on overflow.
    package func plus(_ other: Self) -> Self? { Self(value.addingReportingOverflow(other.value)) }

    /// The difference; nil on overflow.
    package func minus(_ other: Self) -> Self? { Self(value.subtractingReportingOverflow(other.value)) }

    /// The product; nil on overflow.
    package func times(_ other: Self) -> Self? { Self(value.multipliedReportingOverflow(by: other.value)) }

    /// The quotient, rounded towards zero; nil for a divisor of 0 and on overflow.
    package func dividedBy(_ other: Self) -> Self? { Self(value.dividedReportingOverflow(by: other.value)) }

    /// The remainder; nil for a divisor of 0 and on overflow.
    package func remainder(dividingBy other: Self) -> Self? {
        Self(value.remainderReportingOverflow(dividingBy: other.value))
    }

    /// The sum, limited to the range of 64 bits.
    package func plusClamped(_ other: Self) -> Self {
        Self(value.addingReportingOverflow(other.value)) ?? Self(other.value < 0 ? .min : .max)
    }

    /// The difference, limited to the range of 64 bits.
    package func minusClamped(_ other: Self) -> Self {
        Self(value.subtractingReportingOverflow(other.value)) ?? Self(other.value < 0 ? .max : .min)
    }

    /// The product, limited to the range of 64 bits.
    package func timesClamped(_ other: Self) -> Self {
        Self(value.multipliedReportingOverflow(by: other.value))
            ?? Self((value < 0) == (other.value < 0) ? .max : .min)
    }

    /// The number, plus 1 when it is odd: the size of data that is padded to 16 bits; nil on overflow.
    package var evened: Self? { plus(Self(value & 1)) }

    private init?(_ result: (partialValue: Int, overflow: Bool)) {
        guard !result.overflow else { return nil }
        value = result.partialValue
    }
}

/// Comparisons. The type does not conform to `Comparable`, because `..<` and `...` trap when the bounds are reversed.
extension FileNumber {
    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
    package static func <= (left: Self, right: Self) -> Bool { left.value <= right.value }
    package static func > (left: Self, right: Self) -> Bool { left.value > right.value }
    package static func >= (left: Self, right: Self) -> Bool { left.value >= right.value }
}

extension FileNumber: ExpressibleByIntegerLiteral {
    /// A constant of this program.
    package init(integerLiteral value: Int) { self.init(value) }
}

extension FileNumber: CustomStringConvertible {
    /// The number in decimal digits.
    package var description: String { "\(value)" }
}
