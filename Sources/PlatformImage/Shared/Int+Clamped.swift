extension Int {
    /// The sum of two sizes, clamped to `Int.max`.
    package func addingClamped(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
