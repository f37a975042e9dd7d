import PlatformImage

/// Encoder settings for results.
struct ResultEncoding: Sendable {
    /// Encoder options; the quality of lossy formats and the byte limit are replaced by those of the request.
    var options = EncodeOptions()
    /// Time for the search for the smallest file among several formats, measured from the start of the first encode;
    /// nil disables the search.
    var searchBudget: Duration?
    /// Encodes a lossy WebP with ``WebPEffort/small``, and with a quality that is higher by 1: fewer bytes and less
    /// error than at the requested quality with the default effort, which takes less time.
    private(set) var prefersSmallWebP = false

    /// Encodes a WebP without loss too, and uses this file unless the lossy one is smaller.
    var comparesLosslessWebP = false

    /// The lowest quality that a byte limit or a search leads to.
    static let lowestQuality = 10
    /// Maximum number of encodes per result and format.
    static let maxEncodes = 6

    init(searchBudget: Duration? = nil) { self.searchBudget = searchBudget }

    /// The settings with metadata and profile of a source.
    func adding(_ metadata: SourceMetadata) -> Self {
        var encoding = self
        metadata.add(to: &encoding.options)
        return encoding
    }

    /// The settings for a result of a source.
    ///
    /// A JPEG is decoded at a reduced size; the decode of another source with at least four times the pixels of the
    /// result takes longer than the encode, which may then be slower.
    func adapted(to source: ImageHeader, width: Int, height: Int) -> Self {
        guard source.format != .jpeg, options.webp.effort == .default,
            source.width.multipliedClamped(by: source.height) / 4 >= width.multipliedClamped(by: height)
        else { return self }
        var encoding = self
        encoding.prefersSmallWebP = true
        return encoding
    }

    /// Encodes a bitmap.
    ///
    /// With a byte limit, a binary search for the highest quality of a lossy format (JPEG, WebP) whose file fits tries
    /// qualities between ``lowestQuality`` and the requested quality. It ends after ``maxEncodes`` encodes at the
    /// latest, and the file of the highest tried quality that fits is returned. When none fits, the file of the lowest
    /// quality is returned, or the lossless one that was compared if it is smaller. Other formats have no quality, and
    /// the limit does not apply to them.
    func file(
        of bitmap: Bitmap, as format: EncodedFormat, quality: Int, maxBytes: Int?, cancellation: CancellationFlag?
    ) throws(EncodeError) -> EncodedFile {
        guard format.isLossy else {
            return EncodedFile(try encode(bitmap, format, quality: nil, cancellation), format)
        }
        let requestedQuality = min(max(1, quality), 100)
        let first = try encoder(quality: requestedQuality, comparesLossless: comparesLosslessWebP)
            .encode(bitmap, as: format, cancellation: cancellation)
        var file = EncodedFile(first, format, quality: qualityOfFile(first, format, requestedQuality))
        guard let maxBytes, file.bytes.count > maxBytes, requestedQuality > Self.lowestQuality else { return file }

        // Bounds of the search. The file of quality `tooHigh` exceeds the limit. Once `isFound` is true, the file of
        // quality `lowest` fits; until then this quality is untested, and it is encoded last.
        var (lowest, tooHigh, isFound) = (Self.lowestQuality, requestedQuality, false)
        while file.encodes < Self.maxEncodes - (isFound ? 0 : 1), tooHigh - lowest > 1 {
            let quality = (lowest + tooHigh) / 2
            let bytes = try encode(bitmap, format, quality: quality, cancellation)
            if bytes.count <= maxBytes {
                file.replace(with: bytes, format, quality: quality)
                (lowest, isFound) = (quality, true)
            } else {
                file.count(bytes, format)
                tooHigh = quality
            }
        }
        if isFound { return file }
        let bytes = try encode(bitmap, format, quality: Self.lowestQuality, cancellation)
        if file.quality == nil, file.bytes.count <= bytes.count {
            file.count(bytes, format)
        } else {
            file.replace(with: bytes, format, quality: Self.lowestQuality)
        }
        return file
    }

