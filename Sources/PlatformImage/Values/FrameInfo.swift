/// Position, size, timing and disposal of an animation frame, read without decoding its pixels.
public struct FrameInfo: Hashable, Sendable {
    /// The treatment of the frame's area before the next frame is drawn.
    public enum Disposal: Sendable { case keep, clear, restorePrevious }
    /// The way the frame's pixels are combined with the canvas: replace or source-over.
    public enum Blend: Sendable { case source, over }

    /// The frame number, from 0.
    public let index: Int
    /// Pixels from the left edge of the canvas to the left edge of the frame, as stored. A GIF frame may be empty or
    /// outside the canvas.
    public let x: Int
    /// Pixels from the top edge of the canvas to the top edge of the frame, as stored.
    public let y: Int
    /// Pixels in a row of the frame, as stored.
    public let width: Int
    /// Rows of the frame, as stored.
    public let height: Int
    /// The display duration; 0 seconds when the file contains none.
    public let delay: FrameDelay
    /// The treatment of the frame's area before the next frame.
    public let disposal: Disposal
    /// The way the frame was drawn onto the canvas.
    public let blend: Blend
}

/// The display duration of a frame, in seconds, as stored: GIF in hundredths, WebP in
/// thousandths, APNG as any fraction.
public struct FrameDelay: Hashable, Sendable {
    /// 0 or more in every frame of a file; seconds are `numerator / denominator`.
    public let numerator: Int
    /// At least 1 in every frame of a file; an APNG denominator of 0 is returned as 100.
    public let denominator: Int

    /// A delay of `numerator / denominator` seconds.
    ///
    /// With a negative numerator or a denominator below 1
    /// ``ImageEncoder/encodeAnimation(_:as:loopCount:cancellation:)`` throws `invalidArgument`, and ``displayed`` is
    /// 100 ms.
    public init(numerator: Int, denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The duration for which browsers display the frame: delays of 10 ms or less become 100 ms. Rounded down to whole
    /// milliseconds, at most `Int64.max` milliseconds.
    public var displayed: Duration {
        guard isValid, numerator > denominator / 100 else { return .milliseconds(100) }
        // The product needs up to 128 bits.
        let (product, divisor) = (numerator.magnitude.multipliedFullWidth(by: 1000), denominator.magnitude)
        guard product.high < divisor else { return .milliseconds(Int.max) }
        return .milliseconds(Int(clamping: divisor.dividingFullWidth(product).quotient))
    }

    /// True for 0 seconds or more.
    var isValid: Bool { numerator >= 0 && denominator > 0 }
}

extension FrameDelay {
    /// The delay as a fraction of two 16-bit numbers; rounded when the fraction in lowest terms has larger numbers.
    ///
    /// A negative numerator counts as 0, and a denominator below 1 as 1.
    var apngFraction: (numerator: UInt16, denominator: UInt16) {
        let most = UInt64(UInt16.max)
        let (numerator, denominator) = (UInt64(clamping: numerator), UInt64(clamping: max(1, denominator)))
        let divisor = numerator <= most && denominator <= most ? 1 : Self.divisor(numerator, denominator)
        let (reduced, by) = (numerator / divisor, denominator / divisor)  // trap-free: at least 1
        if reduced / by >= most { return (UInt16.max, 1) }  // trap-free: by is at least 1
        let greatest = max(reduced, by)
        guard greatest > most else { return (UInt16(clamping: reduced), UInt16(clamping: by)) }
        // Numerator and denominator are multiplied by one factor, so that the larger of the two becomes 65,535.
        func scaled(_ number: UInt64) -> UInt16 {
            // At most 63 + 16 bits.
            let greatest = UInt128(clamping: greatest)
            let product = UInt128(clamping: number) &* UInt128(clamping: most) &+ greatest / 2
            return UInt16(clamping: product / greatest)  // trap-free: greatest is above 65,535
        }
        return (scaled(reduced), max(1, scaled(by)))
    }

    /// The greatest common divisor of two numbers of which the second is not 0; at least 1.
    private static func divisor(_ numerator: UInt64, _ denominator: UInt64) -> UInt64 {
        var (a, b) = (numerator, denominator)
        while b != 0 { (a, b) = (b, a % b) }  // trap-free: b is not 0
        return a
    }
}
