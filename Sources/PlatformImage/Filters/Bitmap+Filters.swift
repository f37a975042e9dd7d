extension Bitmap {
    /// Returns a copy in which red, green and blue are the luma of the pixel; alpha is unchanged.
    ///
    /// Luma is `0.299 r + 0.587 g + 0.114 b` (ITU-R BT.601), computed with 16-bit fixed-point weights and rounded to
    /// the nearest integer.
    ///
    /// - Parameters:
    ///   - limits: `maxSide`, `maxPixels` and `maxMemory` apply to the result.
    ///   - cancellation: Stops the work within 16 rows when raised.
    /// - Throws: `limitExceeded`, `outOfMemory`, `cancelled`.
    public func grayscale(
        limits: DecodeLimits = DecodeLimits(), cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        try limits.checkBitmap(width: width, height: height)
        return try mappingPixels(cancellation: cancellation) { pixel in
            let gray = pixel.luma
            return RGBA8(red: gray, green: gray, blue: gray, alpha: pixel.alpha)
        }
    }

    /// Returns a copy convolved with a Gaussian.
    ///
    /// Colours are weighted by alpha: colour under transparent pixels has no influence. Pixels at the edges are
    /// repeated. The kernel ends at 4 sigma. Up to a sigma of 5 pixels the result is exact, rounded to the nearest
    /// integer; above that, the kernel is approximated by at most 8 box filters, so that the time per pixel does not
    /// depend on sigma. The approximation differs by at most 2 of 255.
    ///
    /// - Parameters:
    ///   - sigma: Standard deviation in pixels, 0 to 250; less than 0.1 returns the bitmap unchanged.
    ///   - limits: `maxSide` and `maxPixels` apply to the result, `maxMemory` to the result and the row buffers, which
    ///     need about `16 * width` bytes for each of up to `8 * sigma` rows.
    ///   - cancellation: Stops the work within 16 rows when raised.
    /// - Throws: `invalidArgument` when `sigma` is out of range or NaN, `limitExceeded`, `outOfMemory`, `cancelled`.
    public func blurred(
        sigma: Double, limits: DecodeLimits = DecodeLimits(), cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        try DecodeError.check(sigma, "sigma", isIn: 0...Blur.maxSigma)
        let scratch = Blur.scratchByteCount(sigma: sigma, width: width, height: height)
        try limits.checkBitmap(width: width, height: height, scratchByteCount: scratch)
        return try blurred(Blur(sigma: sigma), cancellation: cancellation)
    }

    /// Returns a copy with amplified detail; alpha is unchanged.
    ///
    /// The image is smoothed five times, at distances of 1, 2, 4, 8 and 16 pixels (à trous wavelets with the kernel
    /// 1 2 1). The difference that step `l` (0 to 4) removes is multiplied by `1 + amount * exp(-(l - radius)² / 1.5)`
    /// and added back, as thumbor's filter `sharpen` does.
    ///
    /// - Parameters:
    ///   - amount: Strength, 0 to 1,000; 0 changes nothing, 1 is moderate.
    ///   - radius: Scale with the largest gain, as the number of a step, 0 to 1,000; fractions are allowed. 0 is the
    ///     finest detail; above about 6 there is no effect.
    ///   - luminanceOnly: True amplifies luma and adds its change to all three colours, which avoids colour fringes.
    ///   - limits: `maxSide` and `maxPixels` apply to the result, `maxMemory` to the result and 12 bytes per pixel of
    ///     temporary buffers.
    ///   - cancellation: Stops the work within 16 rows when raised.
    /// - Throws: `invalidArgument` when `amount` or `radius` is out of range or NaN, `limitExceeded`, `outOfMemory`,
    ///   `cancelled`.
    public func sharpened(
        amount: Double, radius: Double = 0, luminanceOnly: Bool = true, limits: DecodeLimits = DecodeLimits(),
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        try DecodeError.check(amount, "amount", isIn: 0...1_000)
        try DecodeError.check(radius, "radius", isIn: 0...1_000)
        try limits.checkBitmap(
            width: width, height: height,
            scratchByteCount: Sharpening.scratchByteCount(width: width, height: height))
        return try sharpened(
            Sharpening(amount: amount, radius: radius, isLuminanceOnly: luminanceOnly), cancellation: cancellation)
    }

    /// Returns a copy with a fraction of 255 added to red, green and blue, clamped to 0...255; alpha is unchanged.
    ///
    /// - Parameters:
    ///   - percent: The addend in percent of 255, -1,000 to 1,000; `255 * percent / 100` is rounded towards 0. 100
    ///     gives white, -100 gives black.
    ///   - limits: `maxSide`, `maxPixels` and `maxMemory` apply to the result.
    ///   - cancellation: Stops the work within 16 rows when raised.
    /// - Throws: `invalidArgument` when `percent` is out of range, `limitExceeded`, `outOfMemory`, `cancelled`.
    public func adjustingBrightness(
        byPercent percent: Int, limits: DecodeLimits = DecodeLimits(), cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        try DecodeError.check(percent, "percent", isIn: ToneCurves.percentRange)
        try limits.checkBitmap(width: width, height: height)
        return try mapped(by: .brightness(percent: percent), cancellation: cancellation)
    }

    /// Returns a copy with the differences of red, green and blue from 128 scaled; alpha is unchanged.
    ///
    /// - Parameters:
    ///   - percent: The change in percent, -1,000 to 1,000; -100 gives uniform gray, 0 changes nothing. The factor is
    ///     `(100 + percent)² / 10,000`, truncated to hundredths, as in thumbor's filter `contrast`; values below -100
    ///     therefore increase the contrast again.
    ///   - limits: `maxSide`, `maxPixels` and `maxMemory` apply to the result.
    ///   - cancellation: Stops the work within 16 rows when raised.
    /// - Throws: `invalidArgument` when `percent` is out of range, `limitExceeded`, `outOfMemory`, `cancelled`.
    public func adjustingContrast(
        byPercent percent: Int, limits: DecodeLimits = DecodeLimits(), cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        try DecodeError.check(percent, "percent", isIn: ToneCurves.percentRange)
        try limits.checkBitmap(width: width, height: height)
        return try mapped(by: .contrast(percent: percent), cancellation: cancellation)
    }

    /// Returns a copy with scaled saturation: colours move away from a gray of equal brightness, or towards it; alpha
    /// is unchanged.
    ///
    /// The gray is `P = √(0.299 r² + 0.587 g² + 0.114 b²)`, and a sample `c` becomes `P + factor (c - P)`, rounded and
    /// clamped to 0...255: the HSP formula of Darel Rex Finley, which thumbor uses.
    ///
    /// - Parameters:
    ///   - factor: -1,000 to 1,000; 0 gives gray, 1 changes nothing, above 1 increases the saturation.
    ///   - limits: `maxSide`, `maxPixels` and `maxMemory` apply to the result.
    ///   - cancellation: Stops the work within 16 rows when raised.
    /// - Throws: `invalidArgument` when `factor` is out of range or NaN, `limitExceeded`, `outOfMemory`, `cancelled`.
    public func adjustingSaturation(
        byFactor factor: Double, limits: DecodeLimits = DecodeLimits(), cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        try DecodeError.check(factor, "factor", isIn: -1_000...1_000)
        try limits.checkBitmap(width: width, height: height)
        return try saturated(by: factor, cancellation: cancellation)
    }

    /// Returns a copy with a colour composited over it; alpha is unchanged (Porter and Duff's source-atop).
    ///
    /// With the alpha `a` of the tint (0...1), a sample `c` becomes `tint * a + c * (1 - a)`, rounded to the nearest
    /// integer. An opaque tint recolours a shape whose alpha is its mask, for example an icon; a translucent tint
    /// colours a photograph.
    ///
    /// - Parameters:
    ///   - color: The tint; its alpha is the strength.
    ///   - limits: `maxSide`, `maxPixels` and `maxMemory` apply to the result.
    ///   - cancellation: Stops the work within 16 rows when raised.
    /// - Throws: `limitExceeded`, `outOfMemory`, `cancelled`.
    public func tinted(
        with color: RGBA8, limits: DecodeLimits = DecodeLimits(), cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        try limits.checkBitmap(width: width, height: height)
        return try mapped(by: .tint(color), cancellation: cancellation)
    }
}
