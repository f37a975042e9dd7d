#if Service
extension Duration {
    /// Milliseconds with thousandths.
    var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1_000
    }

    /// Whole milliseconds, the rest cut off; the largest or smallest number for durations that have more.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflows else { return seconds < 0 ? .min : .max }
        return whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
    }
}
#endif
