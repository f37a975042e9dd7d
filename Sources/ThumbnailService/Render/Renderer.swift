import PlatformImage

/// Renders the bytes of a source into the bytes of a result.
///
/// A render consists of two calls, so that memory can be reserved between them: ``prepare(_:for:cancellation:)`` reads
/// the header and estimates the memory, ``render(_:_:decode:cancellation:)`` decodes and encodes. Both block, and may
/// run on any number of threads at once.
struct Renderer: Sendable {
    /// Decoder with limits, strictness and cached colour transforms; it applies the orientation of the source.
    let decoder: ImageDecoder
    /// Limits on result sizes.
    let sizes: SizeRules
    let encoding: ResultEncoding
    /// Maximum number of frames or pages of a source; 0 for no limit.
    let maxFrames: Int
    /// Decoding accuracy of JPEG sources.
    let accuracy: ThumbnailQuality
    /// Maximum work of a render, estimated before it begins, in nanoseconds of one core at 3 GHz; nil for no limit.
    let maxWork: Int?
    /// Includes all frames of animated sources where request and format allow it.
    let keepsAnimations: Bool

    /// Maximum frame count that is reported when ``maxFrames`` is 0: a GIF with more frames reports this number.
    static let maxReportedFrames = 65_536

    init(
        decoder: ImageDecoder = ImageDecoder(), sizes: SizeRules = SizeRules(),
        encoding: ResultEncoding = ResultEncoding(), maxFrames: Int = 0,
        accuracy: ThumbnailQuality = .draft, maxWork: Int? = nil, keepsAnimations: Bool = true
    ) {
        var configured = decoder
        configured.options.appliesOrientation = true
        configured.options.scaleDenominator = 1
        // Frames are counted until `maxFrames` is exceeded or, without that limit, up to the largest reported number.
        configured.options.maxCountedFrames = maxFrames > 0 ? maxFrames + 1 : Self.maxReportedFrames
        self.decoder = configured
        self.sizes = sizes
        self.encoding = encoding
        self.maxFrames = maxFrames
        self.accuracy = accuracy
        self.maxWork = maxWork
        self.keepsAnimations = keepsAnimations
    }

    /// Reads the header of the source with its frame or page count. A count above ``maxFrames`` throws `limit`. When
    /// ``maxFrames`` is 0, the frames of a GIF are counted up to ``maxReportedFrames``.
    ///
    /// - Parameter page: Page of a TIFF, from 1; ignored for other formats.
    /// - Throws: `notAnImage`, `limit`, `deadline`; `notFound` for a page after the last.
    func header(
        of bytes: [UInt8], page: Int = 1, cancellation: CancellationFlag? = nil
    ) throws(ServiceError) -> ImageHeader {
        try accepted(try header(of: bytes, decoder, cancellation), of: bytes, page: page, cancellation)
    }

    /// Checks the number of frames or pages, and returns the header of the page.
    private func accepted(
        _ first: ImageHeader, of bytes: [UInt8], page: Int, _ cancellation: CancellationFlag?
    ) throws(ServiceError) -> ImageHeader {
        // The page count of a TIFF is nil when it exceeds the decoder's limit.
        let frameCount = first.frameCount ?? (first.format == .tiff ? .max : 1)
        guard maxFrames == 0 || frameCount <= maxFrames else {
            throw ServiceError(.limit, "the source has more than \(maxFrames) frames or pages (limits.frames)")
        }
        guard page > 1, first.format == .tiff else { return first }
        guard page <= first.frameCount ?? 1 else { throw ServiceError(.notFound, "the source has no page \(page)") }
        return try header(of: bytes, decoder(forPage: page), cancellation)
    }

    /// Reads the header as ``header(of:page:cancellation:)`` does, and in a worker process also the cost of the
    /// thumbnail that the request probably needs.
    ///
    /// The thumbnail is predicted from the size in the file. When the prediction is wrong, the method
    /// ``prepare(_:_:for:knownCost:cancellation:)`` reads the cost itself.
    func headerAndCost(
        of bytes: [UInt8], for request: ThumbnailRequest, cancellation: CancellationFlag? = nil
    ) throws(ServiceError) -> (header: ImageHeader, cost: KnownThumbnailCost?) {
        guard request.operations.page == 1 else {
            return (try header(of: bytes, page: request.operations.page, cancellation: cancellation), nil)
        }
        let (header, cost) = try translating { () throws(DecodeError) in
            try decoder.header(
                of: bytes, expecting: expectedThumbnail(of: bytes, for: request), cancellation: cancellation)
        }
        return (try accepted(header, of: bytes, page: 1, cancellation), cost)
    }

