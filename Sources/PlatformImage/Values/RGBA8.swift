/// One pixel: red, green, blue and straight alpha, 0...255 each.
public struct RGBA8: Hashable, Sendable, BitwiseCopyable {
    /// Red, not multiplied by alpha.
    public var red: UInt8
    /// Green, not multiplied by alpha.
    public var green: UInt8
    /// Blue, not multiplied by alpha.
    public var blue: UInt8
    /// Alpha: 0 is transparent, 255 is opaque.
    public var alpha: UInt8

    /// Creates a pixel from its samples; opaque unless `alpha` is given.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }
}

extension RGBA8: CustomStringConvertible {
    /// `#rrggbbaa` in lower-case hexadecimal digits.
    public var description: String { "#" + String(hexadecimal: [red, green, blue, alpha]) }
}

extension RGBA8 {
    /// Reads the pixel at byte `start`.
    @inlinable
    package init(in bytes: Span<UInt8>, at start: Int) {
        self.init(red: bytes[start], green: bytes[start + 1], blue: bytes[start + 2], alpha: bytes[start + 3])
    }

    /// Writes the four samples at byte `start`.
    @inlinable
    package func store(in pixels: inout MutableSpan<UInt8>, at start: Int) {
        pixels[start] = red
        pixels[start + 1] = green
        pixels[start + 2] = blue
        pixels[start + 3] = alpha
    }

    /// Composites this pixel over `below` (source-over, straight alpha), rounded to the nearest integer.
    package func over(_ below: Self) -> Self {
        if alpha == 255 { return self }
        if alpha == 0 { return below }
        // Weights in units of 1 / (255 * 255).
        let (upperWeight, lowerWeight) = (Int(alpha) * 255, Int(below.alpha) * (255 - Int(alpha)))
        let sum = upperWeight + lowerWeight
        func blend(_ a: UInt8, _ b: UInt8) -> UInt8 {
            UInt8((Int(a) * upperWeight + Int(b) * lowerWeight + sum / 2) / sum)
        }
        return Self(
            red: blend(red, below.red), green: blend(green, below.green), blue: blend(blue, below.blue),
            alpha: UInt8((sum + 127) / 255))
    }
}
