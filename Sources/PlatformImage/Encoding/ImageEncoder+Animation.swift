extension ImageEncoder {
    /// Encodes frames as an APNG; viewers without APNG support show the first frame.
    ///
    /// Equal to ``encodeAnimation(_:as:loopCount:cancellation:)`` with ``EncodedFormat/png``.
    public func encodeAnimation(
        _ frames: [AnimationFrame], loopCount: Int = 0, cancellation: CancellationFlag? = nil
    ) throws(EncodeError) -> [UInt8] {
        try encodeAnimation(frames, as: .png, loopCount: loopCount, cancellation: cancellation)
    }

    /// Encodes frames as an animation.
    ///
    /// PNG is lossless: of each frame only the rectangle that differs from the previous frame is stored, or one pixel
    /// when they are equal. The colour type is chosen for all frames together.
    ///
    /// WebP is lossy or lossless, or a mixture of both (``WebPOptions``). libwebpmux chooses rectangle, disposal and
    /// blending of each frame. Consecutive frames that look equal are stored as one frame with the sum of their delays;
    /// when all frames look equal, the file is a still image.
    ///
    /// GIF has at most 256 colours per frame (``GIFOptions``). Of each frame only the rectangle with changed pixels is
    /// stored, or one pixel; unchanged pixels keep the colour, and its dithering, of the frame that has drawn them. The
    /// disposal clears or restores pixels only where a later frame needs that.
    ///
    /// - Parameters:
    ///   - frames: At least one frame; all bitmaps must have the same size. Only the delay of ``AnimationFrame/info``
    ///     is used. PNG: a delay whose numerator or denominator exceeds 65,535 is reduced to lowest terms; if this is
    ///     not sufficient, the delay is rounded and limited to 65,535 s. WebP: a delay is limited to 16,777.215 s, and
    ///     the start time of each frame is rounded to the nearest millisecond, so that rounding errors do not
    ///     accumulate. GIF: the same with hundredths of a second, at most 655.35 s; browsers show a frame with a
    ///     delay below 0.02 s for 0.1 s.
    ///   - format: PNG, WebP or GIF.
    ///   - loopCount: Number of plays, 0 for infinite; at most 2,147,483,647 in PNG, 65,536 in GIF and 65,535 in WebP,
    ///     larger values are clamped. The Netscape loop extension of a GIF, which contains the number of plays after
    ///     the first one, is absent for 1.
    ///   - cancellation: Stops the encode at its next batch of rows when raised; a lossless WebP only between frames
    ///     and at the few steps within a frame that libwebp reports.
    /// - Throws: `invalidArgument` when there is no frame, when sizes differ, and when `loopCount`, a delay or an
    ///   option is out of its range; `unsupportedFormat` for JPEG and when the build has no encoder for the format;
    ///   `tooLarge`, `limitExceeded`, `overMaxBytes`, `outOfMemory`, `cancelled`, `deadlinePassed`.
    public func encodeAnimation(
        _ frames: [AnimationFrame], as format: EncodedFormat, loopCount: Int = 0, cancellation: CancellationFlag? = nil
    ) throws(EncodeError) -> [UInt8] {
        try options.check(for: format)
        try Self.check(frames, loopCount: loopCount, format)
        let canvas = frames[0].bitmap
        let affordable = try checkingWork(
            width: canvas.width, height: canvas.height, frameCount: frames.count, as: format)
        return try affordable.addingMetadata(format, width: canvas.width, height: canvas.height, cancellation) {
            (encoder) throws(EncodeError) in
            try encoder.encodeFrames(frames, as: format, loopCount: loopCount, cancellation)
        }
    }

    /// Encodes the thumbnails of an animation as an animation.
    ///
    /// Equal to ``encodeAnimation(_:as:loopCount:cancellation:)`` with the frames of the result. Its status is not
    /// used: of a damaged source, the frames that were decoded are encoded.
    ///
    /// - Parameters:
    ///   - thumbnails: The result of
    ///     ``ImageDecoder/thumbnails(ofFramesIn:options:as:cancellation:)``, with at least one frame.
    ///   - format: PNG, WebP or GIF.
    ///   - loopCount: Number of plays, 0 for infinite. The result does not contain that of the source:
    ///     `ImageDecoder().header(of: bytes).loopCount ?? 1`.
    ///   - cancellation: Stops the encode when raised.
    /// - Throws: The errors of ``encodeAnimation(_:as:loopCount:cancellation:)``.
    public func encodeAnimation(
        _ thumbnails: (frames: [AnimationFrame], status: DecodeStatus), as format: EncodedFormat = .png,
        loopCount: Int = 0, cancellation: CancellationFlag? = nil
    ) throws(EncodeError) -> [UInt8] {
        try encodeAnimation(thumbnails.frames, as: format, loopCount: loopCount, cancellation: cancellation)
    }

    private func encodeFrames(
        _ frames: [AnimationFrame], as format: EncodedFormat, loopCount: Int, _ cancellation: CancellationFlag?
    ) throws(EncodeError) -> [UInt8] {
        let call = EncodeCall(format: format, flag: cancellation)
        switch format {
        case .png: return try apng(frames, loopCount: loopCount, call)
        case .webp:
            return try encodeWebPWithinLimit { (options, maxBytes) throws(EncodeError) in
                try call.webPAnimation(frames, loopCount: loopCount, options, maxBytes: maxBytes)
            }
        case .gif: return try gifAnimation(frames, loopCount: loopCount, call)
        case .jpeg: throw EncodeError(.unsupportedFormat, format: format, "jpeg: the format has no animations")
        }
    }

    private func apng(
        _ frames: [AnimationFrame], loopCount: Int, _ call: EncodeCall
    ) throws(EncodeError) -> [UInt8] {
        var parts: [FramePart] = []
        for (index, frame) in frames.enumerated() {
            let before = index == 0 ? nil : frames[index - 1].bitmap
            parts.append(try call.part(of: frame.bitmap, after: before, delay: frame.info.delay))
        }
        return try encodeWithinLimit(.png, level: options.png.compressionLevel) {
            (level, maxBytes) throws(EncodeError) in
            try call.apng(parts, loopCount: loopCount, options.png, level: level, maxBytes: maxBytes)
        }
    }

    /// - Throws: `invalidArgument` when frames, delays or `loopCount` are not valid for an animation.
    private static func check(
        _ frames: [AnimationFrame], loopCount: Int, _ format: EncodedFormat
    ) throws(EncodeError) {
        func invalid(_ message: String) -> EncodeError { EncodeError(.invalidArgument, format: format, message) }
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