    /// The thumbnail that the request probably needs; nil when it cannot be predicted.
    private func expectedThumbnail(of bytes: [UInt8], for request: ThumbnailRequest) -> ThumbnailOptions? {
        guard request.operations.trim == nil, let expected = ImageHeader.expected(of: bytes.span),
            let plan = try? sizes.plan(
                request.operations, request.output, sourceWidth: expected.width, sourceHeight: expected.height)
        else { return nil }
        return PreparedRender.expectedThumbnail(request, expected, plan, accuracy)
    }

    /// Reads the header, computes all sizes and estimates the memory of the render. Allocates no pixels.
    ///
    /// - Parameters:
    ///   - bytes: The complete source.
    ///   - request: The requested image or metadata.
    ///   - cancellation: Cancels the reading of the header.
    /// - Throws: The errors of ``header(of:page:cancellation:)``, and `malformed` or `limit` for sizes that are
    ///   refused.
    func prepare(
        _ bytes: [UInt8], for request: ThumbnailRequest, cancellation: CancellationFlag? = nil
    ) throws(ServiceError) -> PreparedRender {
        let header = try header(of: bytes, page: request.operations.page, cancellation: cancellation)
        return try prepare(bytes, header, for: request, cancellation: cancellation)
    }

    /// Prepares a render with the header of the requested page, which was read from these bytes before.
    ///
    /// - Parameter knownCost: The cost that was read with the header.
    func prepare(
        _ bytes: [UInt8], _ header: ImageHeader, for request: ThumbnailRequest, knownCost: KnownThumbnailCost? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(ServiceError) -> PreparedRender {
        let operations = request.operations
        let plan = try sizes.plan(
            operations, request.output, sourceWidth: header.displayWidth, sourceHeight: header.displayHeight)
        let decoder = decoder(forPage: operations.page)
        let prepared = try translating { () throws(DecodeError) in
            try PreparedRender(
                request: request, header: header, plan: plan, decoder: decoder, accuracy: accuracy,
                animationRules: keepsAnimations ? sizes : nil, maxWork: maxWork,
                searches: encoding.searchBudget != nil, bytes: bytes, knownCost: knownCost,
                cancellation: cancellation)
        }
        try checkWork(prepared, plan)
        return prepared
    }

    /// Executes a prepared render over the bytes it was prepared from.
    ///
    /// - Parameters:
    ///   - decode: Stopwatch that is stopped when the image is decoded.
    ///   - cancellation: Cancels the work within 16 rows of pixels.
    /// - Throws: `notAnImage`, `limit`, `deadline` (also when cancelled), `overloaded` when memory is exhausted;
    ///   `malformed` when a size is refused after a trim.
    func render(
        _ prepared: PreparedRender, _ bytes: [UInt8], decode: DecodeClock? = nil, cancellation: CancellationFlag? = nil
    ) throws(ServiceError) -> RenderedImage {
        let clock = ContinuousClock()
        let start = clock.now
        let (plan, fullImage) = try resolvePlan(prepared, bytes, cancellation)
        var prepared = prepared
        // A trim changes the size of the result.
        prepared.metadata = try translating { () throws(DecodeError) in
            try prepared.metadata.sized(
                width: plan.resultWidth, height: plan.resultHeight, of: bytes, prepared.decoder,
                cancellation: cancellation)
        }
        if prepared.isMetadataOnly {
            return RenderedImage(
                description: prepared, plan, status: fullImage?.status ?? .complete, sourceBytes: bytes.count)
        }

        if case .animation(let format) = prepared.format {
            return try renderAnimation(prepared, plan, as: format, bytes, decode: decode, cancellation: cancellation)
        }
        let image = try translating { () throws(DecodeError) in
            try prepared.decodeImage(plan.crop, plan.width, plan.height, of: bytes, decoded: fullImage, cancellation)
        }
        let decoded = clock.now
        decode?.end()
        var result = try finish(
            ResampledImage(bitmap: image.bitmap, status: image.status), prepared, plan, sourceBytes: bytes.count,
            cancellation: cancellation)
        result.decodeDuration = decoded - start
        return result
    }

    /// Applies flips and steps to the decoded image, then encodes it, or computes its BlurHash for `meta`.
    func finish(
        _ image: ResampledImage, _ prepared: PreparedRender, _ plan: RenderPlan, sourceBytes: Int,
        cancellation: CancellationFlag?
    ) throws(ServiceError) -> RenderedImage {
        let start = ContinuousClock.now
        let bitmap = try translating { () throws(DecodeError) in
            try image.bitmap.finished(by: plan, cancellation: cancellation)
        }
        var result: RenderedImage
        if case .meta = prepared.request.output.kind {
            let hash = BlurHash(bitmap).description
            result = RenderedImage(
                description: prepared, plan, status: image.status, sourceBytes: sourceBytes, blurHash: hash)
        } else {
            result = try file(bitmap, prepared, plan, cancellation)
            result.status = image.status
        }
        result.renderDuration = start.duration(to: .now)
        return result
    }

    /// Resolves the parts of the plan that depend on pixels (trim and crop search). Also returns the complete image
    /// when it had to be decoded for that.
    private func resolvePlan(
        _ prepared: PreparedRender, _ bytes: [UInt8], _ cancellation: CancellationFlag?
    ) throws(ServiceError) -> (plan: RenderPlan, fullImage: DecodedImage?) {
        var plan = prepared.plan
        var fullImage: DecodedImage?
        if prepared.needsFullDecode {
            fullImage = try translating { () throws(DecodeError) in
                try prepared.decoder.decode(bytes, cancellation: cancellation)
            }
        }
        if let bitmap = fullImage?.bitmap, let trim = prepared.request.operations.trim {
            let box = try translating { () throws(DecodeError) in
                try bitmap.bounds(trimmedBy: trim, cancellation: cancellation)
            }
            plan = try sizes.plan(
                prepared.request.operations, prepared.request.output, sourceWidth: bitmap.width,
                sourceHeight: bitmap.height, trimmed: box)
            guard prepared.fitsReservation(for: plan) else {
                throw ServiceError(.limit, "the trimmed image needs more memory than was reserved")
            }
            try checkWork(prepared, plan)
        }
        if plan.isCropSearched {
            plan = try translating { () throws(DecodeError) in
                let (width, height) = plan.searchedSize
                let small = try prepared.decodeImage(
                    plan.region, width, height, of: bytes, decoded: fullImage, cancellation)
                var movedPlan = plan
                try movedPlan.moveCrop(using: small.bitmap, cancellation: cancellation)
                return movedPlan
            }
        }
        return (plan, fullImage)
    }

    private func file(
        _ bitmap: Bitmap, _ prepared: PreparedRender, _ plan: RenderPlan, _ cancellation: CancellationFlag?
    ) throws(ServiceError) -> RenderedImage {
        let output = prepared.request.output
        var encoding = encoding.adding(prepared.metadata)
        let searches = encoding.searchBudget != nil && output.maxBytes == nil && !output.negotiated.candidates.isEmpty
        encoding.comparesLosslessWebP = comparesLosslessWebP(prepared, plan)
        if !searches {
            encoding = encoding.adapted(to: prepared.header, width: bitmap.width, height: bitmap.height)
        }
        var isOpaque = false
        if searches || prepared.format.dependsOnOpacity {
            isOpaque = try translating { () throws(DecodeError) in try bitmap.isOpaque(cancellation: cancellation) }
        }
        let start = ContinuousClock.now
        var file: EncodedFile
        do throws(EncodeError) {
            file = try encoding.file(
                of: bitmap, as: prepared.format.still(isOpaque: isOpaque), quality: output.quality,
                maxBytes: output.maxBytes, cancellation: cancellation)
        } catch {
            throw ServiceError(error)
        }
        if searches, let budget = encoding.searchBudget {
            var comparison = decoder
            comparison.options.convertsToSRGB = prepared.metadata.profile == nil
            let search = SmallestFileSearch(
                encoding: encoding, candidates: output.negotiated.candidates, budget: budget,
                elapsed: { start.duration(to: .now) }, decoder: comparison)
            file = try search.smallestFile(file, of: bitmap, isOpaque: isOpaque, cancellation: cancellation)
        }
        var image = RenderedImage(
            bytes: file.bytes, contentType: file.format.contentType.description, format: file.format,
            quality: file.quality, width: bitmap.width, height: bitmap.height, header: prepared.header, plan: plan)
        image.attempts = file.attempts
        image.isSearched = searches
        image.droppedMetadataBytes = prepared.metadata.droppedByteCount
        return image
    }

    private func decoder(forPage page: Int) -> ImageDecoder {
        var configured = decoder
        configured.options.page = max(0, page - 1)
        return configured
    }

    private func header(
        of bytes: [UInt8], _ decoder: ImageDecoder, _ cancellation: CancellationFlag?
    ) throws(ServiceError) -> ImageHeader {
        try translating { () throws(DecodeError) in try decoder.header(of: bytes, cancellation: cancellation) }
    }

    /// Converts the decoder's errors to service errors.
    func translating<R>(_ body: () throws(DecodeError) -> R) throws(ServiceError) -> R {
        do throws(DecodeError) {
            return try body()
        } catch {
            throw ServiceError(error)
        }
    }
}
