#if Service
import PlatformImage

/// A render whose source's header has been read: what is to be done and what it will hold are known, and nothing is
/// allocated.
struct PreparedRender: Sendable {
    let request: ThumbnailRequest
    /// What the source says, of the page that is asked for.
    let header: ImageHeader
    /// For the whole picture; a trim makes another one.
    let plan: RenderPlan
    /// With the page of the request.
    let decoder: ImageDecoder
    /// An upper estimate, in bytes, of what the render holds at once: source, decoder, pixels, filters and encoder. At
    /// least 1.
    let weight: Int
    /// True when no pixel of the result is needed.
    let isDescriptionAlone: Bool
    /// True when the picture is decoded as a whole and at full size first.
    let needsWhole: Bool
    /// What of ``weight`` there is for everything after the decode.
    private let roomAfterDecode: Int
    /// How much of a JPEG is read.
    private let accuracy: ThumbnailQuality
    /// How the file is read when nothing but ``thumbnailOptions`` is needed of it; nil otherwise.
    let sharedPlan: ThumbnailPlan?

    init(
        request: ThumbnailRequest, header: ImageHeader, plan: RenderPlan, decoder: ImageDecoder,
        accuracy: ThumbnailQuality, bytes: [UInt8], cancellation: CancellationFlag? = nil
    ) throws(DecodeError) {
        self.request = request
        self.header = header
        self.decoder = decoder
        self.plan = plan
        // thumbor drafts whole pictures alone: of a part, a draft differs from its answer by more than the two encoders do
        // (Scripts/check-thumbor).
        let isWhole = plan.crop.width == plan.sourceWidth && plan.crop.height == plan.sourceHeight
        let accuracy = accuracy == .draft && !isWhole ? .balanced : accuracy
        self.accuracy = accuracy

        isDescriptionAlone = request.output.kind == .meta(blurHash: false)
        // A search needs pixels before the result does. A JPEG is read twice at a fraction of its size; other formats
        // would be decoded as a whole each time, so the one bitmap serves both.
        let trims = request.operations.trim != nil
        needsWhole = trims || plan.isCropSearched && header.format != .jpeg && !isDescriptionAlone
        // A trimmed picture may have another aspect ratio, and then one side may become longer.
        roomAfterDecode = isDescriptionAlone ? 0 : (trims ? 2 : 1) * plan.byteCountAfterDecode
        var decode = needsWhole ? try decoder.decodeByteCount(of: bytes.span, cancellation: cancellation) : 0
        if !needsWhole, !isDescriptionAlone {
            let options = Self.options(plan.crop, plan.width, plan.height, accuracy)
            let cost = try decoder.thumbnailCost(of: bytes.span, options: options, cancellation: cancellation)
            decode = cost.byteCount
            sharedPlan = plan.isCropSearched ? nil : cost.plan
        } else {
            sharedPlan = nil
        }
        if !needsWhole, plan.isCropSearched {
            let (width, height) = plan.searchedSize
            let options = Self.options(plan.region, width, height, accuracy)
            let byteCount = try decoder.thumbnailByteCount(
                of: bytes.span, options: options, cancellation: cancellation)
            decode = max(decode, byteCount)
        }
        // The decoder has let go of what it held when the filters begin, but a whole picture stays.
        let held = needsWhole ? decode.addingClamped(roomAfterDecode) : max(decode, roomAfterDecode)
        weight = max(1, held.addingClamped(bytes.count))
    }

    /// The part and size of the source that the result is made of.
    var thumbnailOptions: ThumbnailOptions { Self.options(plan.crop, plan.width, plan.height, accuracy) }

    /// False when what follows the decode would take more than was set aside.
    func hasRoom(for plan: RenderPlan) -> Bool {
        isDescriptionAlone || plan.byteCountAfterDecode <= roomAfterDecode
    }

    /// A part of the source in exactly that size.
    ///
    /// - Parameter decoded: All of the source, when it is in memory already.
    func picture(
        _ crop: PixelRectangle, _ width: Int, _ height: Int, of bytes: [UInt8], decoded: DecodedImage?,
        _ cancellation: CancellationFlag?
    ) throws(DecodeError) -> (bitmap: Bitmap, status: DecodeStatus) {
        let options = Self.options(crop, width, height, accuracy)
        if let decoded {
            let bitmap = try decoded.bitmap.thumbnail(
                options: options, limits: decoder.options.limits, cancellation: cancellation)
            return (bitmap, decoded.status)
        }
        let small = try decoder.thumbnail(of: bytes, options: options, cancellation: cancellation)
        return (small.bitmap, small.status)
    }

    private static func options(
        _ crop: PixelRectangle, _ width: Int, _ height: Int, _ accuracy: ThumbnailQuality
    ) -> ThumbnailOptions {
        var options = ThumbnailOptions(width: width, height: height, fit: .fill)
        options.crop = crop
        options.allowsUpscaling = true
        options.quality = accuracy
        return options
    }
}

extension Int {
    /// The sum of two sizes, `Int.max` where it does not fit.
    func addingClamped(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
#endif
