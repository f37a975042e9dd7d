extension Bitmap {
    /// Creates a bitmap from pixels in memory of another program.
    ///
    /// - Parameters:
    ///   - width: Pixels per row, at least 1.
    ///   - height: Rows, at least 1.
    ///   - bytes: The rows from the top. Padding between rows and bytes after the last row are ignored; the last row
    ///     needs no padding.
    ///   - layout: The bytes of each pixel.
    ///   - stride: Bytes from the start of a row to the start of the next, at least `width * layout.bytesPerPixel`; nil
    ///     for rows without padding.
    ///   - limits: `maxSide`, `maxPixels` and `maxMemory` apply to the bitmap.
    /// - Throws: `invalidArgument` when a side is below 1, `stride` is smaller than a row, or `bytes` has fewer bytes
    ///   than all rows; `limitExceeded`, `outOfMemory`.
    public init(
        width: Int, height: Int, bytes: Span<UInt8>, layout: PixelLayout, stride: Int? = nil,
        limits: DecodeLimits = DecodeLimits()
    ) throws(DecodeError) {
        let stride = try layout.checkedStride(
            stride, width: width, height: height, byteCount: bytes.count, "bytes")
        self = try Self.written(width: width, height: height, limits: limits) { pixels in
            RowKernels.importRows(
                bytes, layout: layout, stride: stride, to: &pixels, width: width, height: height)
        }
    }

    /// Creates a bitmap from pixels in an array, as the initialiser that takes a span does.
    public init(
        width: Int, height: Int, bytes: [UInt8], layout: PixelLayout, stride: Int? = nil,
        limits: DecodeLimits = DecodeLimits()
    ) throws(DecodeError) {
        try self.init(
            width: width, height: height, bytes: bytes.span, layout: layout, stride: stride, limits: limits)
    }

    /// Creates a bitmap from pixels in a collection, as
    /// ``init(width:height:bytes:layout:stride:limits:)-(_,_,[UInt8],_,_,_)`` does.
    ///
    /// The bytes are used in place if the collection is contiguous, as `Data`, `ArraySlice` and `ByteBufferView` are;
    /// otherwise they are copied.
    public init(
        width: Int, height: Int, bytes: some Collection<UInt8>, layout: PixelLayout, stride: Int? = nil,
        limits: DecodeLimits = DecodeLimits()
    ) throws(DecodeError) {
        self = try bytes.withSpan { (span) throws(DecodeError) in
            try Bitmap(width: width, height: height, bytes: span, layout: layout, stride: stride, limits: limits)
        }
    }

    /// Writes all pixels to the caller's memory.
    ///
    /// Padding between rows and bytes after the last row do not change. On a thrown error the buffer is unchanged.
    ///
    /// - Parameters:
    ///   - buffer: Receives the rows from the top; the last row needs no padding.
    ///   - layout: The bytes of each pixel in `buffer`.
    ///   - stride: Bytes from the start of a row to the start of the next, at least `width * layout.bytesPerPixel`; nil
    ///     for rows without padding.
    /// - Throws: `invalidArgument` when `stride` is smaller than a row, or `buffer` has fewer bytes than all rows.
    public func copyPixels(
        to buffer: inout MutableSpan<UInt8>, layout: PixelLayout = .rgba, stride: Int? = nil
    ) throws(DecodeError) {
        let stride = try layout.checkedStride(
            stride, width: width, height: height, byteCount: buffer.count, "buffer")
        withBytes { bytes in
            RowKernels.export(
                bytes, stride: bytesPerRow, to: &buffer, layout: layout, stride: stride, width: width, height: height)
        }
    }

    /// Returns all pixels as an array of `stride * height` bytes, with padding bytes of 0.
    ///
    /// - Parameters:
    ///   - layout: The bytes of each pixel.
    ///   - stride: Bytes from the start of a row to the start of the next, at least `width * layout.bytesPerPixel`; nil
    ///     for rows without padding.
    ///   - limits: `maxMemory` applies to the array when `stride` requests padding.
    /// - Throws: `invalidArgument` when `stride` is smaller than a row; `limitExceeded`. Like every array, the result
    ///   traps when the system has no memory left.
    public func bytes(
        layout: PixelLayout, stride: Int? = nil, limits: DecodeLimits = DecodeLimits()
    ) throws(DecodeError) -> [UInt8] {
        let stride = try layout.checkedStride(stride, width: width, height: height, byteCount: nil, "buffer")
        let (count, overflows) = stride.multipliedReportingOverflow(by: height)
        let isPadded = stride > width * layout.bytesPerPixel
        if isPadded, overflows || count > limits.maxMemory ?? .max {
            throw DecodeError(
                .limitExceeded, detail: "maxMemory",
                "\(height) rows of \(stride) bytes exceed the limit of \(limits.maxMemory ?? .max) bytes")
        }
        return PixelPool.array(byteCount: count) { rows in
            if isPadded { RowKernels.clear(&rows, 0..<count) }
            withBytes { bytes in
                RowKernels.export(
                    bytes, stride: bytesPerRow, to: &rows, layout: layout, stride: stride, width: width,
                    height: height)
            }
        }
    }
}
