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
        try backend(bytes, as: contentType, cancellation).images(.thumbnail(options), bytes).first()
    }

    /// Makes a thumbnail of a file in an array, as the method that takes a span does.
    public func thumbnail(
        of bytes: [UInt8], options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try backend(bytes.span, as: contentType, cancellation, retaining: bytes)
            .images(.thumbnail(options), bytes.span).first()
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
