/// Encodes bitmaps as PNG, JPEG, WebP or GIF, or an animation of PNG, WebP or GIF.
///
/// Equal pixels and options give equal bytes. By default files contain only the image: no profile (pixels are sRGB),
/// EXIF, time or software name; ``EncodeOptions/metadata`` and ``EncodeOptions/iccProfile`` add those of a source. Any
/// number of threads may use an encoder concurrently; each call blocks the calling thread until the encode is done.
public struct ImageEncoder: Sendable {
    /// Quality, compression level and maximum size.
    public var options: EncodeOptions

    /// Creates an encoder.
    public init(options: EncodeOptions = EncodeOptions()) {
        self.options = options
    }

    /// Encodes one image.
    ///
    /// - Parameters:
    ///   - bitmap: Straight alpha, in sRGB or in the colour space of ``EncodeOptions/iccProfile``.
    ///   - format: PNG is lossless; JPEG composites transparent pixels over ``JPEGOptions/background`` and stores one
    ///     component when all pixels are gray; WebP is lossy or lossless (``WebPOptions``) and stores alpha; GIF has at
    ///     most 256 colours and no partial transparency (``GIFOptions``).
    ///   - cancellation: Stops the encode at its next batch of rows when raised; a lossless WebP only at the next of
    ///     the few steps that libwebp reports.
    /// - Throws: `invalidArgument` when an option that applies to the format is out of its range, `unsupportedFormat`,
    ///   `tooLarge`, `limitExceeded`, `overMaxBytes`, `outOfMemory`, `cancelled`, `deadlinePassed`.
    public func encode(
        _ bitmap: Bitmap, as format: EncodedFormat, cancellation: CancellationFlag? = nil
    ) throws(EncodeError) -> [UInt8] {
        try options.check(for: format)
        let affordable = try checkingWork(width: bitmap.width, height: bitmap.height, as: format)
        return try affordable.addingMetadata(format, width: bitmap.width, height: bitmap.height, cancellation) {
            (encoder) throws(EncodeError) in try encoder.encodePixels(bitmap, as: format, cancellation)
        }
    }

    private func encodePixels(
        _ bitmap: Bitmap, as format: EncodedFormat, _ cancellation: CancellationFlag?
    ) throws(EncodeError) -> [UInt8] {
        let call = EncodeCall(format: format, flag: cancellation)
        switch format {
        case .png:
            return try encodeWithinLimit(format, level: options.png.compressionLevel) {
                (level, maxBytes) throws(EncodeError) in
                try call.png(bitmap, options.png, level: level, maxBytes: maxBytes)
            }
        case .jpeg:
            return try encodeWithinLimit(format, quality: options.jpeg.quality) {
                (quality, maxBytes) throws(EncodeError) in
                try call.jpeg(bitmap, options.jpeg, quality: quality, maxBytes: maxBytes)
            }
        case .webp:
            return try encodeWebPWithinLimit { (options, maxBytes) throws(EncodeError) in
                try call.webP(bitmap, options, maxBytes: maxBytes)
            }
        case .gif:
            return try encodeGIFWithinLimit { (options, maxBytes) throws(EncodeError) in
                try call.gif(bitmap, options, maxBytes: maxBytes)
            }
        }
    }

    /// Compresses at the requested level, and again at level 9 when the file exceeds ``EncodeOptions/maxBytes``.
    func encodeWithinLimit(
        _ format: EncodedFormat, level: Int, _ encode: (_ level: Int, _ maxBytes: Int?) throws(EncodeError) -> [UInt8]?
    ) throws(EncodeError) -> [UInt8] {
        if let file = try encode(level, options.maxBytes) { return file }
        if level < 9, let file = try encode(9, options.maxBytes) { return file }
        throw try overMaxBytes(format, encode(9, nil), "compression level 9")
    }

