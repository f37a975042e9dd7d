/// A little-endian classic TIFF of one page (TIFF 6.0, section 2) with the given tags and strips.
struct TIFFFile {
    /// Type codes of TIFF 6.0: 1 is BYTE, 3 is SHORT, 4 is LONG.
    var tags: [Int: (type: Int, values: [Int])] = [:]
    var strips: [[UInt8]]
    /// The number of times that the directory lists each strip; above 1, several strips share their bytes.
    var listedTimes = 1

    /// Sets the baseline tags. `bits` (BitsPerSample) has one entry for each sample, and may have surplus entries.
    init(width: Int, height: Int, bits: [Int], samples: Int, photometric: Int, compression: Int, strips: [[UInt8]]) {
        self.strips = strips
        self[256] = [width]
        self[257] = [height]
        self[258] = bits
        self[259] = [compression]
        self[262] = [photometric]
        self[277] = [samples]
        tags[273] = (4, [])
        tags[279] = (4, [])
    }

    /// The values of a tag; empty without the tag. The setter sets the type SHORT; an empty array removes the tag.
    subscript(tag: Int) -> [Int] {
        get { tags[tag]?.values ?? [] }
        set { tags[tag] = newValue.isEmpty ? nil : (3, newValue) }
    }

    var bytes: [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { (i: Int) -> UInt8 in UInt8(truncatingIfNeeded: value >> (8 * i)) }
        }
        var file: [UInt8] = [0x49, 0x49, 42, 0, 0, 0, 0, 0]
        func place(_ data: [UInt8]) -> Int {
            if !file.count.isMultiple(of: 2) { file.append(0) }
            file += data
            return file.count - data.count
        }
        let offsets = strips.map(place)
        var all = tags
        all[273]?.values = (0..<listedTimes).flatMap { _ in offsets }
        all[279]?.values = (0..<listedTimes).flatMap { _ in strips.map(\.count) }
        var directory = little(all.count, 2)
        for (tag, (type, values)) in all.sorted(by: { $0.key < $1.key }) {
            let size = type == 1 ? 1 : type == 3 ? 2 : 4
            var packed: [UInt8] = values.flatMap { little($0, size) }
            if packed.count > 4 { packed = little(place(packed), 4) }
            packed += [UInt8](repeating: 0, count: 4 - packed.count)
            directory += little(tag, 2)
            directory += little(type, 2)
            directory += little(values.count, 4)
            directory += packed
        }
        let start = place(directory + little(0, 4))
        file.replaceSubrange(4..<8, with: little(start, 4))
        return file
    }
}

extension [UInt8] {
    /// Bytes from binary digits, the highest bit first; ignores other characters. Pads the last byte with 0.
    init(digits: String) {
        self = []
        var count = 0
        for digit in digits where digit == "0" || digit == "1" {
            if count.isMultiple(of: 8) { append(0) }
            if digit == "1" { self[count / 8] |= 0x80 >> UInt8(count % 8) }
            count += 1
        }
    }
}
