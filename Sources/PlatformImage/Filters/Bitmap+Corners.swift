extension Bitmap {
    /// Returns a copy with transparent, circular rounded corners.
    ///
    /// The alpha of the pixels on the edge is multiplied by the part of the pixel inside the circle, sampled at 16 x 16
    /// positions; colours are unchanged.
    ///
    /// - Parameters:
    ///   - radius: Pixels, 0 to 1,000,000,000; 0 returns the bitmap unchanged. It is rounded to 1/32 pixel and limited
    ///     to half of the shorter side.
    ///   - limits: `maxSide`, `maxPixels` and `maxMemory` apply to the result.
    ///   - cancellation: Stops the work within 16 rows when raised.
    /// - Throws: `invalidArgument` when `radius` is out of range or NaN, `limitExceeded`, `outOfMemory`, `cancelled`.
    public func withRoundedCorners(
        radius: Double, limits: DecodeLimits = DecodeLimits(), cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        try DecodeError.check(radius, "radius", isIn: 0...1_000_000_000)
        try limits.checkBitmap(width: width, height: height)
        return try rounded(RoundedCorners(radius: radius), cancellation: cancellation)
    }

    /// Returns the largest centred square of the bitmap, transparent outside of its inscribed circle.
    ///
    /// When the difference of the sides is odd, the square is half a pixel left of or above the centre. The edge is
    /// antialiased as in ``withRoundedCorners(radius:limits:cancellation:)``.
    ///
    /// - Parameters:
    ///   - limits: `maxSide` and `maxPixels` apply to the result, `maxMemory` to the result and, when the bitmap is not
    ///     a square, to the square.
    ///   - cancellation: Stops the work within 16 rows when raised.
    /// - Throws: `limitExceeded`, `outOfMemory`, `cancelled`.
    public func croppedToCircle(
        limits: DecodeLimits = DecodeLimits(), cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        let side = min(width, height)
        let square = PixelRectangle(x: (width - side) / 2, y: (height - side) / 2, width: side, height: side)
        // A bitmap that is a square is not copied.
        try limits.checkBitmap(
            width: side, height: side, scratchByteCount: width == height ? 0 : side * side * 4)
        return try cropped(to: square)
            .withRoundedCorners(radius: Double(side) / 2, limits: limits, cancellation: cancellation)
    }
}
