internal import CImageCodecs

extension ImageEncoder {
    /// The APNG of these frames; viewers that do not know APNG show the first one.
    ///
    /// All pixels and delays are kept: of each frame only the rectangle that differs from the frame before is stored,
    /// one pixel when nothing does. Colours are chosen for all frames together.
    ///
    /// - Parameters:
    ///   - frames: At least one; all bitmaps have one size, else the call traps. Of ``AnimationFrame/info`` the delay
    ///     alone counts. A delay whose numerator or denominator is over 65,535 is reduced, then rounded.
    ///   - loopCount: How often the animation plays, 0 for ever.
    ///   - cancellation: Ends the encoding at its next row batch when raised.
    /// - Throws: `tooLarge`, `overMaxBytes`, `outOfMemory`, `cancelled`, `deadlinePassed`.
    public func encodeAnimation(
        _ frames: [AnimationFrame], loopCount: Int = 0, cancellation: CancellationFlag? = nil
    ) throws(EncodeError) -> [UInt8] {
        precondition(loopCount >= 0, "an animation plays 0 times (for ever) or more")
        guard let first = frames.first?.bitmap else { preconditionFailure("an animation has at least one frame") }
        for frame in frames {
            precondition(
                frame.bitmap.width == first.width && frame.bitmap.height == first.height,
                "the frames of an animation have one size")
        }
        let call = EncodeCall(format: .png, flag: cancellation)
        let parts = try call.changes(in: frames)
        return try fitting(.png) { (level, maxBytes) throws(EncodeError) in
            try call.apng(parts, loopCount: loopCount, options.png, level: level, maxBytes: maxBytes)
        }
    }
}

/// What an APNG stores of a frame: a rectangle of its bitmap.
struct FramePart {
    let bitmap: Bitmap
    let area: imgc_rect
    let delay: FrameDelay
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
