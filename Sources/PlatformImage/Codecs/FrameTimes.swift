/// The start times of the frames of an animation, in the time unit of its file format.
///
/// The sum of the delays is rounded instead of each delay, so that rounding errors do not accumulate. All numbers are
/// integers: a delay is a fraction of any two integers, and no sum, product or difference of them can overflow.
struct FrameTimes {
    private let unitsPerSecond: UInt128
    private let maxDelay: UInt128
    /// The sum of the delays in units of 2^-32, each one rounded to the nearest: less than 2^64 for each frame.
    private var sum: UInt128 = 0
    /// The start of the next frame in units: the sum of the delays that ``advance(by:)`` returned.
    private(set) var start: UInt64 = 0

    private static let fractionBits: UInt128 = 32

    /// - Parameter maxDelay: The maximum delay that the file can contain, in units; longer delays are shortened to it.
    init(unitsPerSecond: UInt16, maxDelay: UInt32) {
        self.unitsPerSecond = UInt128(clamping: unitsPerSecond)
        self.maxDelay = UInt128(clamping: maxDelay)
    }

    /// Adds a frame and returns its delay in units, 0 to the maximum.
    ///
    /// - Parameter delay: A negative numerator counts as 0, and a denominator below 1 as 1.
    @discardableResult
    mutating func advance(by delay: FrameDelay) -> UInt32 {
        let (numerator, denominator) = (
            UInt128(clamping: delay.numerator), UInt128(clamping: max(1, delay.denominator))
        )
        // The product has at most 63 + 16 + 32 bits.
        let product = (numerator &* unitsPerSecond) &<< Self.fractionBits
        let exact = (product &+ denominator / 2) / denominator  // trap-free: at least 1
        sum &+= min(exact, maxDelay &<< Self.fractionBits)
        let half: UInt128 = 1 &<< (Self.fractionBits &- 1)
        let end = (sum &+ half) &>> Self.fractionBits
        // `end` is not below `start`, and the difference not above the maximum: both ends are rounded in the same way.
        let units = UInt32(clamping: min(end &- UInt128(clamping: start), maxDelay))
        start &+= UInt64(clamping: units)
        return units
    }
}
