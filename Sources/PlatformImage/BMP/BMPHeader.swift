// Placeholder with the final shape: the parser comes next.

/// A bitmap file's headers, palette and masks, checked.
struct BMPHeader {
    let imageHeader: ImageHeader
    /// The embedded ICC profile of a V5 header, inside the input; nil for none.
    let iccRange: Range<Int>?

    /// Parses and checks against the limits; allocates nothing but the palette.
    init(_ bytes: Span<UInt8>, options: DecodeOptions, damage: inout Damage) throws(DecodeError) {
        throw DecodeError(.unsupported, format: .bmp, detail: "bmp", "not yet")
    }

    /// Writes or clears every pixel of the storage, `width * height * 4` bytes, top row first.
    func decode(
        _ bytes: Span<UInt8>, into storage: PixelStorage, options: DecodeOptions, flag: CancellationFlag?,
        damage: inout Damage
    ) throws(DecodeError) {
    }
}
