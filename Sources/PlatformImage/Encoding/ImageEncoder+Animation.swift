extension ImageEncoder {
    /// Encodes frames as an APNG; viewers without APNG support show the first frame.
    ///
    /// Lossless: of each frame only the rectangle that differs from the previous frame is stored, or one pixel when
    /// they are equal. The colour type is chosen for all frames together.
    ///
    /// - Parameters:
    ///   - frames: At least one frame; all bitmaps must have the same size. Only the delay of ``AnimationFrame/info``
    ///     is used. A delay whose numerator or denominator exceeds 65,535 is reduced to lowest terms; if this is not
    ///     sufficient, the delay is rounded and limited to 65,535 s.
    ///   - loopCount: Number of plays, 0 for infinite; at most 2,147,483,647, larger values are clamped.
    ///   - cancellation: Stops the encode at its next batch of rows when raised.
    /// - Throws: `invalidArgument` when there is no frame, when sizes differ, and when `loopCount`, a delay or an
    ///   option is out of its range; `tooLarge`, `overMaxBytes`, `outOfMemory`, `cancelled`, `deadlinePassed`.
    public func encodeAnimation(
        _ frames: [AnimationFrame], loopCount: Int = 0, cancellation: CancellationFlag? = nil
    ) throws(EncodeError) -> [UInt8] {
        try options.check(for: .png)
        try Self.check(frames, loopCount: loopCount)
        return try addingMetadata(.png, width: frames[0].bitmap.width, height: frames[0].bitmap.height) {
            (encoder) throws(EncodeError) in try encoder.encodeFrames(frames, loopCount: loopCount, cancellation)
        }
    }

    private func encodeFrames(
        _ frames: [AnimationFrame], loopCount: Int, _ cancellation: CancellationFlag?
    ) throws(EncodeError) -> [UInt8] {
        let call = EncodeCall(format: .png, flag: cancellation)
        var parts: [FramePart] = []
        for (index, frame) in frames.enumerated() {
            let before = index == 0 ? nil : frames[index - 1].bitmap
            parts.append(try call.part(of: frame.bitmap, after: before, delay: frame.info.delay))
        }
        return try encodeWithinLimit(.png) { (level, maxBytes) throws(EncodeError) in
            try call.apng(parts, loopCount: loopCount, options.png, level: level, maxBytes: maxBytes)
        }
    }

    /// - Throws: `invalidArgument` when frames, delays or `loopCount` are not valid for an animation.
    private static func check(_ frames: [AnimationFrame], loopCount: Int) throws(EncodeError) {
        func invalid(_ message: String) -> EncodeError { EncodeError(.invalidArgument, format: .png, message) }
        guard let first = frames.first?.bitmap else { throw invalid("frames is empty, at least 1 is required") }
        guard loopCount >= 0 else { throw invalid("loopCount is \(loopCount), allowed: 0 (infinite) or more") }
        for (index, frame) in frames.enumerated() {
            let (bitmap, delay) = (frame.bitmap, frame.info.delay)
            guard bitmap.width == first.width, bitmap.height == first.height else {
                throw invalid(
                    "frame \(index) has \(bitmap.width) x \(bitmap.height) pixels, frame 0 has "
                        + "\(first.width) x \(first.height)")
            }
            guard delay.isValid else {
                throw invalid(
                    "the delay of frame \(index) is \(delay.numerator)/\(delay.denominator) s, allowed: 0 s and more")
            }
        }
    }
}
