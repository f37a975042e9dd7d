/// An RGB image of 18 megapixels in a small file: one row of noise, then rows that add the same differences to the
/// row above, stored as DEFLATE matches.
enum LargePNG {
    static let (width, height) = (5184, 3472)

    /// - Parameter bitDepth: 8 or 16.
    static func bytes(bitDepth: Int, width: Int = width, height: Int = height) -> [UInt8] {
        let file = FilteredPNG(width: width, height: height, bitDepth: bitDepth, colorType: 2)
        let rowSize = file.bytesPerRow + 1
        precondition((1025...32768).contains(rowSize), "DEFLATE cannot encode a distance of one row")
        var (seed, rows) = (UInt32(1), [UInt8]())
        for filter in [UInt8(1), 2] {
            rows.append(filter)
            for _ in 1..<rowSize {
                seed = seed &* 1_664_525 &+ 1_013_904_223
                rows.append(UInt8(truncatingIfNeeded: seed >> 24) % (filter == 1 ? 5 : 3))
            }
        }
        var writer = DeflateWriter()
        writer.writeStored(rows[..<rowSize], isLast: false)
        writer.writeStored(rows[rowSize...], isLast: false)
        // The distance code for one row: two codes per number of extra bits.
        let extra = (rowSize - 1).bitWidth - (rowSize - 1).leadingZeroBitCount - 2
        let code = 2 * extra + 2 + (rowSize - 1) >> extra - 2
        let distance = (rowSize - 1) & ((1 << extra) - 1)
        let codeword = (0..<5).reduce(0) { $0 | (code >> $1 & 1) << (4 - $1) }
        writer.beginFixed(isLast: true)
        var left = rowSize * (height - 2)
        // Symbol 285 is a match of 258 bytes: 0xC5 in 8 bits, reversed.
        let match = 0xA3 | codeword << 8 | distance << 13
        while left >= 258 {
            writer.write(match, bits: 13 + extra)
            left -= 258
        }
        for index in 0..<left {
            writer.writeFixed(Int(rows[rows.count - rowSize + (rowSize * 2 - left + index) % rowSize]))
        }
        writer.writeFixed(256)
        writer.align()
        // The Adler-32 is wrong; only strict decoding compares it.
        return file.bytes(imageData: [[0x78, 0x01] + writer.bytes + [0, 0, 0, 0]])
    }
}