    /// Encodes once, without a byte limit.
    ///
    /// - Parameters:
    ///   - quality: 1 to 100; nil for the quality of ``options``.
    ///   - isLossless: Preserves every sample of a WebP; other formats ignore it.
    func encode(
        _ bitmap: Bitmap, _ format: EncodedFormat, quality: Int?, isLossless: Bool = false,
        _ cancellation: CancellationFlag?
    ) throws(EncodeError) -> [UInt8] {
        try encoder(quality: quality, isLossless: isLossless).encode(bitmap, as: format, cancellation: cancellation)
    }

    /// Encodes all frames of an animation.
    ///
    /// - Parameters:
    ///   - quality: Quality of a WebP, 1 to 100; other formats have none.
    ///   - loopCount: Number of plays, 0 for infinite.
    func animation(
        of frames: [AnimationFrame], as format: NegotiatedFormat, quality: Int, loopCount: Int,
        cancellation: CancellationFlag?
    ) throws(EncodeError) -> EncodedFile {
        let quality = min(max(1, quality), 100)
        let bytes = try encoder(quality: quality, comparesLossless: comparesLosslessWebP).encodeAnimation(
            frames, as: format.encoded, loopCount: loopCount, cancellation: cancellation)
        let isLossy = format == .webp
        return EncodedFile(
            bytes, format.encoded, quality: isLossy ? qualityOfFile(bytes, format.encoded, quality) : nil)
    }

    /// The quality of a JPEG or WebP that was encoded with ``comparesLosslessWebP``; nil when it is lossless.
    private func qualityOfFile(_ bytes: [UInt8], _ format: EncodedFormat, _ quality: Int) -> Int? {
        guard comparesLosslessWebP, format == .webp,
            let header = try? ImageDecoder().header(of: bytes), header.colorModel != .ycbcr
        else { return quality }
        return nil
    }

    private func encoder(
        quality: Int?, isLossless: Bool = false, comparesLossless: Bool = false
    ) -> ImageEncoder {
        var encoderOptions = options
        encoderOptions.maxBytes = nil
        encoderOptions.webp.isLossless = isLossless
        if comparesLossless {
            encoderOptions.webp.usesLosslessUnlessLarger = true
            // The small effort concerns the lossy file.
            encoderOptions.webp.losslessLevel = encoderOptions.webp.losslessLevel ?? 6
        }
        if let quality {
            encoderOptions.jpeg.quality = quality
            encoderOptions.webp.quality = quality
        }
        if prefersSmallWebP, !isLossless {
            encoderOptions.webp.effort = .small
            encoderOptions.webp.quality = min(100, encoderOptions.webp.quality + 1)
        }
        return ImageEncoder(options: encoderOptions)
    }
}

/// An encoded result, and the encodes that led to it.
struct EncodedFile: Sendable {
    private(set) var bytes: [UInt8]
    private(set) var format: EncodedFormat
    /// Quality of a lossy file; nil for other files.
    private(set) var quality: Int?
    /// Format and size of each encoded file, in order.
    private(set) var attempts: [Attempt]

    struct Attempt: Hashable, Sendable {
        let format: EncodedFormat
        let byteCount: Int
    }

    init(_ bytes: [UInt8], _ format: EncodedFormat, quality: Int? = nil) {
        (self.bytes, self.format, self.quality) = (bytes, format, quality)
        attempts = [Attempt(format: format, byteCount: bytes.count)]
    }

    /// Number of encodes.
    var encodes: Int { attempts.count }

    /// Counts another file and uses it.
    mutating func replace(with bytes: [UInt8], _ format: EncodedFormat, quality: Int?) {
        count(bytes, format)
        (self.bytes, self.format, self.quality) = (bytes, format, quality)
    }

    /// Counts another file that is not used.
    mutating func count(_ bytes: [UInt8], _ format: EncodedFormat) {
        attempts.append(Attempt(format: format, byteCount: bytes.count))
    }
}

extension EncodedFormat {
    /// True for a format with a quality.
    var isLossy: Bool { self == .jpeg || self == .webp }
}
