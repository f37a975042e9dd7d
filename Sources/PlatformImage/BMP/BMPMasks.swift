/// The bit fields of a 16, 24 or 32-bit pixel.
struct BMPMasks {
    let red, green, blue, alpha: UInt32

    static let none = Self(red: 0, green: 0, blue: 0, alpha: 0)
    static let rgb555 = Self(red: 0x7C00, green: 0x03E0, blue: 0x001F, alpha: 0)

    private init(red: UInt32, green: UInt32, blue: UInt32, alpha: UInt32) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Reads the masks; bits beyond the pixel's depth are ignored.
    init(_ bytes: Span<UInt8>, _ info: BMPInfo) throws(DecodeError) {
        let pixelBits = info.bitCount >= 32 ? UInt32.max : (1 << info.bitCount) &- 1
        func mask(_ index: Int) -> UInt32 {
            UInt32(truncatingIfNeeded: bytes.littleEndian32(at: BMPInfo.masksOffset &+ index &* 4) ?? 0) & pixelBits
        }
        guard bytes.count >= info.paletteOffset else {
            throw DecodeError(.truncated, format: .bmp, "bmp: data ends at byte \(bytes.count), in the bit masks")
        }
        self.init(red: mask(0), green: mask(1), blue: mask(2), alpha: info.hasAlphaMask ? mask(3) : 0)

        var usedBits: UInt32 = 0
        for mask in [red, green, blue, alpha] {
            guard mask & usedBits == 0 else {
                throw DecodeError(.malformed, format: .bmp, "bmp: the bit masks overlap")
            }
            usedBits |= mask
            // For a contiguous mask, adding its lowest bit gives a value that has no bit in common with the mask.
            guard mask & (mask &+ (mask & (~mask &+ 1))) == 0 else {
                throw DecodeError(.malformed, format: .bmp, "bmp: a bit mask is not contiguous")
            }
        }
    }

    var hasAlpha: Bool { alpha != 0 }

    /// These masks without alpha.
    var withoutAlpha: Self { Self(red: red, green: green, blue: blue, alpha: 0) }

    /// Number of bits of the widest field.
    var widestFieldBits: Int { max(1, [red, green, blue, alpha].reduce(0) { max($0, $1.nonzeroBitCount) }) }

    /// True when red, green and blue each fill one byte, blue lowest.
    var isBGR8: Bool { red == 0xFF_0000 && green == 0xFF00 && blue == 0xFF }

    /// The masks for the row conversion. If a mask is 0, the sample is 0 for a colour and 255 for alpha.
    var fields: RowKernels.Fields { RowKernels.Fields([(red, 0), (green, 0), (blue, 0), (alpha, 255)]) }
}
