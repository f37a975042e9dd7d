import PlatformImage
import PlatformImageTestSupport
import Testing

/// LZW minimum code sizes from 2 to 12, colour indices above 255, and data that ends within a row.
@Suite struct DamagedGIFTests {
    private let decoder = ImageDecoder(options: .asStored)

    /// A gray image of 100 x 45 pixels; all indices are below 256.
    private static let image = LiteralGIF(
        width: 100, height: 45, indices: (0..<4500).map { ($0 * 7 + $0 / 100 * 13) & 255 })

    /// Gray values; -1 for transparent pixels.
    private func gray(_ bitmap: Bitmap) -> [Int] {
        (0..<bitmap.width * bitmap.height).map { index in
            let pixel = bitmap[index % bitmap.width, index / bitmap.width]
            return pixel.alpha == 0 ? -1 : Int(pixel.red)
        }
    }

    @Test(.requirement("D9"), arguments: 2...11)
    func imagesWithAnLZWMinimumCodeSizeOf2To11AreDecoded(_ codeSize: Int) throws {
        var file = Self.image
        file.codeSize = codeSize
        file.indices = file.indices.map { $0 & (1 << min(codeSize, 8) - 1) }

        let image = try decoder.decode(file.bytes)

        #expect(gray(image.bitmap) == file.indices)
        #expect(image.status == .complete)
    }

    @Test(.requirement("D9"), arguments: 9...11)
    func colorIndexAbove255EndsTheImageWithStatusCorrupt(_ codeSize: Int) throws {
        var file = Self.image
        file.codeSize = codeSize
        file.indices[1_234] = 256

        let image = try decoder.decode(file.bytes)

        #expect("\(image.status)" == "corrupt([code])")
        #expect(gray(image.bitmap).prefix(1_234).elementsEqual(file.indices.prefix(1_234)))
        #expect(gray(image.bitmap).dropFirst(1_234).allSatisfy { $0 == -1 })
    }

    @Test(.requirement("D9"), arguments: 9...11)
    func colorIndexAbove255InTheFirstRowThrowsMalformed(_ codeSize: Int) throws {
        var file = Self.image
        file.codeSize = codeSize
        file.indices[3] = 1 << codeSize - 1

        let error = #expect(throws: DecodeError.self) { try decoder.decode(file.bytes) }

        #expect(error?.code == .malformed)
    }

    @Test(.requirement("D9")) func lzwMinimumCodeSize12ThrowsMalformed() throws {
        var file = Self.image
        file.codeSize = 11
        var bytes = file.bytes
        bytes[file.codeSizeOffset] = 12

        let error = #expect(throws: DecodeError.self) { try decoder.decode(bytes) }

        #expect(error?.code == .malformed)
    }

    @Test(.requirement("D10")) func truncationInsideTheLastRowKeepsTheDecodedPixelsOfThatRow() throws {
        let file = Self.image

        for missing in [1, 50, 99] {
            let image = try decoder.decode(file.bytes(cutAfter: 4_500 - missing))

            #expect(image.status == .truncated(rows: 44))
            #expect(gray(image.bitmap).dropLast(missing).elementsEqual(file.indices.dropLast(missing)))
            #expect(gray(image.bitmap).suffix(missing).allSatisfy { $0 == -1 })
        }
    }

    @Test(.requirement("D10")) func truncationInsideAnyRowKeepsTheDecodedPixelsOfThatRow() throws {
        let file = Self.image

        for count in stride(from: 101, to: 4_500, by: 171) {
            let image = try decoder.decode(file.bytes(cutAfter: count))

            #expect(image.status == .truncated(rows: count / 100))
            #expect(gray(image.bitmap) == file.indices.prefix(count) + [Int](repeating: -1, count: 4_500 - count))
        }
    }

    @Test(.requirement("D10")) func truncatedInterlacedImageKeepsTheDecodedPixelsOfItsIncompleteRow() throws {
        var file = Self.image
        file.isInterlaced = true
        // The first pass has the rows 0, 8, 16, 24, 32 and 40. Five rows are complete; row 40 has 30 of 100 pixels.
        let image = try decoder.decode(file.bytes(cutAfter: 530))
        let shown = gray(image.bitmap)

        #expect(image.status == .truncated(rows: 1))
        #expect(shown[4_000..<4_030].elementsEqual(file.indices[500..<530]))
        #expect(shown[4_030..<4_100].allSatisfy { $0 == -1 })
        #expect(shown[100..<800].allSatisfy { $0 == -1 })
    }

    @Test(.requirement("D10")) func shrinkOnLoadToTheFullSizeOfATruncatedGIFGivesThePixelsOfAPlainDecode() throws {
        let bytes = Self.image.bytes(cutAfter: 4_470)

        let shrunk = try ShrinkOnLoad.decode(bytes, options: .asStored, width: 100, height: 45)

        #expect(shrunk.pixels == (try decoder.decode(bytes).bitmap.copyBytes()))
    }
}

/// A GIF without a palette (the index is decoded as gray) that stores every pixel as a literal code.
private struct LiteralGIF {
    let width: Int
    let height: Int
    /// Palette indices in the order in which the file stores them.
    var indices: [Int]
    var codeSize = 8
    var isInterlaced = false

    let codeSizeOffset = 23

    private var head: [UInt8] {
        let size = [width & 255, width >> 8, height & 255, height >> 8].map { UInt8($0) }
        return Array("GIF89a".utf8) + size + [0, 0, 0, 0x2C, 0, 0, 0, 0] + size
            + [isInterlaced ? 0x40 : 0, UInt8(codeSize)]
    }

    /// Writes a clear code before the code width would grow.
    private func data(_ count: Int) -> [UInt8] {
        var (bits, bitCount) = (0, 0)
        var output: [UInt8] = []
        func put(_ code: Int) {
            bits |= code << bitCount
            bitCount += codeSize + 1
            while bitCount >= 8 {
                output.append(UInt8(bits & 255))
                bits >>= 8
                bitCount -= 8
            }
        }
        for (position, index) in indices.prefix(count).enumerated() {
            if position % (1 << codeSize - 2) == 0 { put(1 << codeSize) }
            put(index)
        }
        if count == indices.count { put(1 << codeSize + 1) }
        if bitCount > 0 { output.append(UInt8(bits & 255)) }
        return output
    }

    var bytes: [UInt8] { file(data(indices.count)) + [0, 0x3B] }

    /// The file ends with the code of pixel `count - 1`.
    func bytes(cutAfter count: Int) -> [UInt8] {
        file(data(count))
    }

    private func file(_ data: [UInt8]) -> [UInt8] {
        head
            + stride(from: 0, to: data.count, by: 255).flatMap { start in
                let block = data[start..<min(start + 255, data.count)]
                return [UInt8(block.count)] + block
            }
    }
}
