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
    var apngFraction: (numerator: UInt16, denominator: UInt16) {
        let most = Int(UInt16.max)
        if numerator <= most && denominator <= most { return (UInt16(numerator), UInt16(denominator)) }
        var (a, b) = (numerator, denominator)
        while b != 0 { (a, b) = (b, a % b) }
        let (reduced, by) = (numerator / a, denominator / a)
        if reduced <= most && by <= most { return (UInt16(reduced), UInt16(by)) }
        if reduced / by >= most { return (UInt16.max, 1) }
        // Numerator and denominator are multiplied by one factor, so that the larger of the two becomes 65,535.
        let scale = Double(most) / Double(max(reduced, by))
        return (
            UInt16((Double(reduced) * scale).rounded()), UInt16(max(1, (Double(by) * scale).rounded()))
        )
    }
}
