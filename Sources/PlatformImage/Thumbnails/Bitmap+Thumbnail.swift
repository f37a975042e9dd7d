extension Bitmap {
    /// Returns a thumbnail of the bitmap, by the rules of
    /// ``ImageDecoder/thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)``.
    ///
    /// ``ThumbnailOptions/quality`` and ``ThumbnailOptions/usesEmbeddedThumbnail`` are ignored.
    ///
    /// - Parameters:
    ///   - options: Size, fit, crop and filter.
    ///   - limits: `maxSide`, `maxPixels` and `maxMemory` apply to the thumbnail's pixels.
    ///   - cancellation: Stops the work at its next batch of rows when raised.
    /// - Throws: `invalidArgument` when a number in `options` is out of its range; `emptyCrop` when the crop has no
    ///   pixel in the image; `limitExceeded` when the thumbnail exceeds `limits`, or when a side of the bitmap or of
    ///   the thumbnail exceeds ``ThumbnailOptions/maxSide``; `outOfMemory`; `cancelled`.
    public func thumbnail(
        options: ThumbnailOptions, limits: DecodeLimits = DecodeLimits(), cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        let geometry = try ThumbnailGeometry(
            sourceWidth: width, sourceHeight: height, limits: limits, options: options)
        let request = geometry.request(
            storedWidth: width, storedHeight: height, orientation: .up, options: options)
        return try resized(by: request, flag: cancellation).paddedAndComposited(
            geometry, background: options.background)
    }

    /// Pads the bitmap to the box of `geometry` and composites it over the background; returns it unchanged when
    /// neither is needed.
    func paddedAndComposited(_ geometry: ThumbnailGeometry, background: RGBA8?) throws(DecodeError) -> Bitmap {
        guard geometry.isPadded || background != nil else { return self }
        let box = try PixelStorage.uninitialized(width: geometry.boxWidth, height: geometry.boxHeight)
        let backgroundColor = background ?? RGBA8(red: 0, green: 0, blue: 0, alpha: 0)
        box.withMutableBytes { pixels in
            for at in stride(from: 0, to: pixels.count, by: 4) { backgroundColor.store(in: &pixels, at: at) }
            for y in 0..<height {
                let start = ((geometry.top + y) * geometry.boxWidth + geometry.left) * 4
                withRow(y) { row in
                    for x in 0..<width {
                        RGBA8(in: row, at: x * 4).over(backgroundColor).store(in: &pixels, at: start + x * 4)
                    }
                }
            }
        }
        return Bitmap(width: geometry.boxWidth, height: geometry.boxHeight, storage: box)
    }
}
