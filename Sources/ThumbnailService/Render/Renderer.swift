#if Service
import PlatformImage

/// Bytes of a source in, bytes of a result out.
///
/// The work has two halves, so that memory can be set aside between them: ``prepare(_:for:cancellation:)`` reads the
/// header and says what the rest will take, ``render(_:_:cancellation:)`` does it. Both block, and may run on any
/// number of threads at once.
struct Renderer: Sendable {
    /// Limits, strictness and remembered colour transforms; pictures are turned upright.
    let decoder: ImageDecoder
    /// Which results are too large.
    let sizes: SizeRules
    let encoding: ResultEncoding
    /// Frames or pages that a source may have; 0 for any number.
    let maxFrames: Int
    /// How much of a JPEG is read.
    let accuracy: ThumbnailQuality

    /// The number of frames that is shown for a GIF with as many or more.
    static let maxShownFrames = 65_536

    init(
        decoder: ImageDecoder = ImageDecoder(), sizes: SizeRules = SizeRules(),
        encoding: ResultEncoding = ResultEncoding(), maxFrames: Int = 0,
        accuracy: ThumbnailQuality = .draft
    ) {
        var own = decoder
        own.options.appliesOrientation = true
        own.options.scaleDenominator = 1
        // Counting goes on until the answer to the limit is known, or the number is large enough to be shown.
        own.options.maxCountedFrames = maxFrames > 0 ? maxFrames + 1 : Self.maxShownFrames
        self.decoder = own
        self.sizes = sizes
        self.encoding = encoding
        self.maxFrames = maxFrames
        self.accuracy = accuracy
    }

    /// What the file says about its picture, frames and pages counted: up to ``maxShownFrames``, or one more than
    /// ``maxFrames``.
    ///
    /// - Parameter page: Which picture of a TIFF, from 1.
    /// - Throws: `notAnImage`, `limit`, `deadline`; `notFound` for a page after the last.
    func header(
        of bytes: [UInt8], page: Int = 1, cancellation: CancellationFlag? = nil
    ) throws(ServiceError) -> ImageHeader {
        let first = try header(of: bytes, decoder, cancellation)
        // The pages of a TIFF are not known when there are more than may be walked.
        let frameCount = first.frameCount ?? (first.format == .tiff ? .max : 1)
        guard maxFrames == 0 || frameCount <= maxFrames else {
            throw ServiceError(.limit, "the source has more than \(maxFrames) frames")
        }
        guard page > 1, first.format == .tiff else { return first }
        guard page <= first.frameCount ?? 1 else { throw ServiceError(.notFound, "there is no page \(page)") }
        return try header(of: bytes, decoder(forPage: page), cancellation)
    }

    /// Reads the header, works out all sizes and estimates the memory that the rest takes. Allocates next to nothing.
    ///
    /// - Parameters:
    ///   - bytes: The whole source.
    ///   - request: What is wanted of it, an image or its description.
    ///   - cancellation: Ends the reading of the header.
    /// - Throws: What ``header(of:page:cancellation:)`` throws, and `malformed` or `limit` for sizes that are refused.
    func prepare(
        _ bytes: [UInt8], for request: ThumbnailRequest, cancellation: CancellationFlag? = nil
    ) throws(ServiceError) -> PreparedRender {
        let header = try header(of: bytes, page: request.operations.page, cancellation: cancellation)
        return try prepare(bytes, header, for: request, cancellation: cancellation)
    }

    /// The same with a header that is known already: of these bytes, and of the page that is asked for.
    func prepare(
        _ bytes: [UInt8], _ header: ImageHeader, for request: ThumbnailRequest, cancellation: CancellationFlag? = nil
    ) throws(ServiceError) -> PreparedRender {
        let operations = request.operations
        let plan = try sizes.plan(
            operations, request.output, sourceWidth: header.displayWidth, sourceHeight: header.displayHeight)
        let decoder = decoder(forPage: operations.page)
        return try translating { () throws(DecodeError) in
            try PreparedRender(
                request: request, header: header, plan: plan, decoder: decoder, accuracy: accuracy, bytes: bytes,
                cancellation: cancellation)
        }
    }

