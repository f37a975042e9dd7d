/// Writes a BMP file field by field, so that a test can make any field invalid.
struct BMPFile {
    var width = 1
    /// Negative: top-down.
    var height = 1
    var bits = 24
    var compression = 0
    /// Bytes of the DIB header; only the fields that fit are written.
    var headerSize = 40
    /// The stored number of palette colours; nil writes 0.
    var colorCount: Int?
    /// Bit masks in the order R, G, B, A.
    var masks: [Int] = []
    /// B, G, R per colour, and a fourth byte unless the header has 12 bytes.
    var palette: [UInt8] = []
    /// Bytes between palette and pixels.
    var gap = 0
    var pixelOffset: Int?
    var colorSpace = 0
    /// ICC profile, stored after the pixels.
    var profile: [UInt8] = []
    var pixels: [UInt8] = []

    var bytes: [UInt8] {
        var header: [UInt8] = integer(headerSize, 4)
        if headerSize == 12 {
            header += integer(width, 2) + integer(height, 2) + integer(1, 2) + integer(bits, 2)
        } else {
            header += integer(width, 4) + integer(height, 4) + integer(1, 2) + integer(bits, 2)
            header += integer(compression, 4) + integer(pixels.count, 4) + integer(0, 8)
            header += integer(colorCount ?? 0, 4) + integer(0, 4)
            header += masks.flatMap { integer($0, 4) }
        }
        if headerSize >= 108 {
            header += integer(0, max(0, 56 - header.count)) + integer(colorSpace, 4)
            header += integer(0, 112 - header.count)
        }
        if headerSize >= 124 {
            let offset = headerSize + palette.count + gap + pixels.count
            header += integer(offset, 4) + integer(profile.count, 4) + integer(0, 4)
        }
        if header.count > headerSize, masks.isEmpty { header.removeLast(header.count - headerSize) }
        header += integer(0, max(0, headerSize - header.count))
        let start = 14 + header.count + palette.count + gap
        return Array("BM".utf8) + integer(start + pixels.count, 4) + integer(0, 4) + integer(pixelOffset ?? start, 4)
            + header + palette + [UInt8](repeating: 0xEE, count: gap) + pixels + profile
    }

    /// A black image of one bit per pixel: few bytes for many pixels.
    static func monochrome(width: Int, height: Int) -> [UInt8] {
        let rowBytes = (width + 31) / 32 * 4
        return BMPFile(
            width: width, height: height, bits: 1, palette: [0, 0, 0, 0, 255, 255, 255, 0],
            pixels: [UInt8](repeating: 0, count: rowBytes * height)
        ).bytes
    }

    /// The lowest `count` bytes of `value`, little-endian.
    private func integer(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> ($0 * 8)) : 0 }
    }
}
