/// A JPEG split at its markers, so that a test can rearrange the scans.
struct JPEGPieces {
    /// The bytes from SOI to the first Huffman table segment (DHT), without this segment.
    var head: [UInt8] = []
    /// Each scan with the tables before it.
    var scans: [Scan] = []
    /// EOI and all bytes after it.
    var tail: [UInt8] = []

    struct Scan {
        var tables: [UInt8]
        /// SOS and the entropy-coded data.
        var data: [UInt8]
        /// Number of components, first component, Ss, Se, Ah, Al.
        var facts: [Int]
    }

    init(_ bytes: [UInt8]) {
        var at = 2
        var pending = Array(bytes[..<2])
        while at + 4 <= bytes.count, bytes[at + 1] != 0xD9 {
            let code = bytes[at + 1]
            var end = at + 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
            guard code == 0xDA else {
                if code == 0xC4, head.isEmpty {
                    head = pending
                    pending = []
                }
                pending += bytes[at..<end]
                at = end
                continue
            }
            let count = Int(bytes[at + 4])
            let last = Array(bytes[at + 5 + 2 * count..<at + 8 + 2 * count])
            while !(bytes[end] == 0xFF && bytes[end + 1] != 0 && !(0xD0...0xD7).contains(bytes[end + 1])) { end += 1 }
            scans.append(
                Scan(
                    tables: pending, data: Array(bytes[at..<end]),
                    facts: [
                        count, Int(bytes[at + 5]), Int(last[0]), Int(last[1]), Int(last[2] >> 4), Int(last[2] & 15),
                    ]))
            pending = []
            at = end
        }
        tail = pending + bytes[at...]
    }

    var bytes: [UInt8] { head + scans.flatMap { $0.tables + $0.data } + tail }

    /// The index of the last refinement scan of luma.
    var lastRefinement: Int? { scans.firstIndex { $0.facts == [1, 1, 1, 63, 1, 0] } }
}
