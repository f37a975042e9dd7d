#if Loader
import PlatformImage

/// A moment of the calendar clock, as HTTP dates and file dates mean it: it may jump, forwards and back.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01 00:00 UTC, without leap seconds; negative before.
    public var milliseconds: Int64

    /// A moment with its milliseconds.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// A whole second since 1970; the farthest representable moment when it is beyond.
    public init(seconds: Int64) {
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        milliseconds = overflows ? (seconds < 0 ? .min : .max) : product
    }

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 {
        milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
    }

    /// The system's clock now.
    public static var now: Self { Self(milliseconds: System.milliseconds) }

    /// Milliseconds from `earlier` to `later`; stops at the ends of the range.
    public static func - (later: Self, earlier: Self) -> Int64 {
        let (difference, overflows) = later.milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return overflows ? (later < earlier ? .min : .max) : difference
    }

    /// The moment `milliseconds` later; stops at the ends of the range.
    public func adding(milliseconds: Int64) -> Self {
        let (sum, overflows) = self.milliseconds.addingReportingOverflow(milliseconds)
        return Self(milliseconds: overflows ? (milliseconds < 0 ? .min : .max) : sum)
    }

    /// True when `a` is before `b`.
    public static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }
}

extension Duration {
    /// Whole milliseconds, 0 to some 146,000,000 years: two of them can be added.
    var milliseconds: Int64 { Swift.min(Swift.max(millisecondCount, 0), .max / 2) }
}
#endif
