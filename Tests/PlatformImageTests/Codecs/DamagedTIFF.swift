import PlatformImage
import PlatformImageTestSupport

/// A fixture of `tiff_damage.py` (little-endian, directory first) and the ranges of its compressed bytes.
struct DamagedTIFF {
    let name: String
    let layout: String
    let bytes: [UInt8]
    /// Strips or tiles, in the order of the file.
    let segments: [Range<Int>]

    init(_ fixture: Fixture) throws {
        let parts = fixture.path.dropFirst("tiff/damage-".count).dropLast(".tif".count)
            .split(separator: "-")
        layout = String(parts.last ?? "")
        name = parts.dropLast().joined(separator: "-")
        let bytes = try fixture.load()
        self.bytes = bytes
        func number(_ at: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
        }
        var lists: [Int: [Int]] = [:]
        for entry in 0..<number(8, 2) {
            let at = 10 + 12 * entry
            let (size, count) = (number(at + 2, 2) == 3 ? 2 : 4, number(at + 4, 4))
            let values = size * count > 4 ? number(at + 8, 4) : at + 8
            // 273 and 279: offsets and byte counts of strips; 324 and 325: those of tiles.
            guard [273, 279, 324, 325].contains(number(at, 2)) else { continue }
            lists[number(at, 2)] = (0..<count).map { number(values + size * $0, size) }
        }
        let offsets = lists[273] ?? lists[324] ?? []
        segments = zip(offsets, lists[279] ?? lists[325] ?? []).map { $0..<$0 + $1 }
    }

    /// The file offset of the byte at 60 % of the compressed bytes.
    var damageOffset: Int {
        var left = segments.map(\.count).reduce(0, +) * 6 / 10
        for segment in segments {
            if left < segment.count { return segment.lowerBound + left }
            left -= segment.count
        }
        return bytes.count - 1
    }

    func withWrongBytes(_ count: Int) -> [UInt8] {
        var damaged = bytes
        for at in damageOffset..<damageOffset + count { damaged[at] ^= 0x55 }
        return damaged
    }

    var truncated: [UInt8] { Array(bytes.prefix(damageOffset)) }
}

/// The decoded rows of a damaged image.
struct DecodedRows {
    let status: DecodeStatus
    /// Number of rows that equal those of the undamaged file.
    let right: Int
    /// Number of rows in which every pixel was decoded, correct or not.
    let shown: Int

    init(of damaged: [UInt8], against whole: [UInt8]) throws {
        let decoder = ImageDecoder(options: .asStored)
        let expected = try decoder.decode(whole).bitmap.copyBytes()
        let image = try decoder.decode(damaged)
        let pixels = image.bitmap.copyBytes()
        status = image.status
        let row = image.bitmap.width * 4
        let rows = (0..<image.bitmap.height).map { pixels[$0 * row..<($0 + 1) * row] }
        right = zip(rows, 0...).count { $0 == expected[$1 * row..<($1 + 1) * row] }
        let opaque = rows.count { row in
            stride(from: row.startIndex + 3, to: row.endIndex, by: 4).allSatisfy { pixels[$0] == 255 }
        }
        // Missing rows of a fax page are opaque too, so the row count of the status applies.
        if case .truncated(let rows) = image.status, rows > 0 { shown = min(rows, opaque) } else { shown = opaque }
    }

    var text: String {
        switch status {
        case .complete: "\(right) right, \(shown) shown, complete"
        case .truncated(let rows): "\(right) right, \(shown) shown, truncated(\(rows))"
        case .corrupt: "\(right) right, \(shown) shown, corrupt"
        }
    }
}
