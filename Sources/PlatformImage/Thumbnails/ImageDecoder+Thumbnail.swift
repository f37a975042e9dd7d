extension ImageDecoder {
    /// Makes a thumbnail, upright and in sRGB if the decoder's options request that. If the format permits it, the full
    /// image is never in memory.
    ///
    /// Uses frame 0 of an animation, page ``DecodeOptions/page`` of a TIFF. ``DecodeOptions/scaleDenominator`` is
    /// ignored.
    ///
    /// - Parameters:
    ///   - bytes: The complete file.
    ///   - options: Size, fit, crop and filter.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    ///   - cancellation: Stops the decode at its next batch of rows when raised.
    /// - Returns: The thumbnail, with the header of the file and the status of its decode. The status is `complete` if
    ///   the thumbnail was made from an embedded thumbnail (``ThumbnailOptions/usesEmbeddedThumbnail``).
    /// - Throws: The errors of ``decode(_:as:cancellation:)-([UInt8],_,_)``; `invalidArgument` when a number in
    ///   `options` is out of its range; `emptyCrop` when the crop has no pixel in the image; `limitExceeded` also when
    ///   the thumbnail exceeds ``DecodeLimits/maxSide``, `maxPixels` or `maxMemory`.
    public func thumbnail(
        of bytes: Span<UInt8>, options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        if let isolated = isolated(bytes, as: contentType, cancellation) {
            return try isolated.images(.thumbnail(options), bytes).first()
        }
        return try thumbnail(
            PreparedThumbnail(bytes, declared: contentType, decoder: self, options: options, flag: cancellation), bytes)
    }

    /// Makes a thumbnail of a file in an array, as the method that takes a span does.
    public func thumbnail(
        of bytes: [UInt8], options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        if let isolated = isolated(bytes.span, as: contentType, cancellation, retaining: bytes) {
            return try isolated.images(.thumbnail(options), bytes.span).first()
        }
        return try thumbnail(of: bytes.span, options: options, as: contentType, cancellation: cancellation)
    }

    /// An upper estimate, in bytes, of the peak memory of ``decode(_:as:cancellation:)-([UInt8],_,_)``, including its
    /// pixels; at least 1.
    ///
    /// - Throws: The errors that ``decode(_:as:cancellation:)-([UInt8],_,_)`` throws before it decodes pixels.
    package func decodeByteCount(
        of bytes: [UInt8], as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Int {
        if let isolated = isolated(bytes.span, as: contentType, cancellation, retaining: bytes) {
            return try isolated.decodeByteCount(bytes.span)
        }
        return try prepare(bytes.span, as: contentType, cancellation: cancellation).byteCount
    }

    /// An upper estimate, in bytes, of the peak memory of ``thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)``,
    /// including its pixels; at least 1.
    ///
    /// - Throws: The errors that ``thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)`` throws before it decodes
    ///   pixels.
    package func thumbnailByteCount(
        of bytes: [UInt8], options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Int {
        try thumbnailCost(of: bytes, options: options, as: contentType, cancellation: cancellation).byteCount
    }

    /// Decodes and resamples a prepared thumbnail. `bytes` must be the bytes from which `prepared` was created.
    ///
    /// - Parameter target: Storage for the resampled pixels, which are those of the result when
    ///   ``PreparedThumbnail/isFinal`` is true; nil to allocate one.
    func thumbnail(
        _ prepared: PreparedThumbnail, _ bytes: Span<UInt8>, into target: PixelStorage? = nil
    ) throws(DecodeError) -> DecodedImage {
        var source = prepared.source
        let transform = try source.transform(in: bytes, cache: transforms)
        let request = prepared.request
        let storage: PixelStorage
        if let target {
            storage = target
        } else {
            storage = try PixelStorage.uninitialized(width: request.width, height: request.height)
        }
        if let embedded = prepared.embedded, try decode(embedded, of: bytes, into: storage, transform) {
            return try finish(prepared, storage, Damage())
        }
        try source.decode(bytes, resampledBy: request, into: storage, transform)
        try source.damage.throwIfExceeds(options.strictness, format: source.header.format)
        return try finish(prepared, storage, source.damage)
    }

    /// Decodes the embedded thumbnail; false when it cannot be decoded without damage, so that the full image must be
    /// decoded.
    private func decode(
        _ embedded: PreparedThumbnail.Embedded, of bytes: Span<UInt8>, into storage: PixelStorage,
        _ transform: ColorTransform?
    ) throws(DecodeError) -> Bool {
        var source = embedded.thumbnail.source
        let embeddedBytes = bytes.extracting(embedded.thumbnail.range)
        do throws(DecodeError) {
            // Most embedded thumbnails have no profile; their colour space is then the colour space of the image. For
            // a thumbnail with a profile equivalent to sRGB, `colors` is nil: no conversion is needed.
            let hasProfile = source.header.profileSource != .none
            let colors = hasProfile ? try source.transform(in: embeddedBytes, cache: transforms) : transform
            try source.decode(embeddedBytes, resampledBy: embedded.request, into: storage, colors)
            try source.damage.throwIfExceeds(.corrupt, format: .jpeg)
            return true
        } catch {
            if error.code == .cancelled || error.code == .outOfMemory || error.detail == "deadline" { throw error }
            return false
        }
    }

    /// Applies orientation, padding and background.
    func finish(
        _ prepared: PreparedThumbnail, _ storage: PixelStorage, _ damage: Damage
    ) throws(DecodeError) -> DecodedImage {
        var bitmap = Bitmap(width: prepared.request.width, height: prepared.request.height, storage: storage)
        if prepared.orientation != .up { bitmap = try bitmap.oriented(prepared.orientation) }
        var header = prepared.header
        header.warnings = damage.warnings
        return DecodedImage(
            bitmap: try bitmap.paddedAndComposited(prepared.geometry, background: prepared.options.background),
            header: header,
            status: damage.status.scaled(by: prepared.source.call.options.scaleDenominator, to: header.height))
    }

    /// Makes thumbnails of all composed frames of a GIF, APNG or WebP; any other image gives one thumbnail.
    ///
    /// Each returned frame has the size of the thumbnail and the delay of its source frame, and replaces the previous
    /// frame. At the end all returned frames are in memory; their bytes count for ``DecodeLimits/maxMemory``.
    /// ``DecodeOptions/scaleDenominator`` is ignored.
    ///
    /// - Returns: The thumbnails of all frames, or of the frames before the first frame that cannot be decoded, and the
    ///   status of the animation.
    /// - Throws: The errors of ``frames(of:as:cancellation:)-([UInt8],_,_)``, ``ImageFrames/next()`` and
    ///   ``thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)``.
    public func thumbnails(
        ofFramesIn bytes: [UInt8], options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> (frames: [AnimationFrame], status: DecodeStatus) {
        var decoder = self
        decoder.options.scaleDenominator = 1
        let frames = try decoder.frames(of: bytes, as: contentType, cancellation: cancellation)
        var result: [AnimationFrame] = []
        var byteCount = 0
        while let frame = try frames.next() {
            let thumbnail = try frame.bitmap.thumbnail(
                options: options, limits: decoder.options.limits, cancellation: cancellation)
            byteCount += thumbnail.byteCount
            if let limit = decoder.options.limits.maxMemory, byteCount > limit {
                throw DecodeError(
                    .limitExceeded, format: frames.header.format, detail: "maxMemory",
                    "\(byteCount) bytes of \(result.count + 1) thumbnails exceed the limit of \(limit) bytes")
            }
            result.append(AnimationFrame(thumbnail, delay: frame.info.delay, index: result.count))
        }
        return (result, frames.status)
    }
}

extension DecodeStatus {
    /// Converts the row count of an image decoded at 1/n to rows of the full image.
    fileprivate func scaled(by denominator: Int, to height: Int) -> Self {
        guard case .truncated(let rows) = self else { return self }
        return .truncated(rows: min(height, rows * denominator))
    }
}

extension PixelStorage {
    /// Allocates uninitialised pixels.
    static func uninitialized(width: Int, height: Int) throws(DecodeError) -> PixelStorage {
        guard let storage = PixelStorage(byteCount: width * height * 4, zeroed: false) else {
            throw DecodeError(.outOfMemory, "out of memory: \(width) x \(height) pixels")
        }
        return storage
    }
}
