/// The decode parameters of a thumbnail: thumbnails of one file with equal plans can share one decode.
package struct ThumbnailPlan: Hashable, Sendable {
    let scaleDenominator: Int
    let skippedDetail: SkippedDetail.RawValue

    init(_ prepared: PreparedThumbnail) {
        scaleDenominator = prepared.source.call.options.scaleDenominator
        skippedDetail = prepared.source.skippedDetail(for: prepared.request).rawValue
    }

    init(scaleDenominator: Int, detail: SkippedDetail) {
        self.scaleDenominator = scaleDenominator
        skippedDetail = detail.rawValue
    }

    var detail: SkippedDetail { SkippedDetail(rawValue: skippedDetail) }

    /// The plan whose decode contains all detail that one of the plans contains; nil without plans. The plans must be
    /// plans of one file.
    ///
    /// A greater raw value of ``SkippedDetail`` skips more: `laterScans` includes `lastRefinement`, and `chroma` and
    /// `highFrequencies` occur only in files without these scans.
    static func finest(_ plans: [ThumbnailPlan]) -> ThumbnailPlan? {
        guard let denominator = plans.map(\.scaleDenominator).min(), let detail = plans.map(\.skippedDetail).min()
        else { return nil }
        return ThumbnailPlan(scaleDenominator: denominator, detail: SkippedDetail(rawValue: detail))
    }
}

extension ImageDecoder {
    /// Returns the decode plan of a thumbnail, and an upper estimate, in bytes, of the peak memory of
    /// ``thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)``, including its pixels, at least 1.
    ///
    /// - Parameter known: The cost of a probable thumbnail of the same file; it is returned when this thumbnail and the
    ///   options of the decoder are the expected ones.
    /// - Throws: The errors that the method `thumbnail` throws before it decodes pixels.
    package func thumbnailCost(
        of bytes: [UInt8], options: ThumbnailOptions, as contentType: ContentType? = nil,
        known: KnownThumbnailCost? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> (byteCount: Int, plan: ThumbnailPlan) {
        if let known, known.options == options, known.decodeOptions == self.options {
            return (known.byteCount, known.plan)
        }
        if let isolated = isolated(bytes.span, as: contentType, cancellation, retaining: bytes) {
            return try isolated.thumbnailCost(options, bytes.span)
        }
        let prepared = try PreparedThumbnail(
            bytes.span, declared: contentType, decoder: self, options: options, flag: cancellation)
        return (prepared.byteCount, ThumbnailPlan(prepared))
    }

    /// Makes several thumbnails of one file, each identical to a separate
    /// ``thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)``; those with equal plans share one decode.
    ///
    /// - Parameter all: Options of at least one thumbnail. A thumbnail that is made from an embedded thumbnail
    ///   (``ThumbnailOptions/usesEmbeddedThumbnail``) is decoded separately.
    /// - Returns: The thumbnails in the order of the options, and the number of decodes.
    /// - Throws: The errors of the method `thumbnail`, also when only one of the thumbnails fails.
    package func thumbnailsGroupedByPlan(
        of bytes: [UInt8], options all: [ThumbnailOptions], cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> (images: [DecodedImage], decodeCount: Int) {
        if let isolated = isolated(bytes.span, as: nil, cancellation, retaining: bytes) {
            let results = try isolated.images(.thumbnailsByPlan(all), bytes.span)
            return (try results.images(), results.decodeCount)
        }
        let prepared = try preparedByPlan(bytes.span, options: all, flag: cancellation)
        return try thumbnailsGroupedByPlan(prepared, bytes.span)
    }

    /// Reads the header and plans each thumbnail for ``thumbnailsGroupedByPlan(_:_:)``.
    func preparedByPlan(
        _ bytes: Span<UInt8>, options all: [ThumbnailOptions], flag: CancellationFlag?
    ) throws(DecodeError) -> [PreparedThumbnail] {
        var sources = try ThumbnailSources(bytes, declared: nil, options: options, flag: flag)
        var prepared: [PreparedThumbnail] = []
        for options in all {
            prepared.append(try PreparedThumbnail(&sources, bytes, options: options))
        }
        return prepared
    }

    /// Decodes and resamples prepared thumbnails, those of equal plans with one decode.
    func thumbnailsGroupedByPlan(
        _ prepared: [PreparedThumbnail], _ bytes: Span<UInt8>
    ) throws(DecodeError) -> (images: [DecodedImage], decodeCount: Int) {
        var images = [DecodedImage?](repeating: nil, count: prepared.count)
        var decodeCount = 0
        for index in prepared.indices where images[index] == nil {
            let plan = ThumbnailPlan(prepared[index])
            let group = prepared.indices.filter { other in
                images[other] == nil && ThumbnailPlan(prepared[other]) == plan && prepared[other].embedded == nil
            }.prefix(CodecCall.maxOutputs)
            decodeCount += 1
            guard group.count > 1, prepared[index].embedded == nil else {
                images[index] = try thumbnail(prepared[index], bytes)
                continue
            }
            let groupImages = try thumbnails(group.map { prepared[$0] }, bytes)
            for (position, image) in zip(group, groupImages) { images[position] = image }
        }
        return (images.compactMap(\.self), decodeCount)
    }

    /// Makes the thumbnails of `group`, which have equal plans, with one decode.
    func thumbnails(_ group: [PreparedThumbnail], _ bytes: Span<UInt8>) throws(DecodeError) -> [DecodedImage] {
        guard var source = group.first?.source else { return [] }
        let transform = try source.transform(in: bytes, cache: transforms)
        var outputs: [(request: ResampleRequest, storage: PixelStorage)] = []
        for prepared in group {
            let (width, height) = (prepared.request.width, prepared.request.height)
            outputs.append((prepared.request, try PixelStorage.uninitialized(width: width, height: height)))
        }
        try source.decode(bytes, resampledTo: outputs, transform)
        try source.damage.throwIfExceeds(options.strictness, format: source.header.format)
        var images: [DecodedImage] = []
        for (prepared, output) in zip(group, outputs) {
            images.append(try finish(prepared, output.storage, source.damage))
        }
        return images
    }
}