    /// The second half, over the same bytes.
    ///
    /// - Parameters:
    ///   - decode: Is ended when the picture is decoded.
    ///   - cancellation: Ends the work within 16 rows of pixels.
    /// - Throws: `notAnImage`, `limit`, `deadline` (also when cancelled), `overloaded` without memory; `malformed`
    ///   where a size is refused after a trim.
    func render(
        _ prepared: PreparedRender, _ bytes: [UInt8], decode: DecodeClock? = nil, cancellation: CancellationFlag? = nil
    ) throws(ServiceError) -> RenderedImage {
        let clock = ContinuousClock()
        let start = clock.now
        let (plan, whole) = try place(prepared, bytes, cancellation)
        if prepared.isDescriptionAlone {
            return RenderedImage(
                description: prepared, plan, status: whole?.status ?? .complete, sourceBytes: bytes.count)
        }

        let picture = try translating { () throws(DecodeError) in
            try prepared.picture(plan.crop, plan.width, plan.height, of: bytes, decoded: whole, cancellation)
        }
        let decoded = clock.now
        decode?.end()
        var result = try finish(
            Picture(bitmap: picture.bitmap, status: picture.status), prepared, plan, sourceBytes: bytes.count,
            cancellation: cancellation)
        result.decodeDuration = decoded - start
        return result
    }

    /// What follows the decode: flips, steps, encoding.
    func finish(
        _ picture: Picture, _ prepared: PreparedRender, _ plan: RenderPlan, sourceBytes: Int,
        cancellation: CancellationFlag?
    ) throws(ServiceError) -> RenderedImage {
        let start = ContinuousClock.now
        let bitmap = try translating { () throws(DecodeError) in
            try picture.bitmap.finished(by: plan, cancellation: cancellation)
        }
        var result: RenderedImage
        if case .meta = prepared.request.output.kind {
            let hash = BlurHash(bitmap).description
            result = RenderedImage(
                description: prepared, plan, status: picture.status, sourceBytes: sourceBytes, blurHash: hash)
        } else {
            result = try file(bitmap, prepared, plan, cancellation)
            result.status = picture.status
        }
        result.renderDuration = start.duration(to: .now)
        return result
    }

    /// The plan with nothing left to look for in pixels, and all of the picture where that had to be decoded for it.
    private func place(
        _ prepared: PreparedRender, _ bytes: [UInt8], _ cancellation: CancellationFlag?
    ) throws(ServiceError) -> (plan: RenderPlan, whole: DecodedImage?) {
        var plan = prepared.plan
        var whole: DecodedImage?
        if prepared.needsWhole {
            whole = try translating { () throws(DecodeError) in
                try prepared.decoder.decode(bytes, cancellation: cancellation)
            }
        }
        if let bitmap = whole?.bitmap, let trim = prepared.request.operations.trim {
            let box = try translating { () throws(DecodeError) in
                try bitmap.bounds(trimmedBy: trim, cancellation: cancellation)
            }
            plan = try sizes.plan(
                prepared.request.operations, prepared.request.output, sourceWidth: bitmap.width,
                sourceHeight: bitmap.height, trimmed: box)
            guard prepared.hasRoom(for: plan) else {
                throw ServiceError(.limit, "what the trim leaves becomes too large a picture")
            }
        }
        if plan.isCropSearched {
            plan = try translating { () throws(DecodeError) in
                let (width, height) = plan.searchedSize
                let small = try prepared.picture(plan.region, width, height, of: bytes, decoded: whole, cancellation)
                var moved = plan
                try moved.moveCrop(seenIn: small.bitmap, cancellation: cancellation)
                return moved
            }
        }
        return (plan, whole)
    }

    private func file(
        _ bitmap: Bitmap, _ prepared: PreparedRender, _ plan: RenderPlan, _ cancellation: CancellationFlag?
    ) throws(ServiceError) -> RenderedImage {
        let output = prepared.request.output
        let format: EncodedFormat
        switch ResultFormat(output, source: prepared.header) {
        case .fixed(let fixed): format = fixed
        case .jpegIfOpaque:
            let isOpaque = try translating { () throws(DecodeError) in
                try bitmap.isOpaque(cancellation: cancellation)
            }
            format = isOpaque ? .jpeg : .png
        }
        do throws(EncodeError) {
            let file = try encoding.file(
                of: bitmap, as: format, quality: output.quality, maxBytes: output.maxBytes,
                cancellation: cancellation)
            return RenderedImage(
                bytes: file.bytes, contentType: format.contentType.description, format: format, quality: file.quality,
                width: bitmap.width, height: bitmap.height, header: prepared.header, plan: plan)
        } catch {
            throw ServiceError(error)
        }
    }

    private func decoder(forPage page: Int) -> ImageDecoder {
        var own = decoder
        own.options.page = max(0, page - 1)
        return own
    }

    private func header(
        of bytes: [UInt8], _ decoder: ImageDecoder, _ cancellation: CancellationFlag?
    ) throws(ServiceError) -> ImageHeader {
        try translating { () throws(DecodeError) in try decoder.header(of: bytes, cancellation: cancellation) }
    }

    /// What the core throws, as clients are told it.
    private func translating<R>(_ body: () throws(DecodeError) -> R) throws(ServiceError) -> R {
        do throws(DecodeError) {
            return try body()
        } catch {
            throw ServiceError(error)
        }
    }
}
#endif
