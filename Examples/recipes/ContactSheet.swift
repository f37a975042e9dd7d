import PlatformImage
import Testing

/// One image with the thumbnails of several files in rows, each cropped to a square; the rest is transparent.
///
/// - Throws: A `DecodeError` when a file cannot be decoded, or the sheet exceeds the default limits.
func contactSheet(of files: [[UInt8]], side: Int, columns: Int, gap: Int = 4) throws -> Bitmap {
    let options = ThumbnailOptions(width: side, height: side, fit: .cover)
    let tiles = try files.map { try ImageDecoder().thumbnail(of: $0, options: options).bitmap }
    let rows = (files.count + columns - 1) / columns
    let (width, height) = (columns * (side + gap) + gap, rows * (side + gap) + gap)
    return try Bitmap(width: width, height: height, limits: DecodeLimits()) { pixels in
        for (index, tile) in tiles.enumerated() {
            let (row, column) = index.quotientAndRemainder(dividingBy: columns)
            let (left, top) = (gap + column * (side + gap), gap + row * (side + gap))
            for y in 0..<tile.height {
                let start = ((top + y) * width + left) * 4
                tile.withRow(y) { bytes in
                    for index in bytes.indices { pixels[start + index] = bytes[index] }
                }
            }
        }
    }
}

/// The middle third of an image, as an image of exactly that size with its own memory.
func middle(of image: Bitmap) throws(DecodeError) -> Bitmap {
    let third = image.width / 3
    return try image.cropped(to: PixelRectangle(x: third, y: 0, width: third, height: image.height))
}

/// The mirror image of a rotated image: operations that only move pixels can be combined without loss.
func mirroredQuarterTurn(of image: Bitmap) throws(DecodeError) -> Bitmap {
    try image.rotated(by: .degrees90).flippedHorizontally()
}

extension RecipeTests {
    @Test func imagesArePlacedOnASheet() throws {
        let files = try ["mountains.jpg", "city-lights-turned.jpg", "window.png"].map { try example("demo/" + $0) }

        let sheet = try contactSheet(of: files, side: 60, columns: 2)

        #expect(sheet.width == 132 && sheet.height == 132)
        #expect(sheet[0, 0].alpha == 0 && sheet[100, 100].alpha == 0)  // a gap, and the place of a fourth tile
        let options = ThumbnailOptions(width: 60, height: 60, fit: .cover)
        let second = try ImageDecoder().thumbnail(of: files[1], options: options).bitmap
        #expect(sheet[68, 4] == second[0, 0] && sheet[127, 63] == second[59, 59])
    }

    @Test func partsAreCroppedAndTurned() throws {
        let image = try ImageDecoder().decode(example("demo/mountains.jpg")).bitmap

        let part = try middle(of: image)
        let turned = try mirroredQuarterTurn(of: part)

        #expect(part.width == 253 && part.byteCount == 253 * 500 * 4 && part[0, 0] == image[253, 0])
        // A quarter turn clockwise and a horizontal mirror exchange rows and columns.
        #expect(turned.width == 500 && turned.height == 253)
        #expect(turned[0, 0] == part[0, 0] && turned[499, 0] == part[0, 499] && turned[0, 252] == part[252, 0])
    }
}
