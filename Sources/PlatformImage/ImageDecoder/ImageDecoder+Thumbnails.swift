extension ImageDecoder {
    /// Makes a thumbnail, upright and in sRGB if the decoder's options request that. If the format permits it, the full
    /// image is never in memory.
    ///
    /// Uses frame 0 of an animation, page ``DecodeOptions/page`` of a TIFF. ``DecodeOptions/scaleDenominator`` is
    /// ignored.
    ///
    /// - Parameters:
    ///   - source: The complete file.
    ///   - options: Size, fit, crop and filter.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    ///   - cancellation: Stops the decode at its next batch of rows when raised.
    /// - Returns: The thumbnail, with the header of the file and the status of its decode. The status is `complete` if
    ///   the thumbnail was made from an embedded thumbnail (``ThumbnailOptions/usesEmbeddedThumbnail``).
    /// - Throws: The errors of ``decode(_:as:cancellation:)``; `invalidArgument` when a number in
    ///   `options` is out of its range; `emptyCrop` when the crop has no pixel in the image; `limitExceeded` also when
    ///   the thumbnail exceeds ``DecodeLimits/maxSide``, `maxPixels` or `maxMemory`.
    public func thumbnail(
        of source: some ImageSourceConvertible, options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try open(source, as: contentType, cancellation) { (bytes, backend) throws(DecodeError) in
            try backend.images(.thumbnail(options), bytes).first()
        }
    }

    /// Makes a thumbnail of a file in borrowed bytes, as ``thumbnail(of:options:as:cancellation:)`` does.
    public func thumbnail(
        borrowing bytes: Span<UInt8>, options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try backend(bytes, as: contentType, cancellation).images(.thumbnail(options), bytes).first()
    }

    /// Makes several thumbnails of one file with one decode, upright and in sRGB if the decoder's options request that.
    ///
    /// The decode has the detail that the most demanding of the thumbnails needs: of a JPEG, the largest scale and the
    /// most scans. A small thumbnail may therefore differ slightly from the one that
    /// ``thumbnail(of:options:as:cancellation:)`` makes alone, and then is closer to a thumbnail with
    /// ``ThumbnailQuality/exact``. For all other formats, for a JPEG whose thumbnails need the same detail, and for
    /// one thumbnail, the pixels are equal. As for one thumbnail, the full image is in memory only for formats that
    /// require it.
    ///
    /// One decode makes up to 16 different thumbnails. Equal options are computed once. A thumbnail made from an
    /// embedded thumbnail (``ThumbnailOptions/usesEmbeddedThumbnail``) is decoded separately. When one decode of all
    /// thumbnails would exceed ``DecodeLimits/maxMemory``, they are decoded one after another.
    ///
    /// - Parameters:
    ///   - source: The complete file.
    ///   - options: Size, fit, crop and filter of each thumbnail.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    ///   - cancellation: Stops the decode at its next batch of rows when raised.
    /// - Returns: The thumbnails in the order of `options`; empty when `options` is empty. The status of each is that
    ///   of the decode.
    /// - Throws: The errors of ``thumbnail(of:options:as:cancellation:)``; when several thumbnails
    ///   fail, the error of the first. `limitExceeded` also when all returned thumbnails together exceed
    ///   ``DecodeLimits/maxMemory``.
    public func thumbnails(
        of source: some ImageSourceConvertible, options: [ThumbnailOptions], as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> [DecodedImage] {
        try open(source, as: contentType, cancellation) { (bytes, backend) throws(DecodeError) in
            try backend.images(.thumbnails(options, isComplete: true), bytes).images()
        }
    }

    /// Makes several thumbnails of a file in borrowed bytes, as ``thumbnails(of:options:as:cancellation:)`` does.
    public func thumbnails(
        borrowing bytes: Span<UInt8>, options: [ThumbnailOptions], as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> [DecodedImage] {
        try backend(bytes, as: contentType, cancellation)
            .images(.thumbnails(options, isComplete: true), bytes).images()
    }

    /// Makes thumbnails of all composed frames of a GIF, APNG or WebP; any other image gives one thumbnail.
    ///
    /// Each returned frame has the size of the thumbnail and the delay of its source frame, and replaces the previous
    /// frame. At the end all returned frames are in memory; their bytes count for ``DecodeLimits/maxMemory``.
    /// ``DecodeOptions/scaleDenominator`` is ignored.
    ///
    /// - Returns: The thumbnails of all frames, or of the frames before the first frame that cannot be decoded, and the
    ///   status of the animation.
    /// - Throws: The errors of ``frames(of:as:cancellation:)``, ``ImageFrames/next()`` and
    ///   ``thumbnail(of:options:as:cancellation:)``.
    public func thumbnails(
        ofFramesIn source: some ImageSourceConvertible, options: ThumbnailOptions,
        as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> (frames: [AnimationFrame], status: DecodeStatus) {
        var decoder = self
        decoder.options.scaleDenominator = 1
        let frames = try decoder.frames(of: source, as: contentType, cancellation: cancellation)
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
