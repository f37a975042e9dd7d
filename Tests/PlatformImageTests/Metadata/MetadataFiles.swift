import PlatformImage

/// Small files of each format that contain all blocks, written without the encoders' metadata code.
enum MetadataFiles {
    static let bitmap = SampleImage.gradient.bitmap(16, 12)

    static func segment(_ marker: UInt8, _ data: [UInt8]) -> [UInt8] {
        [0xFF, marker] + MetadataBlocks.bytes(data.count + 2, 2, false) + data
    }

    static func jpeg(_ segments: [UInt8]) throws -> [UInt8] {
        let file = try ImageEncoder().encode(bitmap, as: .jpeg)
        return Array(file[..<2]) + segments + file[2...]
    }

    static func jpeg() throws -> [UInt8] {
        let resources = Array("Photoshop 3.0\0".utf8)
        let photoshop = MetadataBlocks.photoshop(MetadataBlocks.iptc)
        return try jpeg(
            segment(0xE1, Array("Exif\0\0".utf8) + MetadataBlocks.exif())
                + segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + MetadataBlocks.xmp)
                + segment(0xED, resources + photoshop[..<20]) + [0xFF, 0xFF]
                + segment(0xED, resources + photoshop[20...]))
    }

    static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let content = Array(type.utf8) + data
        var crc = UInt32.max
        for byte in content {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return MetadataBlocks.bytes(data.count, 4, false) + content + MetadataBlocks.bytes(Int(~crc), 4, false)
    }

    /// A zlib stream of stored blocks.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65_521
            b = (b + a) % 65_521
        }
        let count = MetadataBlocks.bytes(bytes.count, 2, true)
        return [0x78, 1, 1] + count + count.map { ~$0 } + bytes + MetadataBlocks.bytes(b << 16 | a, 4, false)
    }

    static func png(_ chunks: [UInt8]) throws -> [UInt8] {
        let file = try ImageEncoder().encode(bitmap, as: .png)
        return Array(file[..<33]) + chunks + file[33...]
    }

    static func png(compressesXMP: Bool = false) throws -> [UInt8] {
        let hex = MetadataBlocks.photoshop(MetadataBlocks.iptc).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        let profile = "\niptc\n     \(hex.count)\n\(hex.joined())\n"
        let text = MetadataBlocks.xmp
        return try png(
            chunk("eXIf", MetadataBlocks.exif())
                + chunk(
                    "iTXt",
                    Array("XML:com.adobe.xmp".utf8) + [0, compressesXMP ? 1 : 0, 0, 0, 0]
                        + (compressesXMP ? stored(text) : text))
                + chunk("zTXt", Array("Raw profile type iptc".utf8) + [0, 0] + stored(Array(profile.utf8))))
    }

    /// One white pixel and the tags of all blocks.
    static func tiff(little: Bool = true) -> [UInt8] {
        func short(_ tag: Int, _ value: Int) -> MetadataBlocks.Entry {
            MetadataBlocks.Entry(tag, 3, MetadataBlocks.bytes(value, 2, little))
        }
        return MetadataBlocks.exif(
            little: little,
            first: [
                short(256, 1), short(257, 1), short(258, 8), short(259, 1), short(262, 1),
                MetadataBlocks.Entry(273, 4, MetadataBlocks.bytes(4, 4, little)), short(277, 1), short(278, 1),
                MetadataBlocks.Entry(279, 4, MetadataBlocks.bytes(1, 4, little)),
                .text(315, MetadataBlocks.artist), MetadataBlocks.Entry(700, 1, MetadataBlocks.xmp),
                .text(33432, MetadataBlocks.copyright), MetadataBlocks.Entry(33723, 7, MetadataBlocks.iptc),
            ],
            camera: [.text(36867, "2026:11:23 08:00:00")], gps: [.text(1, "N")])
    }
}
