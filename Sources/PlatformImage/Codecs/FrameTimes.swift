/// The start times of the frames of an animation, in the time unit of its file format.
///
/// The sum of the delays is rounded instead of each delay, so that rounding errors do not accumulate.
struct FrameTimes {
    private let unitsPerSecond: Double
    private let maxDelay: Double
    /// The exact sum of the delays, in units.
    private var sum = 0.0

    /// - Parameter maxDelay: The maximum delay that the file can contain, in units; longer delays are shortened to it.
    init(unitsPerSecond: Int, maxDelay: Int) {
        self.unitsPerSecond = Double(unitsPerSecond)
        self.maxDelay = Double(maxDelay)
    }

    /// The start of the next frame, rounded to the nearest unit.
    var start: Int { Int(sum.rounded()) }

    /// Adds a frame and returns its delay in units, 0 to the maximum.
    @discardableResult
    mutating func advance(by delay: FrameDelay) -> Int {
        let before = start
        sum += min(Double(delay.numerator) * unitsPerSecond / Double(delay.denominator), maxDelay)
        return start - before
    }
}
