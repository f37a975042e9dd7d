import PlatformImage
import PlatformImageTestSupport
import Testing

/// Code sizes above 8, and data that ends within a row.
@Suite struct DamagedGIFTests {
    private let decoder = ImageDecoder(options: .asStored)

    /// 100 x 45 in gray, all indices below 256.
    private static let picture = LiteralGIF(
        width: 100, height: 45, indices: (0..<4500).map { ($0 * 7 + $0 / 100 * 13) & 255 })

    /// -1 where it is transparent.
    private func gray(_ bitmap: Bitmap) -> [Int] {
        (0..<bitmap.width * bitmap.height).map { index in
            let pixel = bitmap[index % bitmap.width, index / bitmap.width]
            return pixel.alpha == 0 ? -1 : Int(pixel.red)
        }
    }

    @Test("D9: minimum code sizes 9 to 11 are decoded", arguments: 2...11)
    func everyCodeSizeThatFitsIntoTwelveBitsIsDecoded(_ codeSize: Int) throws {
        var file = Self.picture
        file.codeSize = codeSize
        file.indices = file.indices.map { $0 & (1 << min(codeSize, 8) - 1) }

        let image = try decoder.decode(file.bytes)

        #expect(gray(image.bitmap) == file.indices)
        #expect(image.status == .complete)
    }

    @Test("D9: an index above 255 ends the picture", arguments: 9...11)
    func anIndexAbove255EndsThePicture(_ codeSize: Int) throws {
        var file = Self.picture
        file.codeSize = codeSize
        file.indices[1_234] = 256

        let image = try decoder.decode(file.bytes)

        #expect("\(image.status)" == "corrupt([code])")
        #expect(gray(image.bitmap).prefix(1_234).elementsEqual(file.indices.prefix(1_234)))
        #expect(gray(image.bitmap).dropFirst(1_234).allSatisfy { $0 == -1 })
    }

    @Test("D9: an index above 255 in the first row is an error", arguments: 9...11)
    func anIndexAbove255InTheFirstRowIsAnError(_ codeSize: Int) throws {
        var file = Self.picture
        file.codeSize = codeSize
        file.indices[3] = 1 << codeSize - 1

        let error = #expect(throws: DecodeError.self) { try decoder.decode(file.bytes) }

        #expect(error?.code == .malformed)
    }

    @Test("D9: minimum code size 12 stays an error")
    func aCodeSizeOf12IsAnError() throws {
        var file = Self.picture
        file.codeSize = 11
        var bytes = file.bytes
        bytes[file.codeSizeOffset] = 12

        let error = #expect(throws: DecodeError.self) { try decoder.decode(bytes) }

        #expect(error?.code == .malformed)
    }

    @Test("D10: a cut inside the last row keeps its decoded pixels")
    func aCutInsideTheLastRowKeepsItsDecodedPixels() throws {
        let file = Self.picture

        for missing in [1, 50, 99] {
            let image = try decoder.decode(file.bytes(cutAfter: 4_500 - missing))

            #expect(image.status == .truncated(rows: 44))
            #expect(gray(image.bitmap).dropLast(missing).elementsEqual(file.indices.dropLast(missing)))
            #expect(gray(image.bitmap).suffix(missing).allSatisfy { $0 == -1 })
        }
    }

    @Test("D10: a cut inside any row keeps its decoded pixels")
    func aCutInsideAnyRowKeepsItsDecodedPixels() throws {
        let file = Self.picture

        for count in stride(from: 101, to: 4_500, by: 171) {
            let image = try decoder.decode(file.bytes(cutAfter: count))

            #expect(image.status == .truncated(rows: count / 100))
            #expect(gray(image.bitmap) == file.indices.prefix(count) + [Int](repeating: -1, count: 4_500 - count))
        }
    }

    @Test("D10: a cut interlaced picture keeps the pixels of the row it ends in")
    func aCutInterlacedPictureKeepsThePixelsOfItsLastRow() throws {
        var file = Self.picture
        file.isInterlaced = true
        // Six rows of the first pass, and 30 pixels of the seventh: row 48 does not exist, so the pass has rows 0 to
        // 40.
        let image = try decoder.decode(file.bytes(cutAfter: 530))
        let shown = gray(image.bitmap)

        #expect(image.status == .truncated(rows: 1))
        #expect(shown[4_000..<4_030].elementsEqual(file.indices[500..<530]))
        #expect(shown[4_030..<4_100].allSatisfy { $0 == -1 })
        #expect(shown[100..<800].allSatisfy { $0 == -1 })
    }

    @Test("D10: a thumbnail shows the same part of the row")
    func aThumbnailOfACutPictureIsMadeOfWhatIsShown() throws {
        let bytes = Self.picture.bytes(cutAfter: 4_470)

        let shrunk = try ShrinkOnLoad.decode(bytes, options: .asStored, width: 100, height: 45)

        #expect(shrunk.pixels == (try decoder.decode(bytes).bitmap.copyBytes()))
    }
}

/// A GIF without a palette (the index is shown as gray) in which every pixel is a code of its own.
private struct LiteralGIF {
    let width: Int
    let height: Int
    /// In stored order.
    var indices: [Int]
    var codeSize = 8
    var isInterlaced = false

    let codeSizeOffset = 23

    private var head: [UInt8] {
        let size = [width & 255, width >> 8, height & 255, height >> 8].map { UInt8($0) }
        return Array("GIF89a".utf8) + size + [0, 0, 0, 0x2C, 0, 0, 0, 0] + size
            + [isInterlaced ? 0x40 : 0, UInt8(codeSize)]
    }

    /// A clear code before the first entry of each time that codes would grow.
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
