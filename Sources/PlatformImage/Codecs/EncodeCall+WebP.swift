internal import CImageCodecs

extension EncodeCall {
    /// Encodes a WebP; nil when the file exceeds `maxBytes`.
    func webP(_ bitmap: Bitmap, _ options: WebPOptions, maxBytes: Int?) throws(EncodeError) -> [UInt8]? {
        try checkSize(bitmap, maxSide: 16_383)
        var settings = options.codecValue
        let output = EncodedBytes(maxBytes: maxBytes)
        return try outputBytes(output) { (report) throws(EncodeError) in
            unsafe bitmap.withImage(bitmap.fullArea) { image in
                unsafe imgc_encode_webp(&image, &settings, flag?.pointer, &output.bytes, &report)
            }
        }
    }

    /// Encodes an animated WebP; nil when the file exceeds `maxBytes`.
    func webPAnimation(
        _ frames: [AnimationFrame], loopCount: Int, _ options: WebPOptions, maxBytes: Int?
    ) throws(EncodeError) -> [UInt8]? {
        let canvas = frames[0].bitmap  // trap-free: the encoder has compared the number
        try checkSize(canvas, maxSide: 16_383)
        var settings = imgc_webp_animation_options(
            frames: options.codecValue, width: UInt32(clamping: canvas.width), height: UInt32(clamping: canvas.height),
            play_count: UInt16(clamping: loopCount),
            key_frame_interval: UInt32(clamping: options.keyFrameInterval ?? (options.isLossless ? 17 : 5)),
            is_mixed: options.mixesLosslessFrames)
        // The duration of a frame has 24 bits in the file. Times wrap around; libwebpmux uses only their differences.
        var times = FrameTimes(unitsPerSecond: 1000, maxDelay: 0xFF_FFFF)
        let output = EncodedBytes(maxBytes: maxBytes)
        return try withExtendedLifetime(flag) { () throws(EncodeError) -> [UInt8]? in
            var encoder: OpaquePointer?
            defer { unsafe imgc_webp_animation_destroy(encoder) }
            try run { unsafe imgc_webp_animation_create(&settings, flag?.pointer, &encoder, &$0) }
            return try outputBytes(output) { (report) throws(EncodeError) in
                for frame in frames {
                    let status = unsafe frame.bitmap.withImage(frame.bitmap.fullArea) { image in
                        let start = UInt32(truncatingIfNeeded: times.start)
                        return unsafe imgc_webp_animation_add(encoder, &image, start, &report)
                    }
                    guard status == IMGC_OK else { return status }
                    times.advance(by: frame.info.delay)
                }
                return unsafe imgc_webp_animation_end(
                    encoder, UInt32(truncatingIfNeeded: times.start), &output.bytes, &report)
            }
        }
    }
}

extension WebPOptions {
    fileprivate var codecValue: imgc_webp_options {
        imgc_webp_options(
            is_lossless: isLossless, quality: UInt8(clamping: quality), method: UInt8(clamping: method),
            level: UInt8(clamping: effectiveLosslessLevel), near_lossless: UInt8(clamping: nearLossless),
            alpha_quality: UInt8(clamping: alphaQuality), sharp_yuv: usesSharpYUV, is_exact: preservesTransparentColors)
    }
}
