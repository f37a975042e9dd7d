internal import CImageCodecs

extension ImageEncoder {
    /// The APNG of these frames; viewers that do not know APNG show the first one.
    ///
    /// All pixels and delays are kept: of each frame only the rectangle that differs from the frame before is stored,
    /// one pixel when nothing does. Colours are chosen for all frames together.
    ///
    /// - Parameters:
    ///   - frames: At least one; all bitmaps have one size. Of ``AnimationFrame/info`` the delay alone counts. A delay
    ///     whose numerator or denominator is over 65,535 is reduced, then rounded.
    ///   - loopCount: How often the animation plays, 0 for ever; more than 2,147,483,647 acts as that.
    ///   - cancellation: Ends the encoding at its next row batch when raised.
    /// - Throws: `invalidArgument` when there is no frame, when sizes differ, and when `loopCount`, a delay or an
    ///   option is out of its range; `tooLarge`, `overMaxBytes`, `outOfMemory`, `cancelled`, `deadlinePassed`.
    public func encodeAnimation(
        _ frames: [AnimationFrame], loopCount: Int = 0, cancellation: CancellationFlag? = nil
    ) throws(EncodeError) -> [UInt8] {
        try options.check(for: .png)
        try Self.check(frames, loopCount: loopCount)
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
