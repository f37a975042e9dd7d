extension Bitmap {
    /// Returns a resampled copy of the bitmap or of a part of it.
    ///
    /// Colours are weighted by alpha: colour under transparent pixels has no influence. An axis whose size does not
    /// change is not filtered. If neither axis changes, or every result pixel is one source pixel, pixels are copied
    /// unchanged, including colour under alpha 0. Compared with exact arithmetic, the error of a sample (0...255) of an
    /// opaque pixel is below 0.6; for other pixels, the error of colour times alpha is below 1.
    ///
    /// - Parameters:
    ///   - width: Width of the result in pixels, at least 1.
    ///   - height: Height of the result in pixels, at least 1.
    ///   - crop: The part to use, clipped to the bitmap; nil for the complete bitmap.
    ///   - filter: The resampling kernel. A reduction widens the kernel by its ratio, so that every source pixel
    ///     contributes.
    ///   - linearLight: Resamples in linear light, not in sRGB values: fine bright patterns retain their brightness,
    ///     but sharp filters ring more around dark lines. Takes about three times as long.
    ///   - limits: `maxSide` and `maxPixels` apply to the result, `maxMemory` to the result and the row buffers.
    ///   - cancellation: Stops the work within 16 rows when raised.
    /// - Throws: `invalidArgument` when `width` or `height` is below 1, `emptyCrop` when the crop has no pixel in the
    ///   bitmap, `limitExceeded`, also when a side of source or result exceeds 1,048,576 pixels (`maxSide`),
    ///   `outOfMemory`, `cancelled`.
    public func resized(
        width: Int, height: Int, crop: PixelRectangle? = nil, filter: ResampleFilter = .lanczos3,
        linearLight: Bool = false, limits: DecodeLimits = DecodeLimits(), cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        try DecodeError.check(width, "width", isIn: 1 ... .max)
        try DecodeError.check(height, "height", isIn: 1 ... .max)
        var request = ResampleRequest(
            sourceWidth: self.width, sourceHeight: self.height, width: width, height: height, filter: filter)
        request.linearLight = linearLight
        if let crop {
            guard let part = crop.clipped(toWidth: self.width, height: self.height) else {
                throw DecodeError(
                    .emptyCrop, "the crop \(crop) is outside the image of \(self.width) x \(self.height) pixels")
            }
            (request.cropX, request.cropY) = (Double(part.x), Double(part.y))
            (request.cropWidth, request.cropHeight) = (Double(part.width), Double(part.height))
        }
        try request.check(limits)
        return try resized(by: request, flag: cancellation)
    }

    /// Resamples by a valid request whose source has the size of this bitmap.
    func resized(
        by request: ResampleRequest, flag: CancellationFlag?, isPortable: Bool = false
    ) throws(DecodeError) -> Bitmap {
        precondition(
            request.sourceWidth == width && request.sourceHeight == height,
            "the source size of the request must be the size of the bitmap")
        guard let storage = PixelStorage(byteCount: request.width * request.height * 4, zeroed: false) else {
            throw DecodeError(.outOfMemory, "out of memory: \(request.width) x \(request.height) pixels")
        }
        let resampler = try RowResampler(request, into: storage, flag: flag, isPortable: isPortable)
        let rows = resampler.sourceRows
        for y in 0..<rows.upperBound {
            if y % 16 == 0 { try flag?.poll() }
            withRow(y) { resampler.push($0) }
        }
        // The resampler writes no rows after the flag was raised: this poll rejects an incomplete result.
        try flag?.poll()
        return Bitmap(width: request.width, height: request.height, storage: storage)
    }
}

extension ResampleRequest {
    /// - Throws: `limitExceeded` when the result, or a side of source or result, is too large.
    func check(_ limits: DecodeLimits) throws(DecodeError) {
        let size = "\(sourceWidth) x \(sourceHeight) to \(width) x \(height) pixels"
        let sides = [sourceWidth, sourceHeight, width, height]
        guard sides.allSatisfy({ $0 <= Self.maxSide }), max(width, height) <= limits.maxSide ?? .max else {
            throw DecodeError(
                .limitExceeded, detail: "maxSide",
                "\(size): a source side exceeds \(Self.maxSide) pixels, or a result side exceeds "
                    + "\(min(Self.maxSide, limits.maxSide ?? .max)) pixels")
        }
        // Sides are at most 2^20: the products cannot overflow.
        if let limit = limits.maxPixels, width * height > limit {
            throw DecodeError(
                .limitExceeded, detail: "maxPixels", "\(size): the result exceeds the limit of \(limit) pixels")
        }
        let bytes = RowResampler.byteCount(self) + PixelStorage.allocatedByteCount(width * height * 4)
        if let limit = limits.maxMemory, bytes > limit {
            throw DecodeError(
                .limitExceeded, detail: "maxMemory",
                "\(size): \(bytes) bytes of memory exceed the limit of \(limit) bytes")
        }
    }
}
