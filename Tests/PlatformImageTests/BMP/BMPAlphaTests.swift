import PlatformImage
import PlatformImageTestSupport
import Testing

/// A BMP with an alpha mask is opaque when all its alpha values are 0.
@Suite struct BMPAlphaTests {
    struct Layout: CustomStringConvertible, Sendable {
        let bits: Int
        let masks: [Int]
        let headerSize: Int
        var compression = 3

        var description: String { "\(bits) bits, header \(headerSize), compression \(compression), masks \(masks)" }
        var alpha: Int { masks[3] }
        var bytes: Int { bits / 8 }
    }

    static let layouts: [Layout] =
        [56, 108, 124].flatMap { size in
            [
                Layout(bits: 32, masks: [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000], headerSize: size),
                Layout(bits: 32, masks: [0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000], headerSize: size),
                Layout(bits: 32, masks: [0xFF00_0000, 0xFF_0000, 0xFF00, 0xFF], headerSize: size),
                Layout(bits: 32, masks: [0x3FF0_0000, 0xF_FC00, 0x3FF, 0xC000_0000], headerSize: size),
                Layout(bits: 16, masks: [0x7C00, 0x3E0, 0x1F, 0x8000], headerSize: size),
                Layout(bits: 16, masks: [0xF00, 0xF0, 0xF, 0xF000], headerSize: size),
            ]
        } + [Layout(bits: 32, masks: [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000], headerSize: 40, compression: 6)]

    /// 5 x 4 pixels, whose colours are not 0 and whose alpha is 0 except for the pixels at `visible` in stored order.
    private static func file(_ layout: Layout, height: Int, visible: Set<Int> = []) -> BMPFile {
        var pixels: [UInt8] = []
        for row in 0..<4 {
            for x in 0..<5 {
                let color = (layout.masks[0] | layout.masks[1] | layout.masks[2]) & (0x5A5A_5A5A + x)
                let pixel = color | (visible.contains(row * 5 + x) ? layout.alpha : 0)
                pixels += (0..<layout.bytes).map { UInt8(truncatingIfNeeded: pixel >> (8 * $0)) }
            }
            // The padding does not count as alpha.
            while pixels.count % 4 != 0 { pixels.append(0xFF) }
        }
        return BMPFile(
            width: 5, height: height, bits: layout.bits, compression: layout.compression, headerSize: layout.headerSize,
            masks: layout.masks, pixels: pixels)
    }

    private func alphas(_ bitmap: Bitmap) -> [UInt8] {
        (0..<bitmap.width * bitmap.height).map { bitmap[$0 % bitmap.width, $0 / bitmap.width].alpha }
    }

    @Test(.requirement("B10"), arguments: layouts, [4, -4])
    func imageWhoseAlphaValuesAreAllZeroIsOpaque(layout: Layout, height: Int) throws {
        let bytes = Self.file(layout, height: height).bytes

        let image = try ImageDecoder(options: .asStored).decode(bytes)
        let small = try ImageDecoder().thumbnail(of: bytes, options: ThumbnailOptions(width: 2, height: 2))

        #expect(alphas(image.bitmap).allSatisfy { $0 == 255 } && image.status == .complete)
        #expect(alphas(small.bitmap).allSatisfy { $0 == 255 })
        #expect(try !image.header.hasAlpha && !ImageDecoder().header(of: bytes).hasAlpha && !small.header.hasAlpha)
    }

    @Test(.requirement("B10"), arguments: layouts, [0, 7, 19])
    func imageWithOneVisiblePixelKeepsItsAlpha(layout: Layout, pixel: Int) throws {
        let bytes = Self.file(layout, height: -4, visible: [pixel]).bytes

        let image = try ImageDecoder(options: .asStored).decode(bytes)

        #expect(alphas(image.bitmap) == (0..<20).map { $0 == pixel ? 255 : 0 })
        #expect(try image.header.hasAlpha && ImageDecoder().header(of: bytes).hasAlpha)
    }

    @Test(.requirement("B10"), arguments: layouts)
    func rowsThatAreMissingDoNotDecideAboutAlpha(layout: Layout) throws {
        // The visible pixel is in the last stored row, which is cut off.
        let file = Self.file(layout, height: -4, visible: [17]).bytes
        let cut = Array(file.dropLast((layout.bytes * 5 + 3) / 4 * 4))

        let image = try ImageDecoder(options: .asStored).decode(cut)

        #expect(image.status == .truncated(rows: 3))
        #expect(alphas(image.bitmap) == (0..<20).map { $0 < 15 ? 255 : 0 })
    }
}
