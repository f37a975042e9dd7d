/// Image files with a thumbnail in an EXIF block, as written by cameras.
public enum CameraFile {
    /// A JPEG with an additional EXIF block before all other segments.
    ///
    /// - Parameters:
    ///   - image: The JPEG to which the block is added.
    ///   - thumbnail: Any bytes; nil for a block without a thumbnail.
    ///   - orientation: 1 to 8.
    public static func jpeg(_ image: [UInt8], with thumbnail: [UInt8]?, orientation: Int = 1) -> [UInt8] {
        let segment = Array("Exif\0\0".utf8) + block(thumbnail, orientation)
        let length = segment.count + 2
        return [0xFF, 0xD8, 0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + segment + image[2...]
    }

    /// A PNG with an eXIf chunk after its IHDR chunk.
    public static func png(_ image: [UInt8], with thumbnail: [UInt8]) -> [UInt8] {
        func big(_ value: UInt32) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        }
        let data = block(thumbnail, 1)
        let named = Array("eXIf".utf8) + data
        // Signature and IHDR.
        let header = 8 + 25
        return image[..<header] + big(UInt32(data.count)) + named + big(crc(named)) + image[header...]
    }

    /// A JPEG without its APP2 segments, which contain ICC profiles.
    public static func withoutProfile(_ jpeg: [UInt8]) -> [UInt8] {
        var result = Array(jpeg[..<2])
        var at = 2
        while at + 4 <= jpeg.count, jpeg[at + 1] != 0xDA {
            let end = at + 2 + Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3])
            if jpeg[at + 1] != 0xE2 { result += jpeg[at..<end] }
            at = end
        }
        return result + jpeg[at...]
    }

    /// IFD0 with the orientation, then IFD1 with offset and length of the thumbnail (EXIF 2.32, 4.5.5).
    private static func block(_ thumbnail: [UInt8]?, _ orientation: Int) -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        func entry(_ tag: Int, _ type: Int, _ value: Int) -> [UInt8] {
            little(tag, 2) + little(type, 2) + little(1, 4) + little(value, 4)
        }
        let second = 8 + 2 + 12 + 4
        let start = second + 2 + 24 + 4
        let first = Array("II".utf8) + little(42, 2) + little(8, 4) + little(1, 2) + entry(274, 3, orientation)
        guard let thumbnail else { return first + little(0, 4) }
        let names = entry(513, 4, start) + entry(514, 4, thumbnail.count)
        return first + little(second, 4) + little(2, 2) + names + little(0, 4) + thumbnail
    }

    /// CRC-32 of a PNG chunk.
    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
