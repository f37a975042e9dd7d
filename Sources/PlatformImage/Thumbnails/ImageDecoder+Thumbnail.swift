extension ImageDecoder {
    /// A small picture of a large one: upright and in sRGB as the decoder's options say, made without the large one in
    /// memory where the format allows that.
    ///
    /// Of an animation that is frame 0, of a TIFF the page of ``DecodeOptions/page``;
    /// ``DecodeOptions/scaleDenominator`` counts for nothing.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - options: Size, fit, crop and filter.
    ///   - contentType: What the sender declared; nil or `application/octet-stream` for nothing.
    ///   - cancellation: Ends the decode at its next row batch when raised.
    /// - Returns: The thumbnail, with the header of the file and the status of its decode. With
    ///   ``ThumbnailOptions/usesEmbeddedThumbnail`` the status is that of the embedded picture.
    /// - Throws: What ``decode(_:as:cancellation:)-([UInt8],_,_)`` throws; `invalidArgument` when a number in `options`
    ///   is out of its range; `emptyCrop` when the crop has no pixel in
    ///   the picture; `limitExceeded` also when the thumbnail is over ``DecodeLimits/maxSide``, `maxPixels` or
    ///   `maxMemory`.
    public func thumbnail(
        of bytes: Span<UInt8>, options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try thumbnail(
            PreparedThumbnail(bytes, declared: contentType, decoder: self, options: options, flag: cancellation), bytes)
    }

    /// A small picture of a large one, from an array; the same as for a span.
    public func thumbnail(
        of bytes: [UInt8], options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try thumbnail(of: bytes.span, options: options, as: contentType, cancellation: cancellation)
    }

    /// An upper estimate of the bytes that ``decode(_:as:cancellation:)-([UInt8],_,_)`` holds at once, its pixels
    /// included; at least 1.
    ///
    /// - Throws: What that throws before it decodes.
    package func decodeByteCount(
        of bytes: Span<UInt8>, as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Int {
        try prepare(bytes, as: contentType, cancellation: cancellation).byteCount
    }

    /// An upper estimate of the bytes that ``thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)`` holds at once,
    /// its pixels included; at least 1.
    ///
    /// - Throws: What that throws before it decodes.
    package func thumbnailByteCount(
        of bytes: Span<UInt8>, options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Int {
        try thumbnailCost(of: bytes, options: options, as: contentType, cancellation: cancellation).byteCount
    }

    /// The second half, over the same bytes.
    func thumbnail(_ prepared: PreparedThumbnail, _ bytes: Span<UInt8>) throws(DecodeError) -> DecodedImage {
        var source = prepared.source
        let transform = try source.transform(in: bytes, cache: transforms)
        let request = prepared.request
        let storage = try PixelStorage.forThumbnail(width: request.width, height: request.height)
        if let embedded = prepared.embedded, try decode(embedded, of: bytes, into: storage, transform) {
            return try finish(prepared, storage, Damage())
        }
        try source.decode(bytes, resampledBy: request, into: storage, transform)
        try source.damage.settle(options.strictness, format: source.header.format)
        return try finish(prepared, storage, source.damage)
    }

    /// False when the embedded thumbnail is no good, and the picture itself has to be decoded.
    private func decode(
        _ embedded: PreparedThumbnail.Embedded, of bytes: Span<UInt8>, into storage: PixelStorage,
        _ transform: ColorTransform?
    ) throws(DecodeError) -> Bool {
        var source = embedded.thumbnail.source
        let own = bytes.extracting(embedded.thumbnail.range)
        do throws(DecodeError) {
            // Most have no profile, and their camera's colours are those of the picture. One that has its own and needs
            // no conversion is in sRGB.
            let hasProfile = source.header.profileSource != .none
            let colors = hasProfile ? try source.transform(in: own, cache: transforms) : transform
            try source.decode(own, resampledBy: embedded.request, into: storage, colors)
            try source.damage.settle(.corrupt, format: .jpeg)
            return true
        } catch {
            if error.code == .cancelled || error.code == .outOfMemory || error.detail == "deadline" { throw error }
            return false
        }
    }

    /// Upright, in its box and over its background.
    func finish(
        _ prepared: PreparedThumbnail, _ storage: PixelStorage, _ damage: Damage
    ) throws(DecodeError) -> DecodedImage {
        var bitmap = Bitmap(width: prepared.request.width, height: prepared.request.height, storage: storage)
        if prepared.orientation != .up { bitmap = try bitmap.turned(by: prepared.orientation) }
        var header = prepared.header
        header.warnings = damage.warnings
        return DecodedImage(
            bitmap: try bitmap.laidOut(prepared.geometry, background: prepared.options.background), header: header,
            status: damage.status.scaled(by: prepared.source.call.options.scaleDenominator, to: header.height))
    }

    /// Small pictures of all frames of a GIF or APNG as they are shown; of any other picture one.
    ///
    /// Each frame is as large as the thumbnail, keeps its delay and replaces the one before. They are all in memory at
    /// the end, and count for ``DecodeLimits/maxMemory``. ``DecodeOptions/scaleDenominator`` counts for nothing.
    ///
    /// - Returns: The frames up to the end or the first that cannot be shown, and what was wrong in them or ended them.
    /// - Throws: What ``frames(of:as:cancellation:)`` and ``ImageFrames/next()`` throw, and what
    ///   ``thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)`` throws besides.
    public func thumbnails(
        ofFramesIn bytes: [UInt8], options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> (frames: [AnimationFrame], status: DecodeStatus) {
        var own = self
        own.options.scaleDenominator = 1
        let frames = try own.frames(of: bytes, as: contentType, cancellation: cancellation)
        var result: [AnimationFrame] = []
        var held = 0
        while let frame = try frames.next() {
            let small = try frame.bitmap.thumbnail(
                options: options, limits: own.options.limits, cancellation: cancellation)
            held += small.byteCount
            if let limit = own.options.limits.maxMemory, held > limit {
                throw DecodeError(
                    .limitExceeded, format: frames.header.format, detail: "maxMemory",
                    "\(result.count + 1) thumbnails of \(held) bytes are over the limit of \(limit)")
            }
            result.append(AnimationFrame(small, delay: frame.info.delay, index: result.count))
        }
        return (result, frames.status)
    }
}

extension DecodeStatus {
    /// Rows of a picture that was decoded at 1/n as rows of the whole one.
    fileprivate func scaled(by denominator: Int, to height: Int) -> Self {
        guard case .truncated(let rows) = self else { return self }
        return .truncated(rows: min(height, rows * denominator))
    }
}

extension PixelStorage {
    /// Pixels of any content.
    static func forThumbnail(width: Int, height: Int) throws(DecodeError) -> PixelStorage {
        guard let storage = PixelStorage(byteCount: width * height * 4, zeroed: false) else {
            throw DecodeError(.outOfMemory, "no memory for \(width) x \(height) pixels")
        }
        return storage
    }
}
