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

    init(
        request: ThumbnailRequest, header: ImageHeader, plan: RenderPlan, decoder: ImageDecoder, bytes: [UInt8]
    ) throws(DecodeError) {
        self.request = request
        self.header = header
        self.decoder = decoder
        self.plan = plan

        isDescriptionAlone = request.output.kind == .meta(blurHash: false)
        // A search needs pixels before the result does. A JPEG is read twice at a fraction of its size; other formats
        // would be decoded as a whole each time, so the one bitmap serves both.
        let trims = request.operations.trim != nil
        needsWhole = trims || plan.isCropSearched && header.format != .jpeg && !isDescriptionAlone
        // A trimmed picture may have another aspect ratio, and then one side may become longer.
        roomAfterDecode = isDescriptionAlone ? 0 : (trims ? 2 : 1) * plan.byteCountAfterDecode
        var decode = needsWhole ? try decoder.decodeByteCount(of: bytes.span) : 0
        if !needsWhole, !isDescriptionAlone {
            let options = Self.options(plan.crop, plan.width, plan.height)
            decode = try decoder.thumbnailByteCount(of: bytes.span, options: options)
        }
        if !needsWhole, plan.isCropSearched {
            let (width, height) = plan.searchedSize
            let options = Self.options(plan.region, width, height)
            decode = max(decode, try decoder.thumbnailByteCount(of: bytes.span, options: options))
        }
        // The decoder has let go of what it held when the filters begin, but a whole picture stays.
        let held = needsWhole ? decode.addingClamped(roomAfterDecode) : max(decode, roomAfterDecode)
        weight = max(1, held.addingClamped(bytes.count))
    }

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
        let options = Self.options(crop, width, height)
        if let decoded {
            let bitmap = try decoded.bitmap.thumbnail(options: options, cancellation: cancellation)
            return (bitmap, decoded.status)
        }
        let small = try decoder.thumbnail(of: bytes, options: options, cancellation: cancellation)
        return (small.bitmap, small.status)
    }

    private static func options(_ crop: PixelRectangle, _ width: Int, _ height: Int) -> ThumbnailOptions {
        var options = ThumbnailOptions(width: width, height: height, fit: .fill)
        options.crop = crop
        options.allowsUpscaling = true
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
