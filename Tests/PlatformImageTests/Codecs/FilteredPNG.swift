/// A PNG file of raw rows with their filter bytes, stored without compression.
struct FilteredPNG {
    var width: Int
    var height: Int
    var bitDepth: Int
    var colorType: Int
    /// Type and content of chunks between IHDR and IDAT.
    var chunks: [(String, [UInt8])] = []

    var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 0 }
    var bytesPerRow: Int { (width * channels * bitDepth + 7) / 8 }

    func bytes(rows: [UInt8]) -> [UInt8] { bytes(imageData: [stored(rows)]) }

    /// - Parameter imageData: A zlib stream, split into the contents of the IDAT chunks.
    func bytes(imageData: [[UInt8]]) -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let header =
            Self.bigEndian(UInt32(width)) + Self.bigEndian(UInt32(height)) + [
                UInt8(bitDepth), UInt8(colorType), 0, 0, 0,
            ]
        file += chunk("IHDR", header)
        for (type, content) in chunks { file += chunk(type, content) }
        for piece in imageData { file += chunk("IDAT", piece) }
        file += chunk("IEND", [])
        return file
    }

    /// A zlib stream of stored blocks (RFC 1950 and 1951).
    private func stored(_ content: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let count = min(65535, content.count - start)
            let isLast = start + count == content.count
            let (low, high) = (UInt8(count & 255), UInt8(count >> 8))
            stream += [isLast ? 1 : 0, low, high, ~low, ~high] + content[start..<start + count]
            start += count
        } while start < content.count
        return stream + Self.adler(content)
    }

    /// The Adler-32 checksum that ends a zlib stream (RFC 1950), big-endian.
    static func adler(_ content: [UInt8]) -> [UInt8] {
        var (a, b) = (UInt32(1), UInt32(0))
        for byte in content {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        return bigEndian(b << 16 | a)
    }

    private func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + content
        var crc = UInt32.max
        for byte in body { crc = Self.crcTable[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8 }
        return Self.bigEndian(UInt32(content.count)) + body + Self.bigEndian(~crc)
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 == 0 ? crc >> 1 : 0xEDB8_8320 ^ crc >> 1 }
    }
}
