#if Loader
extension HeaderFields {
    /// How long the origin asks to wait (RFC 9110 §10.2.3), seconds or a date; nil when it does not say, says it in
    /// several lines or in no way that is known. At most 2^31 seconds; zero for a date that has passed.
    ///
    /// A date counts from the response's own `Date`, which is of the same clock; without one from `responseTime`.
    func retryAfter(responseTime: WallTime) -> Duration? {
        let lines = self[lines: "Retry-After"]
        guard lines.count == 1 else { return nil }
        let value = Array(lines[0].trimmingSpace)
        if let seconds = DeltaSeconds.parse(value) { return .seconds(seconds) }
        guard let end = HTTPDate.parse(value, now: responseTime) else { return nil }
        let milliseconds = end - (date("Date", now: responseTime) ?? responseTime)
        return .milliseconds(Swift.min(Swift.max(milliseconds, 0), DeltaSeconds.max * 1000))
    }
}
#endif
