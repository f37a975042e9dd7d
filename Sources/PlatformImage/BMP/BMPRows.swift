/// Uncompressed pixels: rows of equal length, each padded to a multiple of 4 bytes.
struct BMPRows {
    let grid: BMPGrid
    private(set) var layout: Layout
    private let bitsPerPixel: Int
    private let start: Int

    enum Layout {
        /// Palette indexes of 1, 2, 4 or 8 bits; the leftmost pixel of a byte is in its most significant bits.
        case indexed(bits: Int, BMPPalette)
        case bgr, bgrx, bgra
        case fields16(BMPMasks)
        case fields32(BMPMasks)

        /// The layout with opaque pixels; nil when no bits are declared as alpha.
        fileprivate var withoutAlpha: Self? {
            switch self {
            case .bgra: .bgrx
            case .fields16(let masks) where masks.hasAlpha: .fields16(masks.withoutAlpha)
            case .fields32(let masks) where masks.hasAlpha: .fields32(masks.withoutAlpha)
            default: nil
            }
        }

        /// The bits of alpha in a pixel; 0 for none.
        fileprivate var alphaMask: UInt32 {
            switch self {
            case .bgra: 0xFF00_0000
            case .fields16(let masks), .fields32(let masks): masks.alpha
            default: 0
            }
        }
    }

    init(
        _ bytes: Span<UInt8>, _ info: BMPInfo, _ grid: BMPGrid, start: Int, damage: inout Damage
    ) throws(DecodeError) {
        self.grid = grid
        self.start = start
        bitsPerPixel = info.bitCount
        let declared = try Self.layout(bytes, info, start: start, damage: &damage)
        layout = declared
        // Many writers declare an alpha mask and leave all alpha bits 0. Windows and Photoshop show such an image as
        // opaque, and so does this decoder: the header, the full decode and the resampling decode use one decision.
        if let opaque = declared.withoutAlpha, hidesEveryPixel(bytes) { layout = opaque }
    }

    /// The layout that the header declares.
    private static func layout(
        _ bytes: Span<UInt8>, _ info: BMPInfo, start: Int, damage: inout Damage
    ) throws(DecodeError) -> Layout {
        switch (info.bitCount, info.hasMasks) {
        case (1, false), (2, false), (4, false), (8, false):
            let palette = BMPPalette(bytes, info, bits: info.bitCount, end: start, damage: &damage)
            return .indexed(bits: info.bitCount, palette)
        case (16, false): return .fields16(.rgb555)
        case (24, false): return .bgr
        // The 4th byte is undefined unless a mask declares it as alpha.
        case (32, false): return .bgrx
        case (16, true): return .fields16(try BMPMasks(bytes, info))
        case (24, true) where try BMPMasks(bytes, info).isBGR8: return .bgr
        case (32, true):
            let masks = try BMPMasks(bytes, info)
            switch (masks.isBGR8, masks.alpha) {
            case (true, 0): return .bgrx
            case (true, 0xFF00_0000): return .bgra
            default: return .fields32(masks)
            }
        case (64, false):
            throw DecodeError(.unsupported, format: .bmp, detail: "64bpp", "bmp: 64 bits per pixel are not supported")
        default:
            let masks = info.hasMasks ? " with bit masks" : ""
            throw DecodeError(.malformed, format: .bmp, "bmp: invalid depth of \(info.bitCount) bits per pixel\(masks)")
        }
    }

    /// Bytes per row without padding.
    private var rowBytes: Int { (grid.width * bitsPerPixel + 7) / 8 }
    /// Bytes per row with padding.
    private var stride: Int { (grid.width * bitsPerPixel + 31) / 32 * 4 }

    func decode(
        _ bytes: Span<UInt8>, onto pixels: inout MutableSpan<UInt8>, flag: CancellationFlag?, damage: inout Damage
    ) throws(DecodeError) {
        let rows = try storedRows(in: bytes, damage: &damage)
        RowKernels.clear(&pixels, grid.pixelBytes(of: rows..<grid.height))
        let hasBadIndex = try decode(bytes, rows: rows, onto: &pixels, flag: flag)
        if hasBadIndex { damage.warn(.paletteIndex) }
    }

    /// True when the alpha bits of all pixels in the stored rows are 0. Reads up to the first pixel with another alpha;
    /// false without a row.
    private func hidesEveryPixel(_ bytes: Span<UInt8>) -> Bool {
        let rows = storedRowCount(in: bytes)
        let mask = layout.alphaMask
        for row in 0..<rows {
            let from = start + row * stride
            let source = bytes.extracting(from..<from + rowBytes)
            if RowKernels.hasBits(mask, in: source, count: grid.width, bits: bitsPerPixel) { return false }
        }
        return rows > 0
    }

    /// The number of stored rows in the data.
    private func storedRowCount(in bytes: Span<UInt8>) -> Int {
        let left = max(0, bytes.count - start)
        // The padding of the last row may be missing.
        return min(grid.height, left / stride + (left % stride >= rowBytes ? 1 : 0))
    }

