extension Bitmap {
    /// Creates a bitmap of one colour.
    ///
    /// - Parameters:
    ///   - width: Pixels per row, at least 1.
    ///   - height: Rows, at least 1.
    ///   - color: The colour of all pixels.
    ///   - limits: `maxSide`, `maxPixels` and `maxMemory` apply to the bitmap.
    /// - Throws: `invalidArgument` when a side is below 1, `limitExceeded`, `outOfMemory`.
    public init(
        width: Int, height: Int, filledWith color: RGBA8, limits: DecodeLimits = DecodeLimits()
    ) throws(DecodeError) {
        self = try .written(width: width, height: height, limits: limits) { (pixels) throws(DecodeError) in
            RowKernels.fill(&pixels, at: 0, count: width * height, with: color)
        }
    }

    /// Returns a copy with the pixels of a rectangle replaced by a colour.
    ///
    /// - Parameters:
    ///   - color: The colour, including its alpha: a transparent colour clears the rectangle. To blend a translucent
    ///     colour, use ``composited(_:atX:y:operator:opacity:limits:cancellation:)``.
    ///   - rectangle: Clipped to the bitmap; without a pixel of the bitmap nothing changes. Nil is the complete bitmap.
    ///   - limits: `maxSide`, `maxPixels` and `maxMemory` apply to the result.
    /// - Throws: `limitExceeded`, `outOfMemory`.
    public func filled(
        with color: RGBA8, in rectangle: PixelRectangle? = nil, limits: DecodeLimits = DecodeLimits()
    ) throws(DecodeError) -> Bitmap {
        let all = PixelRectangle(x: 0, y: 0, width: width, height: height)
        let area = (rectangle ?? all).clipped(toWidth: width, height: height)
        return try .written(width: width, height: height, limits: limits) { (pixels) throws(DecodeError) in
            if area != all { withBytes { RowKernels.copy($0, to: &pixels) } }
            guard let area else { return }
            for y in area.y..<area.y + area.height {
                RowKernels.fill(&pixels, at: y * bytesPerRow + area.x * 4, count: area.width, with: color)
            }
        }
    }

    /// Returns a copy with a border around it.
    ///
    /// - Parameters:
    ///   - top: Rows above the bitmap, 0 or more.
    ///   - left: Columns to the left of the bitmap, 0 or more.
    ///   - bottom: Rows below the bitmap, 0 or more.
    ///   - right: Columns to the right of the bitmap, 0 or more.
    ///   - color: The colour of the border; the pixels of the bitmap are copied, not composited over it.
    ///   - limits: `maxSide`, `maxPixels` and `maxMemory` apply to the result.
    /// - Throws: `invalidArgument` when a number is negative, `limitExceeded`, `outOfMemory`.
    public func padded(
        top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0,
        with color: RGBA8 = RGBA8(red: 0, green: 0, blue: 0, alpha: 0), limits: DecodeLimits = DecodeLimits()
    ) throws(DecodeError) -> Bitmap {
        for (name, count) in [("top", top), ("left", left), ("bottom", bottom), ("right", right)] {
            try DecodeError.check(count, name, isIn: 0 ... .max)
        }
        // A sum that overflows exceeds every limit and the available memory.
        return try Backdrop.color(color).composited(
            self, atX: left, y: top, width: left.addingClamped(width).addingClamped(right),
            height: top.addingClamped(height).addingClamped(bottom),
            operator: nil, limits: limits, cancellation: nil)
    }
}
