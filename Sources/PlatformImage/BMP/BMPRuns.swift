/// Run-length encoded pixels: RLE8 and RLE4 of Windows, RLE24 of OS/2 2.x.
///
/// A code has two bytes. `n v`, n > 0: n pixels of v (RLE4: the two nibbles of v alternate; RLE24: v and the next two
/// bytes). `0 0`: end of row. `0 1`: end of image. `0 2 dx dy`: move the position. `0 n`, n > 2: n uncompressed pixels
/// follow, padded to an even number of bytes. Pixels that no code draws are transparent, as in Chromium.
struct BMPRuns {
    let grid: BMPGrid
    /// Bits per pixel: 4, 8 or 24.
    let bits: Int
    let palette: BMPPalette
    let start: Int

    func decode(
        _ bytes: Span<UInt8>, onto pixels: inout MutableSpan<UInt8>, flag: CancellationFlag?, damage: inout Damage
    ) throws(DecodeError) {
        let data = bytes.extracting(min(start, bytes.count)..<bytes.count)
        var decoder = BMPRunDecoder(self)
        try decoder.decode(data, onto: &pixels, flag: flag)
        for warning in decoder.warnings { damage.warn(warning) }
        let rows = decoder.completeRows
        switch decoder.end {
        case .complete: return
        case .truncated where rows > 0: damage.truncate(rows: rows)
        case .truncated:
            throw DecodeError(.truncated, format: .bmp, "bmp: data ends at byte \(bytes.count), in the first row")
        case .undefinedPosition where rows > 0: return
        case .undefinedPosition:
            throw DecodeError(.malformed, format: .bmp, "bmp: an RLE code in the first row moves outside the image")
        }
    }
}

private struct BMPRunDecoder {
    private let runs: BMPRuns
    private let grid: BMPGrid
    private let palette: [UInt32]
    /// True when the palette has fewer colours than the bit depth permits.
    private let isShort: Bool
    private var position = 0
    private var x = 0
    /// The current stored row.
    private var y = 0
    /// Number of stored rows cleared so far. Each row is cleared immediately before it is drawn, so that the row is
    /// then in the CPU cache.
    private var clearedRows = 0

    private(set) var warnings: [DecodeWarning] = []
    private(set) var end = EndReason.complete

    enum EndReason {
        /// The end code was read, or the last row is complete.
        case complete
        case truncated
        /// A code moved the position outside the image, so the remaining data cannot be decoded.
        case undefinedPosition
    }

    /// Number of stored rows that end before the drawing position.
    var completeRows: Int { min(y + (x >= grid.width ? 1 : 0), grid.height) }

    init(_ runs: BMPRuns) {
        self.runs = runs
        grid = runs.grid
        palette = runs.palette.pixels
        isShort = runs.bits <= 8 && runs.palette.count < 1 << runs.bits
    }

    mutating func decode(
        _ data: Span<UInt8>, onto pixels: inout MutableSpan<UInt8>, flag: CancellationFlag?
    ) throws(DecodeError) {
        try move(toRow: 0, &pixels, flag)
        var codes = 0
        reading: while y < grid.height {
            // Polls the flag every 4,096 codes, because codes that draw no pixels take time too.
            codes &+= 1
            if codes % 4_096 == 0 { try flag?.poll(format: .bmp) }
            guard data.count - position >= 2 else {
                // Data without an end code is complete when the last row is complete.
                if completeRows < grid.height { end = .truncated } else { warn(.missingEnd) }
                break reading
            }
            let (count, value) = (Int(data[position]), data[position + 1])
            position += 2
            switch (count, value) {
            case (0, BMPEscape.endOfLine):
                x = 0
                try move(toRow: y + 1, &pixels, flag)
            case (0, BMPEscape.endOfBitmap): break reading
            case (0, BMPEscape.delta):
                guard data.count - position >= 2 else { continue }
                let (right, down) = (Int(data[position]), Int(data[position + 1]))
                guard right <= grid.width - x, down <= grid.height - y else {
                    // The remaining data cannot be decoded; Chromium stops here too.
                    warn(.runLength)
                    end = .undefinedPosition
                    break reading
                }
                x += right
                try move(toRow: y + down, &pixels, flag)
                position += 2
            case (0, let length): copy(Int(length), from: data, to: &pixels)
            case (let length, _): fill(length, value, data, &pixels)
            }
        }
        if y >= grid.height, data.count - position >= 2, data[position] != 0 || data[position + 1] > BMPEscape.delta {
            warn(.runLength)
        }
        RowKernels.clear(&pixels, grid.pixelBytes(of: clearedRows..<grid.height))
    }

