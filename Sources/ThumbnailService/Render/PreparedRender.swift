import PlatformImage

/// A render whose source header has been read: its plan and its memory estimate are known, and no pixels are allocated.
struct PreparedRender: Sendable {
    let request: ThumbnailRequest
    /// Header of the requested page of the source.
    let header: ImageHeader
    /// Plan for the untrimmed image; a trim computes a new plan.
    let plan: RenderPlan
    /// Decoder with the page of the request selected; it converts to sRGB unless ``metadata`` contains a profile.
    let decoder: ImageDecoder
    /// Metadata and profile for the result; empty when the request needs none.
    var metadata: SourceMetadata
    /// Upper estimate of the peak memory of the render in bytes, at least 1: source, decoder, pixels, filters and
    /// encoder.
    let byteCount: Int
    /// Output format of the result; for metadata, that of the image.
    let format: ResultFormat
    /// True when the result is metadata without a BlurHash. Pixels are then decoded only for a trim or a crop search.
    let isMetadataOnly: Bool
    /// True when the complete image is decoded at full size first.
    let needsFullDecode: Bool
    /// True when the result may be encoded in several formats.
    private let searches: Bool
    /// Part of ``byteCount`` that is reserved for the work after the decode, in bytes.
    private let reservedAfterDecode: Int
    /// Decoding accuracy of a JPEG.
    private let accuracy: ThumbnailQuality
    /// Decode plan of a render that decodes the source once, with ``thumbnailOptions``; nil for other renders. Renders
    /// of one source with equal plans can share a decode.
    let sharedPlan: ThumbnailPlan?

    /// - Parameters:
    ///   - animationRules: Limits on a result with all frames; nil for results with the first frame.
    ///   - maxWork: Maximum ``work(of:)`` of a result with all frames; nil for no limit.
    ///   - searches: True when the result may be encoded in several formats.
    ///   - knownCost: The cost of ``expectedThumbnail(_:_:_:_:)``; nil when it is not known.
    init(
        request: ThumbnailRequest, header: ImageHeader, plan: RenderPlan, decoder: ImageDecoder,
        accuracy: ThumbnailQuality, animationRules: SizeRules?, maxWork: Int?, searches: Bool, bytes: [UInt8],
        knownCost: KnownThumbnailCost? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) {
        self.request = request
        self.header = header
        self.plan = plan
        let accuracy = Self.accuracy(accuracy, plan)
        self.accuracy = accuracy

        isMetadataOnly = request.output.kind == .meta(blurHash: false)
        // A crop search needs pixels before the result is computed. A JPEG is decoded twice at a reduced size. Other
        // formats would be decoded completely each time, so one bitmap is used for the search and for the result.
        let trims = request.operations.trim != nil
        needsFullDecode = trims || plan.isCropSearched && header.format != .jpeg && !isMetadataOnly
        // A trimmed image may have another aspect ratio, and a side of the result can then be longer than in `plan`. So
        // twice the memory is reserved.
        let animation = AnimationCost(header, plan, decoder.options.limits, animationRules)
        var format = Self.format(request, header, plan, mayAnimate: animation.isAllowed)
        var afterDecode = Self.byteCountAfterDecode(plan, header, format, searches: searches)
        if format.isAnimation {
            let byteCount = afterDecode.addingClamped(animation.byteCount).multipliedClamped(by: trims ? 2 : 1)
                .addingClamped(header.decodedByteCount).addingClamped(header.workByteCount).addingClamped(bytes.count)
            let work = RenderWork(request, header, format).nanoseconds(of: plan)
            if byteCount > decoder.options.budgetBytes ?? .max || work > maxWork ?? .max {
                format = Self.format(request, header, plan, mayAnimate: false)
                afterDecode = Self.byteCountAfterDecode(plan, header, format, searches: searches)
            } else {
                afterDecode = afterDecode.addingClamped(animation.byteCount)
            }
        }
        (self.format, self.searches) = (format, searches)
        let metadata = try SourceMetadata(
            of: bytes, for: request.output, format, width: plan.resultWidth, height: plan.resultHeight, decoder,
            cancellation: cancellation)
        self.metadata = metadata
        var decoder = decoder
        if metadata.profile != nil { decoder.options.convertsToSRGB = false }
        self.decoder = decoder
        reservedAfterDecode = isMetadataOnly ? 0 : afterDecode.multipliedClamped(by: trims ? 2 : 1)
        var decode = needsFullDecode ? try decoder.decodeByteCount(of: bytes, cancellation: cancellation) : 0
        if !needsFullDecode, !isMetadataOnly {
            let options = Self.options(plan.crop, plan.width, plan.height, accuracy, format)
            let cost = try decoder.thumbnailCost(
                of: bytes, options: options, known: knownCost, cancellation: cancellation)
            decode = cost.byteCount
            sharedPlan = plan.isCropSearched || format.isAnimation ? nil : cost.plan
        } else {
            sharedPlan = nil
        }
        if !needsFullDecode, plan.isCropSearched {
            let (width, height) = plan.searchedSize
            let options = Self.options(plan.region, width, height, accuracy, format)
            let searchByteCount = try decoder.thumbnailByteCount(
                of: bytes, options: options, cancellation: cancellation)
            decode = max(decode, searchByteCount)
        }
        // The decoder has released its memory when the filters begin. A completely decoded image, however, stays in
        // memory.
        let overlaps = needsFullDecode || format.isAnimation
        let peak = overlaps ? decode.addingClamped(reservedAfterDecode) : max(decode, reservedAfterDecode)
        byteCount = max(1, peak.addingClamped(bytes.count).addingClamped(metadata.renderByteCount))
    }

