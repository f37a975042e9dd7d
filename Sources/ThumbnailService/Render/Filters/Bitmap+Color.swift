#if Service
import PlatformImage

extension Bitmap {
    /// Replaces all colours by their luma; alpha is unchanged.
    func grayscale(cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        try mappingPixels(cancellation: cancellation) { pixel in
            let gray = pixel.luma
            return RGBA8(red: gray, green: gray, blue: gray, alpha: pixel.alpha)
        }
    }

    /// Converts to black and white with a luma threshold of 128; alpha is unchanged.
    func bitonal(cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        try mappingPixels(cancellation: cancellation) { pixel in
            let value: UInt8 = pixel.luma >= 128 ? 255 : 0
            return RGBA8(red: value, green: value, blue: value, alpha: pixel.alpha)
        }
    }

    /// Scales the saturation: moves colours away from a gray of equal brightness, or towards it.
    ///
    /// The gray is `P = √(0.299 r² + 0.587 g² + 0.114 b²)`, and a sample `c` becomes `P + factor (c - P)`, rounded: the
    /// HSP formula of Darel Rex Finley, which thumbor uses.
    ///
    /// - Parameter factor: 0 gives gray, 1 changes nothing.
    func saturated(by factor: Double, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        if factor == 1 { return self }
        return try mappingPixels(cancellation: cancellation) { pixel in
            let (red, green, blue) = (Double(pixel.red), Double(pixel.green), Double(pixel.blue))
            let gray = (0.299 * red * red + 0.587 * green * green + 0.114 * blue * blue).squareRoot()
            func moved(_ value: Double) -> UInt8 { UInt8(rounding: gray + factor * (value - gray)) }
            return RGBA8(red: moved(red), green: moved(green), blue: moved(blue), alpha: pixel.alpha)
        }
    }
}

extension RGBA8 {
    /// Luma of ITU-R BT.601, with the same 16-bit fixed-point weights as Pillow.
    var luma: UInt8 {
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
#endif
