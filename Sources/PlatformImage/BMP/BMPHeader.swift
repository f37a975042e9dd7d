/// The validated headers, palette and masks of a BMP file.
struct BMPHeader {
    let imageHeader: ImageHeader
    /// The ICC profile of a V5 header, as a byte range of the file; nil when there is no usable embedded profile.
    let iccRange: Range<Int>?
    let pixels: Pixels

    enum Pixels {
        case rows(BMPRows)
        case runs(BMPRuns)
        case embedded(BMPEmbedded)
    }

    /// Parses the headers and checks the limits; allocates no pixels.
    ///
    /// - Parameter resamples: True when the image will be resampled while it is read. If this can be done row by row,
    ///   the memory limit counts one row instead of all rows.
    init(
        _ bytes: Span<UInt8>, options: DecodeOptions, resamples: Bool = false, damage: inout Damage
    ) throws(DecodeError) {
        let info = try BMPInfo(bytes)
        let start = info.pixelStart(in: bytes.count, damage: &damage)
        let grid = BMPGrid(width: info.width, height: info.height, isTopDown: info.isTopDown)
        var bitsPerPixel = info.bitCount
        var header: ImageHeader
        switch info.compression {
        case BMPCompression.rgb,
            BMPCompression.bitfields where info.hasMasks && bitsPerPixel != 1,
            BMPCompression.alphaBitfields where info.hasMasks:
            try grid.check(options.limits, rowsHeld: resamples ? 1 : nil)
            let rows = try BMPRows(bytes, info, grid, start: start, damage: &damage)
            pixels = .rows(rows)
            header = grid.header(rows)
        case BMPCompression.rle8, BMPCompression.rle4:
            // Some writers store a bit depth that contradicts the compression; the compression is used, as in Chromium.
            let bits = info.compression == BMPCompression.rle8 ? 8 : 4
            if bitsPerPixel != bits { damage.warn(.structure) }
            bitsPerPixel = bits
            try grid.check(options.limits)
            let palette = BMPPalette(bytes, info, bits: bits, end: start, damage: &damage)
            pixels = .runs(BMPRuns(grid: grid, bits: bits, palette: palette, start: start))
            header = grid.header(bits: bits, channels: 1, .indexed, hasAlpha: true)
        case BMPCompression.os2RLE24 where info.isOS2 && bitsPerPixel == 24:
            try grid.check(options.limits)
            pixels = .runs(BMPRuns(grid: grid, bits: 24, palette: .black, start: start))
            header = grid.header(bits: 8, channels: 3, .rgb, hasAlpha: true)
        case BMPCompression.jpeg, BMPCompression.png:
            let embedded = try BMPEmbedded(
                bytes, info, start: start, options: options, resamples: resamples, damage: &damage)
            pixels = .embedded(embedded)
            header = embedded.imageHeader
        case BMPCompression.os2Huffman1D:
            throw DecodeError(
                .unsupported, format: .bmp, detail: "huffman1d", "bmp: Huffman 1D compression is not supported")
        case BMPCompression.cmyk, BMPCompression.cmykRLE8, BMPCompression.cmykRLE4:
            throw DecodeError(.unsupported, format: .bmp, detail: "cmyk", "bmp: CMYK is not supported")
        default:
            throw DecodeError(
                .malformed, format: .bmp,
                "bmp: invalid compression \(info.compression) with \(info.bitCount) bits per pixel")
        }
        iccRange = info.readProfile(into: &header, count: bytes.count, limits: options.limits, damage: &damage)
        imageHeader = header
    }

    /// Writes or clears the first `width * height * 4` bytes of `target`, which starts with the top row.
    func decode(
        _ bytes: Span<UInt8>, onto target: inout MutableSpan<UInt8>, options: DecodeOptions, flag: CancellationFlag?,
        damage: inout Damage
    ) throws(DecodeError) {
        switch pixels {
        case .rows(let rows): try rows.decode(bytes, onto: &target, flag: flag, damage: &damage)
        case .runs(let runs): try runs.decode(bytes, onto: &target, flag: flag, damage: &damage)
        case .embedded(let embedded): try embedded.decode(bytes, onto: &target, flag: flag, damage: &damage)
        }
    }
}
