extension Bitmap {
    /// Returns a copy, of equal size, with another bitmap composited over it.
    ///
    /// Both bitmaps and the result have straight alpha. Each sample of the result is the exact value of the formulas of
    /// ``CompositeOperator``, rounded to the nearest integer; for an opacity other than 1 the exact value may deviate
    /// by 0.001 before it is rounded. A pixel whose alpha rounds to 0 becomes transparent black.
    ///
    /// `top` may lie partly or completely outside; pixels outside this bitmap are ignored. Outside of `top`, and where
    /// `top` is transparent, the result depends on the operator
    /// (``CompositeOperator/keepsUncoveredDestination``): with `sourceOver`, `destinationOver`, `destinationOut`,
    /// `sourceAtop`, `xor` and `destination` the pixel of this bitmap, unchanged; with `source`, `sourceIn`,
    /// `sourceOut`, `destinationIn`, `destinationAtop` and `clear` transparent black.
    ///
    /// - Parameters:
    ///   - top: The source of the composition.
    ///   - x: Column of this bitmap for the left edge of `top`; may be negative.
    ///   - y: Row of this bitmap for the top edge of `top`; may be negative.
    ///   - operator: The operator; `sourceOver` draws `top` in front.
    ///   - opacity: Factor for the alpha of `top`, 0 to 1.
    ///   - limits: `maxSide`, `maxPixels` and `maxMemory` apply to the result.
    ///   - cancellation: Stops the work within 16 rows when raised.
    /// - Throws: `invalidArgument` when `opacity` is out of range or NaN, `limitExceeded`, `outOfMemory`, `cancelled`.
    public func composited(
        _ top: Bitmap, atX x: Int = 0, y: Int = 0, operator: CompositeOperator = .sourceOver, opacity: Double = 1,
        limits: DecodeLimits = DecodeLimits(), cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        try DecodeError.check(opacity, "opacity", isIn: 0...1)
        return try Backdrop.bitmap(self).composited(
            top, atX: x, y: y, width: width, height: height, operator: `operator`, opacity: opacity, limits: limits,
            cancellation: cancellation)
    }
}
