extension ImageEncoder {
    /// An upper estimate of the work of encoding in nanoseconds of one core at 3 GHz, the unit of
    /// ``DecodeLimits/maxWork`` and ``EncodeOptions/maxWork``; clamped to `Int.max`.
    ///
    /// The weights are the highest ones measured with libwebp 1.2.4, libdeflate 1.14 and the options of this encoder:
    /// noise, noise in the alpha channel, gradients, patterns and single colours, 16 x 16 to 447 x 447 pixels.
    /// An attempt to fit ``EncodeOptions/maxBytes`` takes the same work again. With
    /// ``WebPOptions/usesLosslessUnlessLarger``, the work is that of both files.
    ///
    /// - Parameters:
    ///   - width, height: Size of the image or of the canvas in pixels, 0 or more.
    ///   - frameCount: Number of frames of an animation; nil for a still image.
    package func work(width: Int, height: Int, frameCount: Int? = nil, as format: EncodedFormat) -> Int {
        if format == .webp, let alternative = options.webp.losslessAlternative {
            var (lossless, lossy) = (self, self)
            lossless.options.webp = alternative
            lossy.options.webp.usesLosslessUnlessLarger = false
            return lossless.work(width: width, height: height, frameCount: frameCount, as: format)
                .addingClamped(lossy.work(width: width, height: height, frameCount: frameCount, as: format))
        }
        let pixels = width.multipliedClamped(by: height)
        let cost = cost(of: format, isAnimation: frameCount != nil)
        // Tables of prefix codes and palettes depend on the number of colours, which is at most that of pixels.
        let tables = min(pixels.multipliedClamped(by: 2_000), cost.tables)
        let frame = pixels.multipliedClamped(by: cost.pixel).addingClamped(tables).addingClamped(cost.frame)
        return frame.multipliedClamped(by: max(1, frameCount ?? 1))
    }

    /// Nanoseconds of a frame, of the tables of a large frame, and of a pixel.
    private func cost(of format: EncodedFormat, isAnimation: Bool) -> (frame: Int, tables: Int, pixel: Int) {
        switch format {
        case .jpeg: return (frame: 50_000, tables: 0, pixel: 30)
        case .png:
            // Above level 6, the search for matches dominates; level 9 takes up to 22 times as long as level 6.
            let pixel = options.png.compressionLevel > 6 || options.maxBytes != nil ? 4_700 : 220
            return (frame: 30_000, tables: 0, pixel: pixel)
        case .gif:
            return options.gif.palette == .perFrame && isAnimation
                ? (frame: 50_000, tables: 20_000_000, pixel: 230) : (frame: 250_000, tables: 0, pixel: 170)
        case .webp:
            // libwebpmux encodes parts of frames again, for key frames and other disposals.
            let again = isAnimation ? 3 : 2
            let lossless = options.webp.effectiveLosslessLevel > 6 ? 4 : 1
            if options.webp.isLossless {
                return (
                    frame: 150_000 * again, tables: 6_000_000 * again * lossless, pixel: 320 * again * lossless
                )
            }
            return options.webp.mixesLosslessFrames && isAnimation
                ? (frame: 300_000, tables: 1_500_000, pixel: 300)
                : (frame: 100_000 * again, tables: 0, pixel: 110 * again)
        }
    }

    /// The encoder; without ``WebPOptions/usesLosslessUnlessLarger`` when the work of both files exceeds
    /// ``EncodeOptions/maxWork``.
    ///
    /// - Throws: `limitExceeded` when the estimated work exceeds ``EncodeOptions/maxWork``.
    func checkingWork(
        width: Int, height: Int, frameCount: Int? = nil, as format: EncodedFormat
    ) throws(EncodeError) -> ImageEncoder {
        guard let limit = options.maxWork else { return self }
        var encoder = self
        var work = work(width: width, height: height, frameCount: frameCount, as: format)
        if work > limit, format == .webp, options.webp.losslessAlternative != nil {
            encoder.options.webp.usesLosslessUnlessLarger = false
            work = encoder.work(width: width, height: height, frameCount: frameCount, as: format)
        }
        guard work > limit else { return encoder }
        let frames = frameCount.map { "\($0) frames of " } ?? ""
        throw EncodeError(
            .limitExceeded, format: format,
            "\(frames)\(width) x \(height) pixels: an estimated work of \(work / 1_000_000) ms exceeds the limit of "
                + "\(limit / 1_000_000) ms")
    }
}

extension ImageHeader {
    /// An upper estimate of the work of decoding `count` frames that cover the canvas, in the unit of
    /// ``DecodeLimits/maxWork``, for a decision before the decode; clamped to `Int.max`.
    ///
    /// The decode itself counts the sizes of the frames. The weights are those of the codecs, with the composition of
    /// each frame and its conversion to sRGB when the file has a profile.
    package func framesWork(_ count: Int) -> Int {
        let decoded =
            switch format {
            case .webp: 13
            case .png: 3 + 2 * max(1, channelCount * bitsPerChannel / 8)
            case .gif: 4
            case .jpeg, .tiff, .bmp: 0
            }
        let pixel = decoded + 4 + (profileSource == .icc ? 20 : 0)
        let canvas = width.multipliedClamped(by: height).multipliedClamped(by: pixel)
        return canvas.addingClamped(10_000).multipliedClamped(by: count)
    }
}
