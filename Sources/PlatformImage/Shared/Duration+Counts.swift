extension Duration {
    /// Whole milliseconds, rounded towards 0 and clamped to `Int64`.
    @inlinable
    package var millisecondCount: Int64 { count(perSecond: 1_000) }

    /// Whole microseconds, rounded towards 0 and clamped to `Int64`.
    @inlinable
    package var microsecondCount: Int64 { count(perSecond: 1_000_000) }

    /// Whole nanoseconds, rounded towards 0 and clamped to `Int64` (292 years).
    @inlinable
    package var nanosecondCount: Int64 { count(perSecond: 1_000_000_000) }

    @inlinable
    func count(perSecond units: Int64) -> Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: units)
        // Seconds and attoseconds have the same sign, so the sum is rounded towards 0 like the quotient.
        let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / (1_000_000_000_000_000_000 / units))
        return overflows || overflowsToo ? (seconds < 0 ? .min : .max) : sum
    }
}
