// Numbers that may come from outside, a request for example, are checked where they are used, by a call that throws.
// Docs: the article InvalidArguments.

extension DecodeError {
    /// - Throws: `invalidArgument` with the name as ``DecodeError/detail`` when `value` is outside `range`.
    static func check(_ value: Int, _ name: String, isIn range: ClosedRange<Int>) throws(DecodeError) {
        guard !range.contains(value) else { return }
        throw invalidArgument(name, "\(value)", allowed: range.allowedValues)
    }

    /// An error that names the argument, its value and the allowed ones.
    static func invalidArgument(_ name: String, _ value: String, allowed: String) -> DecodeError {
        DecodeError(.invalidArgument, detail: name, "\(name) is \(value), allowed: \(allowed)")
    }
}

extension ClosedRange<Int> {
    /// `1...9`, or `1 or more` when there is no upper bound.
    fileprivate var allowedValues: String { upperBound == .max ? "\(lowerBound) or more" : "\(self)" }
}

extension DecodeOptions {
    /// - Throws: `invalidArgument` when ``scaleDenominator`` or ``page`` is out of its range.
    package func check() throws(DecodeError) {
        guard [1, 2, 4, 8].contains(scaleDenominator) else {
            throw .invalidArgument("scaleDenominator", "\(scaleDenominator)", allowed: "1, 2, 4, 8")
        }
        try DecodeError.check(page, "page", isIn: 0 ... .max)
    }
}

extension ThumbnailOptions {
    /// - Throws: `invalidArgument` when a number is out of its range.
    func check() throws(DecodeError) {
        if let invalidArgument { throw invalidArgument }
    }

    /// The first option that is out of its range, as an error; nil when all are in range.
    var invalidArgument: DecodeError? {
        do throws(DecodeError) {
            if let width { try DecodeError.check(width, "width", isIn: 1...Self.maxSide) }
            if let height { try DecodeError.check(height, "height", isIn: 1...Self.maxSide) }
            // A NaN is in no range.
            guard (0...1).contains(gravity.x), (0...1).contains(gravity.y) else {
                return .invalidArgument("gravity", "(\(gravity.x), \(gravity.y))", allowed: "0...1 each")
            }
            return nil
        } catch {
            return error
        }
    }
}

extension EncodeOptions {
    /// - Throws: `invalidArgument` when an option that counts for the format is out of its range.
    func check(for format: EncodedFormat) throws(EncodeError) {
        if let maxBytes { try Self.check(maxBytes, "maxBytes", isIn: 1 ... .max, format) }
        switch format {
        case .png: try Self.check(png.compressionLevel, "png.compressionLevel", isIn: 0...9, format)
        case .jpeg: try Self.check(jpeg.quality, "jpeg.quality", isIn: 1...100, format)
        }
    }

    private static func check(
        _ value: Int, _ name: String, isIn range: ClosedRange<Int>, _ format: EncodedFormat
    ) throws(EncodeError) {
        guard !range.contains(value) else { return }
        throw EncodeError(
            .invalidArgument, format: format, "\(name) is \(value), allowed: \(range.allowedValues)")
    }
}

extension ImageEncoder {
    /// - Throws: `invalidArgument` when the frames are no animation.
    static func check(_ frames: [AnimationFrame], loopCount: Int) throws(EncodeError) {
        func invalid(_ message: String) -> EncodeError { EncodeError(.invalidArgument, format: .png, message) }
        guard let first = frames.first?.bitmap else { throw invalid("frames is empty, at least 1 is needed") }
        guard loopCount >= 0 else { throw invalid("loopCount is \(loopCount), allowed: 0 (for ever) and more") }
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

extension PixelStorage {
    /// The storage of a bitmap of `width` x `height` pixels.
    ///
    /// - Parameter limits: `maxSide`, `maxPixels` and `maxMemory` hold for it.
    /// - Throws: `invalidArgument` when a side is below 1, `limitExceeded`, `outOfMemory`.
    static func ofBitmap(
        width: Int, height: Int, limits: DecodeLimits, zeroed: Bool
    ) throws(DecodeError) -> PixelStorage {
        try DecodeError.check(width, "width", isIn: 1 ... .max)
        try DecodeError.check(height, "height", isIn: 1 ... .max)
        if let limit = limits.maxSide, max(width, height) > limit {
            throw DecodeError(
                .limitExceeded, detail: "maxSide", "\(width) x \(height) pixels: a side is over the limit of \(limit)")
        }
        let (pixels, overflows) = width.multipliedReportingOverflow(by: height)
        if let limit = limits.maxPixels, overflows || pixels > limit {
            throw DecodeError(
                .limitExceeded, detail: "maxPixels", "\(width) x \(height) pixels are over the limit of \(limit)")
        }
        if let limit = limits.maxMemory, overflows || pixels > limit / 4 {
            throw DecodeError(
                .limitExceeded, detail: "maxMemory",
                "\(width) x \(height) pixels of 4 bytes are over the limit of \(limit) bytes")
        }
        guard !overflows, pixels <= Int.max / 4, let storage = PixelStorage(byteCount: pixels * 4, zeroed: zeroed)
        else { throw DecodeError(.outOfMemory, "no memory for \(width) x \(height) pixels") }
        return storage
    }
}
