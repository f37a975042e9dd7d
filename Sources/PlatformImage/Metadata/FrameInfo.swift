/// One frame of an animation before its pixels: where it goes, how long it stays, what follows.
public struct FrameInfo: Hashable, Sendable {
    /// What happens to the frame's area before the next frame is drawn.
    public enum Disposal: Sendable { case keep, clear, restorePrevious }
    /// How the frame's pixels meet those of the canvas.
    public enum Blend: Sendable { case source, over }

    /// From 0.
    public let index: Int
    /// Pixels from the canvas's left edge to the frame's, as stored. In a GIF the frame may lie outside, or be empty.
    public let x: Int
    /// Pixels from the canvas's top edge to the frame's, as stored.
    public let y: Int
    /// Pixels in a row of the frame, as stored.
    public let width: Int
    /// Rows of the frame, as stored.
    public let height: Int
    /// How long the frame is shown; 0 seconds in a picture without animation.
    public let delay: FrameDelay
    /// What happens to the frame's area afterwards.
    public let disposal: Disposal
    /// How the frame was drawn onto the canvas.
    public let blend: Blend
}

/// How long a frame is shown, in seconds, as the file stores it: GIF in hundredths, APNG as any fraction.
public struct FrameDelay: Hashable, Sendable {
    /// 0 or more in every frame that was decoded; seconds are `numerator / denominator`.
    public let numerator: Int
    /// At least 1 in every frame that was decoded: an APNG's 0 means 100.
    public let denominator: Int

    /// A delay of `numerator / denominator` seconds.
    ///
    /// With a negative numerator or a denominator below 1 ``ImageEncoder/encodeAnimation(_:loopCount:cancellation:)``
    /// throws `invalidArgument`, and ``displayed`` is 100 ms.
    public init(numerator: Int, denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// What browsers show: 10 ms and less act as 100 ms. Cut to whole milliseconds, `Int64.max` of them at most.
    public var displayed: Duration {
        guard isValid, numerator > denominator / 100 else { return .milliseconds(100) }
        // The product of large numbers takes 128 bits.
        let (product, divisor) = (numerator.magnitude.multipliedFullWidth(by: 1000), denominator.magnitude)
        guard product.high < divisor else { return .milliseconds(Int.max) }
        return .milliseconds(Int(clamping: divisor.dividingFullWidth(product).quotient))
    }

    /// True for 0 seconds or more.
    var isValid: Bool { numerator >= 0 && denominator > 0 }
}

extension FrameDelay {
    /// Two numbers of 16 bits, as near to this delay as they can be.
    var storedInAPNG: (numerator: UInt16, denominator: UInt16) {
        let most = Int(UInt16.max)
        if numerator <= most && denominator <= most { return (UInt16(numerator), UInt16(denominator)) }
        var (a, b) = (numerator, denominator)
        while b != 0 { (a, b) = (b, a % b) }
        let (reduced, by) = (numerator / a, denominator / a)
        if reduced <= most && by <= most { return (UInt16(reduced), UInt16(by)) }
        if reduced / by >= most { return (UInt16.max, 1) }
        // Both shrink by one factor, which leaves the larger one at 65,535.
        let scale = Double(most) / Double(max(reduced, by))
        return (
            UInt16((Double(reduced) * scale).rounded()), UInt16(max(1, (Double(by) * scale).rounded()))
        )
    }
}
