#if Service
import PlatformImage

/// Encoder settings for results.
struct ResultEncoding: Sendable {
    /// Encoder options; the JPEG quality and the byte limit are replaced by those of the request.
    var options = EncodeOptions()

    /// The lowest JPEG quality that a byte limit leads to.
    static let lowestQuality = 10
    /// Maximum number of encodes per result.
    static let maxEncodes = 6

    /// Encodes a bitmap. Returns the bytes, the quality used (nil for PNG) and the number of encodes.
    ///
    /// With a byte limit, a binary search for the highest JPEG quality whose file fits tries qualities between
    /// ``lowestQuality`` and the requested quality. It ends after ``maxEncodes`` encodes at the latest, and the file of
    /// the highest tried quality that fits is returned. When none fits, the file of the lowest quality is returned.
    /// Other formats have no quality, and the limit does not apply to them.
    func file(
        of bitmap: Bitmap, as format: EncodedFormat, quality: Int, maxBytes: Int?, cancellation: CancellationFlag?
    ) throws(EncodeError) -> (bytes: [UInt8], quality: Int?, encodes: Int) {
        guard format == .jpeg else {
            return (try encode(bitmap, format, quality: nil, cancellation), nil, 1)
        }
        let requestedQuality = min(max(1, quality), 100)
        let first = try encode(bitmap, format, quality: requestedQuality, cancellation)
        guard let maxBytes, first.count > maxBytes, requestedQuality > Self.lowestQuality else {
            return (first, requestedQuality, 1)
        }

        // Bounds of the search. The file of quality `tooHigh` exceeds the limit. Once `best` is set, the file of
        // quality `lowest` fits; until then this quality is untested, and it is encoded last.
        var (lowest, tooHigh) = (Self.lowestQuality, requestedQuality)
        var best: (bytes: [UInt8], quality: Int)?
        var encodes = 1
        while encodes < Self.maxEncodes - (best == nil ? 1 : 0), tooHigh - lowest > 1 {
            let quality = (lowest + tooHigh) / 2
            let bytes = try encode(bitmap, format, quality: quality, cancellation)
            encodes += 1
            if bytes.count <= maxBytes {
                best = (bytes, quality)
                lowest = quality
            } else {
                tooHigh = quality
            }
        }
        if let best { return (best.bytes, best.quality, encodes) }
        let bytes = try encode(bitmap, format, quality: Self.lowestQuality, cancellation)
        return (bytes, Self.lowestQuality, encodes + 1)
    }

    private func encode(
        _ bitmap: Bitmap, _ format: EncodedFormat, quality: Int?, _ cancellation: CancellationFlag?
    ) throws(EncodeError) -> [UInt8] {
        var encoderOptions = options
        encoderOptions.maxBytes = nil
        if let quality { encoderOptions.jpeg.quality = quality }
        return try ImageEncoder(options: encoderOptions).encode(bitmap, as: format, cancellation: cancellation)
    }
}

/// Output format of a result, as far as the source's header determines it.
enum ResultFormat: Hashable {
    case fixed(EncodedFormat)
    /// JPEG when all pixels of the result are opaque, PNG otherwise.
    case jpegIfOpaque

    /// Chooses the format: the requested one if it has an encoder, otherwise the source's if it has one. Other sources
    /// become PNG when they may have transparency or a palette, JPEG otherwise. With
    /// ``OutputFormatRequest/prefersJPEG``, PNG is replaced by ``jpegIfOpaque`` unless PNG is the requested format.
    init(_ requested: OutputFormatRequest, source: ImageHeader) {
        switch (requested.format.flatMap(EncodedFormat.init), source.format) {
        case (let format?, _): self = .fixed(format)
        case (nil, .jpeg): self = .fixed(.jpeg)
        case (nil, .png): self = requested.prefersJPEG ? .jpegIfOpaque : .fixed(.png)
        case (nil, _):
            let needsPNG = source.hasAlpha || source.colorModel == .indexed
            self = needsPNG ? (requested.prefersJPEG ? .jpegIfOpaque : .fixed(.png)) : .fixed(.jpeg)
        }
    }
}

extension EncodedFormat {
    /// Maps a requested format to an encoder; nil when there is none for it.
    init?(_ requested: OutputFormatRequest.Format) {
        switch requested {
        case .png: self = .png
        case .jpeg: self = .jpeg
        default: return nil
        }
    }
}
#endif
