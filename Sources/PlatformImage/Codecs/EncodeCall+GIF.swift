internal import CImageCodecs

extension EncodeCall {
    /// Encodes a GIF; nil when the file exceeds `maxBytes`.
    func gif(_ bitmap: Bitmap, _ options: GIFOptions, maxBytes: Int?) throws(EncodeError) -> [UInt8]? {
        let frame = AnimationFrame(bitmap, delay: FrameDelay(numerator: 0, denominator: 1))
        return try gifAnimation([frame], loopCount: 1, options, maxBytes: maxBytes)
    }

    /// Encodes an animated GIF, or a still one for one frame; nil when the file exceeds `maxBytes`.
    func gifAnimation(
        _ frames: [AnimationFrame], loopCount: Int, _ options: GIFOptions, maxBytes: Int?
    ) throws(EncodeError) -> [UInt8]? {
        try checkSize(frames[0].bitmap, maxSide: 65_535)  // trap-free: the encoder has compared the number
        var settings = options.codecValue
        settings.frame_count = UInt32(clamping: frames.count)
        // The loop extension counts the plays after the first one; without it, the animation is played once.
        settings.repeats = frames.count > 1 && loopCount != 1
        settings.repeat_count = UInt16(clamping: max(0, loopCount &- 1))
        guard let encoder = unsafe imgc_gif_encoder_create(&settings, flag?.pointer) else {
            throw EncodeError(.outOfMemory, format: format, "gif: out of memory")
        }
        defer { unsafe imgc_gif_encoder_destroy(encoder) }
        var times = FrameTimes(unitsPerSecond: 100, maxDelay: UInt32(UInt16.max))
        let output = EncodedBytes(maxBytes: maxBytes)
        return try withExtendedLifetime(flag) { () throws(EncodeError) -> [UInt8]? in
            for frame in frames {
                try run { report in
                    unsafe frame.bitmap.withImage(frame.bitmap.fullArea) {
                        unsafe imgc_gif_encoder_analyze(encoder, &$0, &report)
                    }
                }
            }
            return try outputBytes(output) { (report) throws(EncodeError) in
                let followers = frames.dropFirst().map { Optional($0.bitmap) } + [nil]
                for (frame, next) in zip(frames, followers) {
                    let delay = UInt16(clamping: times.advance(by: frame.info.delay))
                    let status = unsafe frame.bitmap.withImage(frame.bitmap.fullArea) { image in
                        guard let next else {
                            return unsafe imgc_gif_encoder_add(encoder, &image, nil, delay, &output.bytes, &report)
                        }
                        return unsafe next.withImage(next.fullArea) { following in
                            unsafe imgc_gif_encoder_add(encoder, &image, &following, delay, &output.bytes, &report)
                        }
                    }
                    guard status == IMGC_OK else { return status }
                }
                return unsafe imgc_gif_encoder_end(encoder, &output.bytes, &report)
            }
        }
    }
}

extension GIFOptions {
    fileprivate var codecValue: imgc_gif_options {
        var value = imgc_gif_options()
        value.max_colors = UInt16(clamping: maxColors)
        value.shares_palette = palette == .shared
        value.dither =
            switch dither {
            case .none: UInt8(truncatingIfNeeded: IMGC_GIF_DITHER_NONE.rawValue)
            case .ordered: UInt8(truncatingIfNeeded: IMGC_GIF_DITHER_ORDERED.rawValue)
            case .floydSteinberg: UInt8(truncatingIfNeeded: IMGC_GIF_DITHER_FLOYD_STEINBERG.rawValue)
            }
        return value
    }
}