    private mutating func move(
        toRow row: Int, _ pixels: inout MutableSpan<UInt8>, _ flag: CancellationFlag?
    ) throws(DecodeError) {
        y = row
        while clearedRows < min(row + 1, grid.height) {
            if clearedRows % 16 == 0 { try flag?.poll(format: .bmp) }
            RowKernels.clear(&pixels, grid.pixelBytes(of: clearedRows..<clearedRows + 1))
            clearedRows += 1
        }
    }

    private mutating func warn(_ warning: DecodeWarning) {
        if !warnings.contains(warning) { warnings.append(warning) }
    }

    /// The smaller of `length` and the number of pixels left in the row.
    private mutating func availablePixels(for length: Int) -> Int {
        if length > grid.width - x { warn(.runLength) }
        return min(length, grid.width - x)
    }

    /// Draws a run of one colour or, in RLE4, of two alternating colours.
    private mutating func fill(
        _ length: Int, _ value: UInt8, _ data: Span<UInt8>, _ pixels: inout MutableSpan<UInt8>
    ) {
        let (evenPixel, oddPixel): (UInt32, UInt32)
        switch runs.bits {
        case 24:
            guard data.count - position >= 2 else {
                position = data.count
                return
            }
            let pixel =
                UInt32(value) << 16 | UInt32(data[position]) << 8 | UInt32(data[position + 1]) | BMPPalette.opaqueBlack
            (evenPixel, oddPixel) = (pixel, pixel)
            position += 2
        case 4:
            let (high, low) = (Int(value >> 4), Int(value & 15))
            check(length > 1 ? max(high, low) : high)
            (evenPixel, oddPixel) = (palette[high], palette[low])
        default:
            check(Int(value))
            (evenPixel, oddPixel) = (palette[Int(value)], palette[Int(value)])
        }
        let count = availablePixels(for: length)
        RowKernels.fill(&pixels, at: grid.pixelStart(of: y) + x * 4, count: count, even: evenPixel, odd: oddPixel)
        x += count
    }

    /// Copies uncompressed pixels.
    private mutating func copy(_ length: Int, from data: Span<UInt8>, to pixels: inout MutableSpan<UInt8>) {
        let size = (length * runs.bits + 7) / 8
        let available = min(size, data.count - position)
        let count = min(availablePixels(for: length), available * 8 / runs.bits)
        let source = data.extracting(position..<position + available)
        let target = grid.pixelStart(of: y) + x * 4
        switch runs.bits {
        case 24: RowKernels.bgr8(source, to: &pixels, at: target, count: count)
        case 4:
            for index in 0..<(isShort ? count : 0) { check(Int(source[index / 2] >> (index % 2 == 0 ? 4 : 0) & 15)) }
            RowKernels.indexPacked(source, to: &pixels, at: target, count: count, bits: 4, palette: palette)
        default:
            for index in 0..<(isShort ? count : 0) { check(Int(source[index])) }
            RowKernels.index8(source, to: &pixels, at: target, count: count, palette: palette)
        }
        x += count
        position = min(data.count, position + size + size % 2)
    }

    private mutating func check(_ index: Int) {
        if index >= runs.palette.count { warn(.paletteIndex) }
    }
}
