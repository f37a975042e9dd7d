extension Bitmap {
    /// Returns a thumbnail of the bitmap, by the rules of
    /// ``ImageDecoder/thumbnail(of:options:as:cancellation:)``.
    ///
    /// ``ThumbnailOptions/quality`` and ``ThumbnailOptions/usesEmbeddedThumbnail`` are ignored.
    ///
    /// - Parameters:
    ///   - options: Size, fit, crop and filter.
    ///   - limits: `maxSide` and `maxPixels` apply to the thumbnail, `maxMemory` to its pixels, the row buffers and,
    ///     with padding or a background, the resampled pixels without them.
    ///   - cancellation: Stops the work at its next batch of rows when raised.
    /// - Throws: `invalidArgument` when a number in `options` is out of its range; `emptyCrop` when the crop has no
    ///   pixel in the image; `limitExceeded` when the thumbnail exceeds `limits`, or when a side of the bitmap or of
    ///   the thumbnail exceeds ``ThumbnailOptions/maxSide``; `outOfMemory`; `cancelled`.
    public func thumbnail(
        options: ThumbnailOptions, limits: DecodeLimits = DecodeLimits(), cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        let geometry = try ThumbnailGeometry(
            sourceWidth: width, sourceHeight: height, limits: limits, options: options)
        let memory = geometry.resizedByteCount(sourceWidth: width, sourceHeight: height, options: options)
        if let limit = limits.maxMemory, memory > limit {
            throw DecodeError(
                .limitExceeded, detail: "maxMemory",
                "\(memory) bytes of memory for a thumbnail of \(geometry.boxWidth) x \(geometry.boxHeight) pixels "
                    + "exceed the limit of \(limit) bytes")
        }
        let request = geometry.request(
            storedWidth: width, storedHeight: height, orientation: .up, options: options)
        return try resized(by: request, flag: cancellation).paddedAndComposited(
            geometry, background: options.background)
    }

    /// Pads the bitmap to the box of `geometry` and composites it over the background; returns it unchanged when
    /// neither is needed.
    func paddedAndComposited(_ geometry: ThumbnailGeometry, background: RGBA8?) throws(DecodeError) -> Bitmap {
        guard geometry.isPadded || background != nil else { return self }
        return try Backdrop.color(background ?? RGBA8(red: 0, green: 0, blue: 0, alpha: 0)).composited(
            self, atX: geometry.left, y: geometry.top, width: geometry.boxWidth, height: geometry.boxHeight,
            operator: .sourceOver, limits: .unlimited, cancellation: nil)
    }
}

extension ThumbnailGeometry {
    /// Memory in bytes of a thumbnail of a bitmap: its pixels, the row buffers of the resampler and, if the resampled
    /// pixels are copied for padding or a background, these pixels.
    func resizedByteCount(sourceWidth: Int, sourceHeight: Int, options: ThumbnailOptions) -> Int {
        let request = request(
            storedWidth: sourceWidth, storedHeight: sourceHeight, orientation: .up, options: options)
        var byteCount = RowResampler.byteCount(request)
        byteCount += PixelStorage.allocatedByteCount(width * height * 4)
        if isPadded || options.background != nil {
            byteCount += PixelStorage.allocatedByteCount(boxWidth * boxHeight * 4)
        }
        return byteCount
    }
}
