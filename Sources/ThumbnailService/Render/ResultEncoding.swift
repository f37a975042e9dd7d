#if Service
import PlatformImage

/// How results become files.
struct ResultEncoding: Sendable {
    /// For everything but the quality of a JPEG and the limit on bytes, which requests give.
    var options = EncodeOptions()

    /// The lowest quality that a limit on bytes leads to.
    static let lowestQuality = 10
    /// How often one picture is encoded at most.
    static let maxEncodes = 6

    /// The file of a picture, the quality it has, nil for PNG, and how often it was encoded for that.
    ///
    /// With a limit on bytes a JPEG gets the highest quality found, in at most ``maxEncodes`` tries from
    /// ``lowestQuality`` to the one wished for, whose file fits; when none does, the one of the lowest quality. Other
    /// formats have no quality, and the limit does not count for them.
    func file(
        of bitmap: Bitmap, as format: EncodedFormat, quality: Int, maxBytes: Int?, cancellation: CancellationFlag?
    ) throws(EncodeError) -> (bytes: [UInt8], quality: Int?, encodes: Int) {
        guard format == .jpeg else {
            return (try encode(bitmap, format, quality: nil, cancellation), nil, 1)
        }
        let wanted = min(max(1, quality), 100)
        let first = try encode(bitmap, format, quality: wanted, cancellation)
        guard let maxBytes, first.count > maxBytes, wanted > Self.lowestQuality else { return (first, wanted, 1) }

        // `tooHigh` does not fit. `lowest` fits once there is a best; until then it is what remains to be tried last.
        var (lowest, tooHigh) = (Self.lowestQuality, wanted)
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
        var own = options
        own.maxBytes = nil
        if let quality { own.jpeg.quality = quality }
        return try ImageEncoder(options: own).encode(bitmap, as: format, cancellation: cancellation)
    }
}

/// Which format a result gets, as far as the header of the source tells.
enum ResultFormat: Hashable {
    case fixed(EncodedFormat)
    /// JPEG when no pixel of the result lets anything shine through, PNG otherwise.
    case jpegIfOpaque

    /// A wish for a format that is not written here counts as none. Then the source's format is kept if it is; others
    /// become PNG when they may have transparency or a palette, JPEG otherwise.
    init(_ wish: OutputWish, source: ImageHeader) {
        switch (wish.format.flatMap(EncodedFormat.init), source.format) {
        case (let format?, _): self = .fixed(format)
        case (nil, .jpeg): self = .fixed(.jpeg)
        case (nil, .png): self = wish.prefersJPEG ? .jpegIfOpaque : .fixed(.png)
        case (nil, _):
            let needsPNG = source.hasAlpha || source.colorModel == .indexed
            self = needsPNG ? (wish.prefersJPEG ? .jpegIfOpaque : .fixed(.png)) : .fixed(.jpeg)
        }
    }
}

extension EncodedFormat {
    /// Nil for what is not written here.
    init?(_ wish: OutputWish.Format) {
        switch wish {
        case .png: self = .png
        case .jpeg: self = .jpeg
        default: return nil
        }
    }
}
#endif