    /// Encodes at the requested quality, or at the highest lower quality at which the file does not exceed
    /// ``EncodeOptions/maxBytes``.
    func encodeWithinLimit(
        _ format: EncodedFormat, quality: Int,
        _ encode: (_ quality: Int, _ maxBytes: Int?) throws(EncodeError) -> [UInt8]?
    ) throws(EncodeError) -> [UInt8] {
        if let file = try encode(quality, options.maxBytes) { return file }
        // Invariant of the binary search: a file of quality `lowest` is within the limit, or `lowest` is 0 and was not
        // tried; a file of quality `tooHigh` exceeds the limit.
        var (lowest, tooHigh) = (0, quality)
        var best: [UInt8]?
        while tooHigh - lowest > 1 {
            let quality = (lowest + tooHigh) / 2
            if let file = try encode(quality, options.maxBytes) {
                best = file
                lowest = quality
            } else {
                tooHigh = quality
            }
        }
        if let best { return best }
        throw try overMaxBytes(format, encode(1, nil), "quality 1")
    }

    /// Changes the level of a lossless WebP, or the quality of a lossy one, when the file exceeds
    /// ``EncodeOptions/maxBytes``. With ``WebPOptions/usesLosslessUnlessLarger``, the lossy file has the requested
    /// quality if the lossless one is within the limit.
    func encodeWebPWithinLimit(
        _ encode: (_ options: WebPOptions, _ maxBytes: Int?) throws(EncodeError) -> [UInt8]?
    ) throws(EncodeError) -> [UInt8] {
        let adjusted = options.webp
        if adjusted.isLossless { return try encodeLosslessWebPWithinLimit(encode) }
        let alternative = adjusted.losslessAlternative
        if let alternative, let lossless = try encode(alternative, options.maxBytes) {
            return try encode(adjusted, lossless.count - 1) ?? lossless
        }
        do throws(EncodeError) {
            return try encodeLossyWebPWithinLimit(encode)
        } catch {
            guard let alternative, let smallest = error.smallestByteCount, let lossless = try encode(alternative, nil),
                lossless.count < smallest
            else { throw error }
            throw overMaxBytes(.webp, lossless, "lossless compression")
        }
    }

    private func encodeLossyWebPWithinLimit(
        _ encode: (_ options: WebPOptions, _ maxBytes: Int?) throws(EncodeError) -> [UInt8]?
    ) throws(EncodeError) -> [UInt8] {
        var adjusted = options.webp
        return try encodeWithinLimit(.webp, quality: adjusted.quality) { (quality, maxBytes) throws(EncodeError) in
            adjusted.quality = quality
            return try encode(adjusted, maxBytes)
        }
    }

    /// Compresses at the requested level, and again at level 8. Level 9 takes 15 to 25 times as long. A higher level
    /// does not always give a smaller file.
    private func encodeLosslessWebPWithinLimit(
        _ encode: (_ options: WebPOptions, _ maxBytes: Int?) throws(EncodeError) -> [UInt8]?
    ) throws(EncodeError) -> [UInt8] {
        let level = options.webp.effectiveLosslessLevel
        var attempts = [options.webp]
        if level < 8 {
            attempts.append(options.webp)
            attempts[1].losslessLevel = 8
        }
        for attempt in attempts {
            if let file = try encode(attempt, options.maxBytes) { return file }
        }
        var smallest: [UInt8]?
        for attempt in attempts {
            let file = try encode(attempt, nil)
            if smallest == nil || file?.count ?? .max < smallest?.count ?? .max { smallest = file }
        }
        throw overMaxBytes(.webp, smallest, "compression level \(max(level, 8)) or \(level)")
    }

    func overMaxBytes(_ format: EncodedFormat, _ smallest: [UInt8]?, _ how: String) -> EncodeError {
        let count = smallest?.count ?? 0
        return EncodeError(
            .overMaxBytes, format: format, smallestByteCount: count,
            "\(format.rawValue): \(count) bytes at \(how) exceed the limit of \(options.maxBytes ?? 0) bytes")
    }
}
