/// The start times of the frames of a WebP animation.
struct WebPFrameTimes {
    /// The exact sum of the delays, in milliseconds.
    private var sum = 0.0

    /// The start of the next frame, rounded to the nearest millisecond. The sum is rounded instead of each delay, so
    /// that rounding errors do not accumulate. Wraps around, as in libwebpmux, which only uses differences.
    var milliseconds: UInt32 { UInt32(truncatingIfNeeded: Int64(sum.rounded())) }

    /// The duration of a frame has 24 bits in the file.
    mutating func advance(by delay: FrameDelay) {
        sum += min(Double(delay.numerator) * 1000 / Double(delay.denominator), 0xFF_FFFF)
    }
}
