extension Duration {
    /// Whole milliseconds, cut towards 0; stops at the ends of the range.
    @inlinable
    package var millisecondCount: Int64 { count(perSecond: 1_000) }

    /// Whole microseconds, cut towards 0; stops at the ends of the range.
    @inlinable
    package var microsecondCount: Int64 { count(perSecond: 1_000_000) }

    /// Whole nanoseconds, cut towards 0; stops at the ends of the range, 292 years.
    @inlinable
    package var nanosecondCount: Int64 { count(perSecond: 1_000_000_000) }

    @inlinable
    func count(perSecond units: Int64) -> Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: units)
        // Both parts have one sign.
        let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / (1_000_000_000_000_000_000 / units))
        return overflows || overflowsToo ? (seconds < 0 ? .min : .max) : sum
    }
}
