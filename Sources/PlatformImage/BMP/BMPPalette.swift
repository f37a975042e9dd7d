/// The colours of a bitmap with 8 bits a pixel or fewer.
struct BMPPalette {
    /// 256 pixels, R in the lowest byte. Those from `count` on are opaque black, as in Chromium.
    let pixels: [UInt32]
    /// The colours that the file has.
    let count: Int

    static let opaqueBlack: UInt32 = 0xFF00_0000

    static var black: Self { Self(pixels: [UInt32](repeating: opaqueBlack, count: 256), count: 256) }

    private init(pixels: [UInt32], count: Int) {
        self.pixels = pixels
        self.count = count
    }

    /// Reads what lies between the headers and `end`, where pixels start.
    ///
    /// OS/2 1.x has no count of colours; its writers leave unused ones out, and then only `end` says so. A palette
    /// that claims to reach into the pixels is cut too.
    init(_ bytes: Span<UInt8>, _ info: BMPInfo, bits: Int, end: Int, damage: inout Damage) {
        let start = info.paletteOffset
        let size = info.paletteEntrySize
        let space = max(0, min(end, bytes.count) - start)
        if info.colorCount > space / size { damage.warn(.structure) }
        let wanted = info.colorCount > 0 ? min(info.colorCount, 1 << bits) : 1 << bits
        count = min(wanted, space / size)
        var pixels = [UInt32](repeating: Self.opaqueBlack, count: 256)
        for index in 0..<count {
            let at = start + index * size
            let (blue, green, red) = (UInt32(bytes[at]), UInt32(bytes[at + 1]), UInt32(bytes[at + 2]))
            pixels[index] = Self.opaqueBlack | blue << 16 | green << 8 | red
        }
        self.pixels = pixels
    }

    /// The same colours, but transparent black from `count` on: a row that stays opaque has no index out of range.
    var probe: [UInt32] {
        var probe = pixels
        for index in min(count, 256)..<256 { probe[index] = 0 }
        return probe
    }
}
