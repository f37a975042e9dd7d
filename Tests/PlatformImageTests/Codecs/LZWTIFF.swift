/// A little-endian TIFF of gray, gray with alpha, RGB or RGBA samples in strips, coded with LZW.
struct LZWTIFF {
    var width: Int
    var height: Int
    var samples: Int
    /// Bits per sample, 8 or 16.
    var bits = 8
    var rowsPerStrip = 1000
    var usesPredictor = false
    var writer = LZWWriter()

    var bytesPerRow: Int { width * samples * bits / 8 }

    /// - Parameter change: Modifies the coded bytes of each strip.
    func bytes(rows: [UInt8], change: (inout [UInt8]) -> Void = { _ in }) -> [UInt8] {
        var strips: [[UInt8]] = []
        for first in stride(from: 0, to: height, by: rowsPerStrip) {
            let count = min(rowsPerStrip, height - first)
            var part = Array(rows[first * bytesPerRow..<(first + count) * bytesPerRow])
            if usesPredictor { differences(&part) }
            var coded = writer.encode(part)
            change(&coded)
            strips.append(coded)
        }
        var file: [UInt8] = [0x49, 0x49, 42, 0, 0, 0, 0, 0]
        func place(_ values: [UInt8]) -> Int {
            if !file.count.isMultiple(of: 2) { file.append(0) }
            defer { file += values }
            return file.count
        }
        let offsets = strips.map { place($0) }
        let offsetList = place(offsets.flatMap(long))
        let countList = place(strips.map(\.count).flatMap(long))
        let depths = place(Array(repeating: short(bits), count: samples).flatMap(\.self))
        var entries: [(Int, Int, Int, [UInt8])] = [
            (256, 4, 1, long(width)), (257, 4, 1, long(height)),
            (
                258, 3, samples,
                samples > 2 ? long(depths) : Array(repeating: short(bits), count: samples).flatMap(\.self)
            ),
            (259, 3, 1, short(5)), (262, 3, 1, short(samples < 3 ? 1 : 2)),
            (273, 4, strips.count, long(strips.count > 1 ? offsetList : offsets[0])), (277, 3, 1, short(samples)),
            (278, 4, 1, long(rowsPerStrip)),
            (279, 4, strips.count, long(strips.count > 1 ? countList : strips[0].count)),
            (317, 3, 1, short(usesPredictor ? 2 : 1)),
        ]
        if samples.isMultiple(of: 2) { entries.append((338, 3, 1, short(2))) }
        var directory = short(entries.count)
        for (tag, type, count, value) in entries {
            directory += short(tag) + short(type) + long(count) + value
            directory += Array(repeating: 0, count: 4 - value.count)
        }
        let start = place(directory + long(0))
        file.replaceSubrange(4..<8, with: long(start))
        return file
    }

    private func differences(_ rows: inout [UInt8]) {
        for row in stride(from: 0, to: rows.count, by: bytesPerRow) {
            if bits == 8 {
                for i in stride(from: bytesPerRow - 1, through: samples, by: -1) {
                    rows[row + i] &-= rows[row + i - samples]
                }
            } else {
                for i in stride(from: bytesPerRow / 2 - 1, through: samples, by: -1) {
                    let (at, before) = (row + 2 * i, row + 2 * (i - samples))
                    let word = UInt16(rows[at]) | UInt16(rows[at + 1]) << 8
                    let other = UInt16(rows[before]) | UInt16(rows[before + 1]) << 8
                    (rows[at], rows[at + 1]) = (UInt8(truncatingIfNeeded: word &- other), UInt8((word &- other) >> 8))
                }
            }
        }
    }

    private func short(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
    private func long(_ value: Int) -> [UInt8] { short(value & 0xFFFF) + short(value >> 16) }
}
