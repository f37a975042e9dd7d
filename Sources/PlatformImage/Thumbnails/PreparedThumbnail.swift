/// A thumbnail after the header of its file was read: the decode parameters and the sizes of the allocations are
/// computed, but no pixels are allocated.
struct PreparedThumbnail: Sendable {
    /// The file's header, at full size.
    let header: ImageHeader
    /// The parsed file at the decode scale, which may be smaller than full size.
    private(set) var source: SourceImage
    let request: ResampleRequest
    let orientation: Orientation
    let geometry: ThumbnailGeometry
    let options: ThumbnailOptions
    /// The embedded thumbnail to try first; nil for none.
    private(set) var embedded: Embedded?

    struct Embedded: Sendable {
        let thumbnail: EmbeddedThumbnail
        let request: ResampleRequest
    }

    init(_ bytes: Span<UInt8>, _ decoder: LocalDecoder, options: ThumbnailOptions) throws(DecodeError) {
        var sources = try ThumbnailSources(bytes, decoder)
        try self.init(&sources, bytes, options: options)
    }

    /// - Parameter plan: The decode parameters; nil selects those that the thumbnail needs.
    init(
        _ sources: inout ThumbnailSources, _ bytes: Span<UInt8>, options: ThumbnailOptions, plan: ThumbnailPlan? = nil
    ) throws(DecodeError) {
        let fullSource = sources.full
        let decodeOptions = fullSource.call.options
        header = fullSource.header
        orientation = decodeOptions.appliesOrientation ? header.orientation : .up
        self.options = options

        let (width, height) = fullSource.pixelSize(orientedBy: orientation)
        geometry = try ThumbnailGeometry(
            sourceWidth: width, sourceHeight: height, limits: decodeOptions.limits, options: options)
        var request = geometry.request(
            storedWidth: header.width, storedHeight: header.height, orientation: orientation, options: options)
        request.isOpaque = !header.hasAlpha
        if options.usesEmbeddedThumbnail, plan == nil {
            embedded = Self.embedded(in: bytes, fullSource, for: request)
        }
        let denominator = plan?.scaleDenominator ?? fullSource.scaleDenominator(for: request, options.quality)
        var source = try sources.source(bytes, denominator: denominator)
        if denominator > 1 {
            let (width, height) = source.pixelSize(orientedBy: .up)
            let scale = 1 / Double(denominator)
            request.rescale(sourceWidth: width, sourceHeight: height, horizontalScale: scale, verticalScale: scale)
        }
        source.quality = options.quality
        source.keepsChromaDetail = options.keepsChromaDetail
        source.sharedDetail = plan?.detail
        self.source = source
        self.request = request
        // Without the embedded thumbnail, the memory may be within the limit.
        if byteCount > sources.maxBytes { embedded = nil }
        if byteCount > sources.maxBytes { try useLeastMemory(&sources, bytes) }
        if let limit = decodeOptions.limits.maxMemory, byteCount > limit {
            throw DecodeError(
                .limitExceeded, format: header.format, detail: "maxMemory",
                "the thumbnail needs \(byteCount) bytes of memory, the limit is \(limit) bytes")
        }
    }

    /// Selects the decoder that needs the least memory; no effect on formats other than PNG.
    mutating func useLeastMemory(_ sources: inout ThumbnailSources, _ bytes: Span<UInt8>) throws(DecodeError) {
        if header.format == .png { source = try sources.leastMemory(bytes) }
    }

    /// The embedded thumbnail; nil when there is none, or when it is too small or otherwise unsuitable for the request.
    private static func embedded(
        in bytes: Span<UInt8>, _ fullSource: SourceImage, for request: ResampleRequest
    ) -> Embedded? {
        let (horizontalScale, verticalScale) = (
            Double(request.width) / request.cropWidth, Double(request.height) / request.cropHeight
        )
        let thumbnail = fullSource.embeddedThumbnail(
            in: bytes, width: Int((horizontalScale * Double(request.sourceWidth)).rounded(.up)),
            height: Int((verticalScale * Double(request.sourceHeight)).rounded(.up)))
        guard let thumbnail else { return nil }
        var request = request
        let (width, height) = thumbnail.source.pixelSize(orientedBy: .up)
        request.rescale(
            sourceWidth: width, sourceHeight: height, horizontalScale: Double(width) / Double(request.sourceWidth),
            verticalScale: Double(height) / Double(request.sourceHeight))
        return Embedded(thumbnail: thumbnail, request: request)
    }