    /// The thumbnail that a render with this header and plan decodes, unless the source is animated or the result needs
    /// more than one decode.
    static func expectedThumbnail(
        _ request: ThumbnailRequest, _ header: ImageHeader, _ plan: RenderPlan, _ accuracy: ThumbnailQuality
    ) -> ThumbnailOptions {
        options(
            plan.crop, plan.width, plan.height, Self.accuracy(accuracy, plan),
            format(request, header, plan, mayAnimate: false))
    }

    /// thumbor uses Pillow's draft mode (JPEG decoding at a reduced size) only for complete images. With draft mode for
    /// a part of an image, the result would differ from thumbor's result by more than the use of another encoder
    /// explains (Scripts/verify/thumbor).
    private static func accuracy(_ accuracy: ThumbnailQuality, _ plan: RenderPlan) -> ThumbnailQuality {
        let coversSource = plan.crop.width == plan.sourceWidth && plan.crop.height == plan.sourceHeight
        return accuracy == .draft && !coversSource ? .balanced : accuracy
    }

    /// The part of the source that is decoded for the result, and the size to which it is resampled.
    var thumbnailOptions: ThumbnailOptions { options(for: plan) }

    /// The part of the source that is decoded for a plan, and the size to which it is resampled.
    func options(for plan: RenderPlan) -> ThumbnailOptions {
        Self.options(plan.crop, plan.width, plan.height, accuracy, format)
    }

    /// Returns false when the work after the decode would exceed the reserved memory.
    func fitsReservation(for plan: RenderPlan) -> Bool {
        guard !isMetadataOnly else { return true }
        var byteCount = Self.byteCountAfterDecode(plan, header, format, searches: searches)
        if format.isAnimation {
            let animation = AnimationCost(header, plan, decoder.options.limits, nil)
            byteCount = byteCount.addingClamped(animation.byteCount)
        }
        return byteCount <= reservedAfterDecode
    }

    private static func byteCountAfterDecode(
        _ plan: RenderPlan, _ header: ImageHeader, _ format: ResultFormat, searches: Bool
    ) -> Int {
        // Steps can make pixels transparent.
        let hasAlpha = header.hasAlpha || !plan.steps.isEmpty || format.isAnimation
        return plan.byteCountAfterDecode { width, height in
            format.encoderByteCount(
                width: width, height: height, hasAlpha: hasAlpha, comparesLosslessWebP: header.colorModel == .indexed,
                searches: searches)
        }
    }

    private static func format(
        _ request: ThumbnailRequest, _ header: ImageHeader, _ plan: RenderPlan, mayAnimate: Bool
    ) -> ResultFormat {
        ResultFormat(
            request.output, source: header, width: plan.resultWidth, height: plan.resultHeight,
            mayAnimate: mayAnimate && request.output.kind == .image)
    }

    /// Decodes a part of the source and resamples it to exactly `width` × `height`.
    ///
    /// - Parameter decoded: The complete source, when it is already decoded.
    func decodeImage(
        _ crop: PixelRectangle, _ width: Int, _ height: Int, of bytes: [UInt8], decoded: DecodedImage?,
        _ cancellation: CancellationFlag?
    ) throws(DecodeError) -> (bitmap: Bitmap, status: DecodeStatus) {
        let options = Self.options(crop, width, height, accuracy, format)
        if let decoded {
            let bitmap = try decoded.bitmap.thumbnail(
                options: options, limits: decoder.options.limits, cancellation: cancellation)
            return (bitmap, decoded.status)
        }
        let small = try decoder.thumbnail(of: bytes, options: options, cancellation: cancellation)
        return (small.bitmap, small.status)
    }

    private static func options(
        _ crop: PixelRectangle, _ width: Int, _ height: Int, _ accuracy: ThumbnailQuality, _ format: ResultFormat
    ) -> ThumbnailOptions {
        var options = ThumbnailOptions(width: width, height: height, fit: .fill)
        options.crop = crop
        options.allowsUpscaling = true
        options.quality = accuracy
        options.keepsChromaDetail = format.still(isOpaque: true) != .jpeg
        return options
    }
}
