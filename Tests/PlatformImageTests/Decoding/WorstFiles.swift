import PlatformImageTestSupport

/// Small files whose decode takes much time for their size. `Scripts/bench/worst-inputs` generates larger ones.
enum WorstFiles {
    // ------------------------------------------------------------------ WebP

    /// A prefix code of one symbol, 0, which takes no bits of data (RFC 9649, 3.7.2.1).
    private static let zero = "1000"

    /// A stream of bits, the least significant bit of each byte first.
    private static func packed(_ bits: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (bits.utf8.count + 7) / 8)
        for (place, digit) in bits.utf8.enumerated() where digit == UInt8(ascii: "1") {
            bytes[place / 8] |= 1 << UInt8(place % 8)
        }
        return bytes
    }

    private static func low(_ value: Int, _ count: Int) -> String {
        String((0..<count).map { value >> $0 & 1 == 1 ? "1" : "0" })
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(body.count, 4) + body + (body.count.isMultiple(of: 2) ? [] : [0])
    }

    static func riff(_ chunks: [[UInt8]]) -> [UInt8] {
        let body = Array("WEBP".utf8) + chunks.flatMap(\.self)
        return Array("RIFF".utf8) + little(body.count, 4) + body
    }

    /// A lossless image of one colour. With `hasTransforms`, the predictor, colour and subtract-green transforms
    /// and an entropy image precede it; their images have a sample for each block of 4 x 4 pixels, and take no data.
    static func constantWebP(side: Int, hasTransforms: Bool) -> [UInt8] {
        let image = "0" + String(repeating: zero, count: 5)
        let transforms = "1" + low(0, 2) + low(0, 3) + image + "1" + low(1, 2) + low(0, 3) + image + "1" + low(2, 2)
        let entropy = "1" + low(0, 3) + image
        let stream =
            (hasTransforms ? transforms : "") + "0" + "0" + (hasTransforms ? entropy : "0")
            + String(repeating: zero, count: 5) + low(0, 64)
        return chunk("VP8L", [0x2F] + packed(low(side - 1, 14) + low(side - 1, 14) + low(0, 4) + stream))
    }

    /// An animation whose frames have the size of the canvas.
    static func webPAnimation(side: Int, frames: Int, image: [UInt8]) -> [UInt8] {
        let size = little(side - 1, 3) + little(side - 1, 3)
        let frame = chunk("ANMF", [UInt8](repeating: 0, count: 6) + size + little(10, 3) + [2] + image)
        let head = [chunk("VP8X", [2, 0, 0, 0] + size), chunk("ANIM", [UInt8](repeating: 0, count: 6))]
        return riff(head + [[UInt8]](repeating: frame, count: frames))
    }

    // ------------------------------------------------------------------ JPEG

    /// A progressive gray JPEG: a DC scan, then scans of all AC coefficients whose data are end-of-band runs of up to
    /// 32,767 blocks (ITU-T T.81, G.1.2.2). Refinement scans visit all coefficients of each block.
    static func progressiveJPEG(side: Int, scans: Int, refines: Bool) -> [UInt8] {
        func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
            [0xFF, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
        }
        func packed(_ bits: String) -> [UInt8] {
            [UInt8](digits: bits + String(repeating: "1", count: (8 - bits.utf8.count % 8) % 8))
                .flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] }
        }
        let size = [UInt8(side >> 8), UInt8(side & 255)], blocks = ((side + 7) / 8) * ((side + 7) / 8)
        let zeros = [UInt8](repeating: 0, count: 15)
        var file: [UInt8] = [0xFF, 0xD8] + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        file += segment(0xC2, [8] + size + size + [1, 1, 0x11, 0])
        // The DC code 0 is a difference of 0; the AC code 0 is a run of 16,384 blocks and 14 more bits.
        file += segment(0xC4, [0x00, 1] + zeros + [0]) + segment(0xC4, [0x10, 1] + zeros + [0xE0])
        file += segment(0xDA, [1, 1, 0, 0, 0, 0]) + packed(String(repeating: "0", count: blocks))
        let runs = (blocks + 16_383) / 16_384
        let data = packed(String(repeating: "0" + String(repeating: "0", count: 14), count: runs))
        file += segment(0xDA, [1, 1, 0, 1, 63, 1]) + data
        for _ in 1..<scans { file += segment(0xDA, [1, 1, 0, 1, 63, refines ? 0x10 : 0x01]) + data }
        return file + [0xFF, 0xD9]
    }

    // ------------------------------------------------------------------ GIF, PNG, BMP

    /// A GIF whose first image is preceded by extensions of one empty sub-block each.
    static func gif(extensions: Int, frames: Int) -> [UInt8] {
        let comment: [UInt8] = [0x21, 0xFE, 1, 0, 0]
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
        let head = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        return head + [[UInt8]](repeating: comment, count: extensions).flatMap(\.self)
            + [[UInt8]](repeating: frame, count: frames).flatMap(\.self) + [0x3B]
    }

    /// An intact PNG with empty ancillary chunks before its image data.
    static func png(chunks: Int, _ intact: [UInt8]) -> [UInt8] {
        // The checksum of a chunk of this type without data.
        let chunk: [UInt8] = [0, 0, 0, 0] + Array("eeEe".utf8) + [0, 0, 0, 0]
        return intact.prefix(33) + [[UInt8]](repeating: chunk, count: chunks).flatMap(\.self) + intact.dropFirst(33)
    }

    /// An RLE8 BMP of moves by no pixel.
    static func bmp(moves: Int) -> [UInt8] {
        let data = [[UInt8]](repeating: [0, 2, 0, 0], count: moves).flatMap(\.self)
        let info =
            little(40, 4) + little(8, 4) + little(8, 4) + little(1, 2) + little(8, 2) + little(1, 4)
            + little(data.count, 4) + [UInt8](repeating: 0, count: 16)
        let palette = [UInt8](repeating: 0, count: 1024)
        let offset = 14 + info.count + palette.count
        return Array("BM".utf8) + little(offset + data.count, 4) + little(0, 4) + little(offset, 4) + info + palette
            + data + [1, 1, 0, 1]
    }
}
