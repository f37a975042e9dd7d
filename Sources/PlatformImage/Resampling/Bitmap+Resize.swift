extension Bitmap {
    /// A copy of another size, or of a part in another size.
    ///
    /// Colours weigh by their alpha: what lies under transparent pixels is not seen. A side that keeps its size is
    /// copied; where both do, or every pixel of the result is one of this bitmap's, so are the pixels, with what lies
    /// under alpha 0. Against the same sums in exact numbers an opaque pixel is off by less than 0.6 of 255; with
    /// alpha, colour times alpha by less than 1.
    ///
    /// - Parameters:
    ///   - width: Pixels in a row of the result, at least 1.
    ///   - height: Its rows, at least 1.
    ///   - crop: The part that is used; what lies outside the bitmap is cut off. Nil for all of it.
    ///   - filter: How pixels weigh; each filter grows with the reduction, so that every pixel counts.
    ///   - weighsLight: Weighs amounts of light, not sRGB values: fine bright patterns keep their brightness, but
    ///     sharp filters ring more around dark lines. Takes about three times as long.
    ///   - limits: `maxSide` and `maxPixels` hold for the result, `maxMemory` for the result and the rows in work.
    ///   - cancellation: Ends the work at the next 16 rows when raised.
    /// - Throws: `invalidArgument` when `width` or `height` is below 1, `emptyCrop` when the crop has no pixel in the
    ///   bitmap, `limitExceeded`, also when a side of either is over 1,048,576 (`maxSide`), `outOfMemory`, `cancelled`.
    public func resized(
        width: Int, height: Int, crop: PixelRectangle? = nil, filter: ResampleFilter = .lanczos3,
        weighsLight: Bool = false, limits: DecodeLimits = DecodeLimits(), cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        try DecodeError.check(width, "width", isIn: 1 ... .max)
        try DecodeError.check(height, "height", isIn: 1 ... .max)
        var request = ResampleRequest(
            sourceWidth: self.width, sourceHeight: self.height, width: width, height: height, filter: filter)
        request.weighsLight = weighsLight
        if let crop {
            guard let part = crop.clipped(toWidth: self.width, height: self.height) else {
                throw DecodeError(.emptyCrop, "the crop \(crop) lies outside \(self.width) x \(self.height)")
            }
            (request.cropX, request.cropY) = (Double(part.x), Double(part.y))
            (request.cropWidth, request.cropHeight) = (Double(part.width), Double(part.height))
        }
        try request.check(limits)
        return try resized(by: request, flag: cancellation)
    }

    /// As the request says, which is in range and about a bitmap of this size.
    func resized(
        by request: ResampleRequest, flag: CancellationFlag?, isPortable: Bool = false
    ) throws(DecodeError) -> Bitmap {
        precondition(request.sourceWidth == width && request.sourceHeight == height, "a request about this bitmap")
        guard let storage = PixelStorage(byteCount: request.width * request.height * 4, zeroed: false) else {
            throw DecodeError(.outOfMemory, "no memory for \(request.width) x \(request.height) pixels")
        }
        let resampler = try RowResampler(request, into: storage, flag: flag, isPortable: isPortable)
        let rows = resampler.sourceRows
        for y in 0..<rows.upperBound {
            if y % 16 == 0 { try flag?.poll() }
            withRow(y) { resampler.push($0) }
        }
        // Rows of the result may have been left out.
        try flag?.poll()
        return Bitmap(width: request.width, height: request.height, storage: storage)
    }
}

extension ResampleRequest {
    /// - Throws: `limitExceeded` when the result is too large, or a side of it or its source.
    func check(_ limits: DecodeLimits) throws(DecodeError) {
        let size = "\(sourceWidth) x \(sourceHeight) to \(width) x \(height) pixels"
        let sides = [sourceWidth, sourceHeight, width, height]
        guard sides.allSatisfy({ $0 <= Self.maxSide }), max(width, height) <= limits.maxSide ?? .max else {
            throw DecodeError(.limitExceeded, detail: "maxSide", "\(size): a side is over the limit")
        }
        // Sides of 20 bits: products fit.
        if let limit = limits.maxPixels, width * height > limit {
            throw DecodeError(.limitExceeded, detail: "maxPixels", "\(size): over the limit of \(limit)")
        }
        let bytes = RowResampler.byteCount(self) + PixelStorage.allocatedByteCount(width * height * 4)
        if let limit = limits.maxMemory, bytes > limit {
            throw DecodeError(
                .limitExceeded, detail: "maxMemory", "\(size): \(bytes) bytes of memory, the limit is \(limit)")
        }
    }
}