    /// The number of stored rows in the data; throws when it is less than 1.
    private func storedRows(in bytes: Span<UInt8>, damage: inout Damage) throws(DecodeError) -> Int {
        let rows = storedRowCount(in: bytes)
        guard rows > 0 else {
            throw DecodeError(.truncated, format: .bmp, "bmp: data ends at byte \(bytes.count), in the first row")
        }
        if rows < grid.height { damage.truncate(rows: rows) }
        return rows
    }

    /// Resamples from the top row to the bottom with one row in memory; a bottom-up file is read backwards.
    func decode(
        _ bytes: Span<UInt8>, resampledTo outputs: [(request: ResampleRequest, storage: PixelStorage)],
        flag: CancellationFlag?, damage: inout Damage
    ) throws(DecodeError) {
        let rows = try storedRows(in: bytes, damage: &damage)
        var resamplers: [RowResampler] = []
        for (request, storage) in outputs {
            var request = request
            if rows < grid.height { request.isOpaque = false }
            resamplers.append(try RowResampler(request, into: storage, flag: flag))
        }
        var converter = BMPRowConverter(layout)
        var pixels = [UInt8](repeating: 0, count: grid.bytesPerRow)
        for y in 0..<grid.height {
            if y % 16 == 0 { try flag?.poll(format: .bmp) }
            let row = grid.isTopDown ? y : grid.height - 1 - y
            var span = pixels.mutableSpan
            if row < rows {
                let from = start + row * stride
                converter.convert(bytes.extracting(from..<from + rowBytes), to: &span, at: 0, count: grid.width)
            } else {
                RowKernels.clear(&span, 0..<grid.bytesPerRow)
            }
            for resampler in resamplers { resampler.push(pixels.span) }
        }
        // The resampler writes no rows after the flag was raised: this poll rejects an incomplete result.
        try flag?.poll(format: .bmp)
        if converter.hasBadIndex { damage.warn(.paletteIndex) }
    }

    /// Decodes `rows` stored rows; returns true when a palette index was out of range.
    private func decode(
        _ bytes: Span<UInt8>, rows: Int, onto pixels: inout MutableSpan<UInt8>, flag: CancellationFlag?
    ) throws(DecodeError) -> Bool {
        var converter = BMPRowConverter(layout)
        // Top-down rows without padding are contiguous in the file and in the image: 16 rows are converted in one call.
        let isContiguous = grid.isTopDown && grid.width * bitsPerPixel == stride * 8
        var row = 0
        while row < rows {
            if row % 16 == 0 { try flag?.poll(format: .bmp) }
            let count = isContiguous ? min(16, rows - row) : 1
            let from = start + row * stride
            let source = bytes.extracting(from..<from + (count - 1) * stride + rowBytes)
            converter.convert(source, to: &pixels, at: grid.pixelStart(of: row), count: count * grid.width)
            row += count
        }
        return converter.hasBadIndex
    }
}

/// Converts rows with the kernel of their layout.
private struct BMPRowConverter {
    private let layout: BMPRows.Layout
    private var palette: [UInt32] = []
    private var fields = BMPMasks.none.fields
    /// True while indexes are checked. This is necessary when the palette has fewer colours than the bit depth permits,
    /// and ends with the first index that is out of range.
    private var detectsBadIndexes = false
    private(set) var hasBadIndex = false

    init(_ layout: BMPRows.Layout) {
        self.layout = layout
        switch layout {
        case .indexed(let bits, let palette):
            detectsBadIndexes = palette.count < 1 << bits
            self.palette = detectsBadIndexes ? palette.probe : palette.pixels
        case .fields16(let masks), .fields32(let masks): fields = masks.fields
        default: break
        }
    }

    mutating func convert(
        _ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int
    ) {
        switch layout {
        case .indexed(let bits, let fullPalette):
            index(source, to: &pixels, at: start, count: count, bits: bits)
            guard detectsBadIndexes, !RowKernels.isOpaque(pixels.span, at: start, count: count) else { return }
            detectsBadIndexes = false
            hasBadIndex = true
            palette = fullPalette.pixels
            index(source, to: &pixels, at: start, count: count, bits: bits)
        case .bgr: RowKernels.bgr8(source, to: &pixels, at: start, count: count)
        case .bgrx: RowKernels.bgrx8(source, to: &pixels, at: start, count: count)
        case .bgra: RowKernels.bgra8(source, to: &pixels, at: start, count: count)
        case .fields16:
            RowKernels.fields16(source, to: &pixels, at: start, count: count, fields: fields)
        case .fields32:
            RowKernels.fields32(source, to: &pixels, at: start, count: count, fields: fields)
        }
    }

    private func index(
        _ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int, bits: Int
    ) {
        if bits == 8 {
            RowKernels.index8(source, to: &pixels, at: start, count: count, palette: palette)
        } else {
            RowKernels.indexPacked(source, to: &pixels, at: start, count: count, bits: bits, palette: palette)
        }
    }
}
