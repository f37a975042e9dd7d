/// The palette of an image with at most 8 bits per pixel.
struct BMPPalette {
    /// 256 pixels, R in the lowest byte; entries from `count` on are opaque black, as in Chromium.
    let pixels: [UInt32]
    /// Number of colours in the file.
    let count: Int

    static let opaqueBlack: UInt32 = 0xFF00_0000

    static var black: Self { Self(pixels: [UInt32](repeating: opaqueBlack, count: 256), count: 256) }

    private init(pixels: [UInt32], count: Int) {
        self.pixels = pixels
        self.count = count
    }

    /// Reads the palette between the headers and `end`, the start of the pixels.
    ///
    /// OS/2 1.x does not store the number of colours. Writers may omit unused colours, so the palette has only the
    /// colours before `end`. A palette that would overlap the pixels is truncated at `end` too.
    init(_ bytes: Span<UInt8>, _ info: BMPInfo, bits: Int, end: Int, damage: inout Damage) {
        let start = info.paletteOffset
        let size = info.paletteEntrySize
        let availableBytes = max(0, min(end, bytes.count) &- start)
        if info.colorCount > availableBytes / size { damage.warn(.structure) }  // trap-free: 3 or 4
        let requestedCount = info.colorCount > 0 ? min(info.colorCount, 1 << bits) : 1 << bits
        count = min(requestedCount, availableBytes / size)  // trap-free: 3 or 4
        var pixels: [UInt32] = []
        var cursor = ByteCursor(bytes)
        cursor.move(to: FileNumber(start))
        while pixels.count < count, let blue = cursor.next(bytes), let green = cursor.next(bytes),
            let red = cursor.next(bytes)
        {
            if size > 3 { cursor.skip(1) }
            let color = UInt32(blue) << 16 | UInt32(green) << 8 | UInt32(red)  // trap-free: widens bytes
            pixels.append(Self.opaqueBlack | color)
        }
        while pixels.count < 256 { pixels.append(Self.opaqueBlack) }
        self.pixels = pixels
    }

    /// The palette with transparent black from index `count` on. A converted row whose pixels are all opaque therefore
    /// contains no index out of range.
    var probe: [UInt32] {
        var probe = Array(pixels.prefix(max(0, count)))
        while probe.count < 256 { probe.append(0) }
        return probe
    }
}
