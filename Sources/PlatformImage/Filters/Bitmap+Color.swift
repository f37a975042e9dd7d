extension Bitmap {
    /// Converts to black and white with a luma threshold of 128; alpha is unchanged.
    package func bitonal(cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        try mappingPixels(cancellation: cancellation) { pixel in
            let value: UInt8 = pixel.luma >= 128 ? 255 : 0
            return RGBA8(red: value, green: value, blue: value, alpha: pixel.alpha)
        }
    }

    /// The filter of ``adjustingSaturation(byFactor:limits:cancellation:)`` for any factor, without limits.
    package func saturated(by factor: Double, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        if factor == 1 { return self }
        return try mappingPixels(cancellation: cancellation) { pixel in
            let (red, green, blue) = (Double(pixel.red), Double(pixel.green), Double(pixel.blue))
            let gray = (0.299 * red * red + 0.587 * green * green + 0.114 * blue * blue).squareRoot()
            func moved(_ value: Double) -> UInt8 { UInt8(rounding: gray + factor * (value - gray)) }
            return RGBA8(red: moved(red), green: moved(green), blue: moved(blue), alpha: pixel.alpha)
        }
    }
}

extension Bitmap {
    /// Composites the image over an opaque or translucent colour.
    package func composited(over color: RGBA8, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        try Backdrop.color(color).composited(
            self, atX: 0, y: 0, width: width, height: height, operator: .sourceOver, limits: .unlimited,
            cancellation: cancellation)
    }
}

extension RGBA8 {
    /// Luma of ITU-R BT.601, with the same 16-bit fixed-point weights as Pillow.
    @inlinable
    package var luma: UInt8 {
        // The sum, with the 32,768 added for rounding, is at most 255 * 65,536 + 32,768, so it fits in 32 bits.
        let sum = UInt32(red) &* 19_595 &+ UInt32(green) &* 38_470 &+ UInt32(blue) &* 7_471
        return UInt8((sum &+ 32_768) >> 16)
    }
}

extension UInt8 {
    /// Rounds to the nearest value of 0...255; 0 for NaN.
    init(rounding value: Double) {
        self = value >= 254.5 ? 255 : value > 0 ? UInt8(value + 0.5) : 0
    }

    /// Rounds to the nearest value of 0...255; 0 for NaN.
    init(rounding value: Float) {
        self = value >= 254.5 ? 255 : value > 0 ? UInt8(value + 0.5) : 0
    }
}
