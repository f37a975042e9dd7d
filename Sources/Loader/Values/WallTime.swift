import PlatformImage

/// A time of the calendar clock, as in HTTP dates and file dates; the clock may jump in both directions.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01 00:00 UTC, without leap seconds; negative before.
    public var milliseconds: Int64

    /// Creates a time from milliseconds since 1970.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Creates a time from whole seconds since 1970, clamped to the representable range.
    public init(seconds: Int64) {
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        milliseconds = overflows ? (seconds < 0 ? .min : .max) : product
    }

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 {
        milliseconds / 1000 &- (milliseconds % 1000 < 0 ? 1 : 0)
    }

    /// The current time of the system clock.
    public static var now: Self { Self(milliseconds: System.milliseconds) }

    /// Returns the milliseconds from `earlier` to `later`, saturating.
    public static func - (later: Self, earlier: Self) -> Int64 { later.milliseconds(since: earlier) }

    /// The milliseconds from `earlier` to this time, saturating.
    func milliseconds(since earlier: Self) -> Int64 {
        let (difference, overflows) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return overflows ? (self < earlier ? .min : .max) : difference
    }

    /// Returns the time `milliseconds` later, saturating.
    public func adding(milliseconds: Int64) -> Self {
        let (sum, overflows) = self.milliseconds.addingReportingOverflow(milliseconds)
        return Self(milliseconds: overflows ? (milliseconds < 0 ? .min : .max) : sum)
    }

    /// True when `a` is before `b`.
    public static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }
}

extension Duration {
    /// Whole milliseconds, clamped to 0...`Int64.max / 2` (146 million years), so that two of them can be added.
    var milliseconds: Int64 { Swift.min(Swift.max(millisecondCount, 0), .max / 2) }
}