    /// An upper estimate, in bytes, of the peak memory of making the thumbnail, including its pixels; at least 1.
    var byteCount: Int {
        let work = max(
            source.resampledByteCount(request),
            embedded.map { $0.thumbnail.source.resampledByteCount($0.request) } ?? 0)
        let parts = [
            pixelByteCount, work, source.profileByteCount, embedded?.thumbnail.source.profileByteCount ?? 0,
        ]
        return parts.reduce(0) { $0.addingClamped($1) }
    }

    /// An upper estimate, in bytes, of the pixels that are in memory at the same time: the resampled image and its
    /// oriented and padded copies.
    var pixelByteCount: Int {
        let pixels = PixelStorage.allocatedByteCount(request.width * request.height * 4)
        return (orientation == .up ? pixels : 2 * pixels) + (isCopied ? boxByteCount : 0)
    }

    /// Bytes of the finished thumbnail's pixels.
    var resultByteCount: Int {
        isCopied ? boxByteCount : PixelStorage.allocatedByteCount(request.width * request.height * 4)
    }

    /// True when the resampled pixels are the finished thumbnail: they are neither oriented nor copied.
    var isFinal: Bool { orientation == .up && !isCopied }

    /// True when the pixels are copied for padding or background.
    private var isCopied: Bool { options.background != nil || geometry.isPadded }
    private var boxByteCount: Int { PixelStorage.allocatedByteCount(geometry.boxWidth * geometry.boxHeight * 4) }
}

extension ThumbnailGeometry {
    /// - Throws: `invalidArgument` when an option is out of its range, `emptyCrop`, or `limitExceeded` when the image
    ///   or the thumbnail is too large.
    init(
        sourceWidth: Int, sourceHeight: Int, limits: DecodeLimits, options: ThumbnailOptions
    ) throws(DecodeError) {
        try options.check()
        let maxSide = ResampleRequest.maxSide
        guard sourceWidth <= maxSide, sourceHeight <= maxSide else {
            throw DecodeError(
                .limitExceeded, detail: "maxSide",
                "a side of \(sourceWidth) x \(sourceHeight) pixels exceeds the limit of \(maxSide) pixels")
        }
        guard let geometry = Self(sourceWidth: sourceWidth, sourceHeight: sourceHeight, options: options) else {
            let crop = options.crop.map(\.description) ?? ""
            throw DecodeError(
                .emptyCrop, "the crop \(crop) is outside the image of \(sourceWidth) x \(sourceHeight) pixels")
        }
        self = geometry
        try check(limits)
    }

    /// Checks the size of the thumbnail: with upscaling or padding it can be larger than the image.
    private func check(_ limits: DecodeLimits) throws(DecodeError) {
        let size = "a thumbnail of \(boxWidth) x \(boxHeight) pixels"
        let maxSide = min(ResampleRequest.maxSide, limits.maxSide ?? .max)
        if max(boxWidth, boxHeight) > maxSide {
            throw DecodeError(
                .limitExceeded, detail: "maxSide", "\(size) exceeds the limit of \(maxSide) pixels per side")
        }
        let pixels = boxWidth * boxHeight
        if let limit = limits.maxPixels, pixels > limit {
            throw DecodeError(.limitExceeded, detail: "maxPixels", "\(size) exceeds the limit of \(limit) pixels")
        }
        if let limit = limits.maxMemory, pixels > limit / 4 {
            throw DecodeError(.limitExceeded, detail: "maxMemory", "\(size) exceeds the limit of \(limit) bytes")
        }
    }
}

extension ResampleRequest {
    /// Maps the crop to a source of another size.
    ///
    /// - Parameters:
    ///   - horizontalScale: New source pixels per old source pixel, horizontally. It is exactly 1/4 for a JPEG decoded
    ///     at 1/4, even if the width is not a multiple of 4. For example, a width of 4243 pixels becomes 1061; the last
    ///     new pixel covers three columns of the image and one repeated edge column.
    ///   - verticalScale: New source pixels per old source pixel, vertically.
    mutating func rescale(
        sourceWidth newWidth: Int, sourceHeight newHeight: Int, horizontalScale: Double, verticalScale: Double
    ) {
        cropX *= horizontalScale
        cropY *= verticalScale
        (sourceWidth, sourceHeight) = (newWidth, newHeight)
        cropWidth = min(cropWidth * horizontalScale, Double(newWidth) - cropX)
        cropHeight = min(cropHeight * verticalScale, Double(newHeight) - cropY)
    }
}
