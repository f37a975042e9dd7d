import PlatformImage
import Testing

/// One image with the thumbnails of several files in rows, each cropped to a square.
///
/// - Throws: A `DecodeError` when a file cannot be decoded, or the sheet exceeds the default limits.
func contactSheet(of files: [[UInt8]], side: Int, columns: Int, gap: Int = 4) throws(DecodeError) -> Bitmap {
    let rows = (files.count + columns - 1) / columns
    let white = RGBA8(red: 255, green: 255, blue: 255)
    var sheet = try Bitmap(
        width: columns * (side + gap) + gap, height: rows * (side + gap) + gap, filledWith: white)
    let options = ThumbnailOptions(width: side, height: side, fit: .cover)
    for (index, file) in files.enumerated() {
        let tile = try ImageDecoder().thumbnail(of: file, options: options).bitmap
        let (row, column) = index.quotientAndRemainder(dividingBy: columns)
        sheet = try sheet.composited(tile, atX: gap + column * (side + gap), y: gap + row * (side + gap))
    }
    return sheet
}

/// An image with a half-transparent logo in the bottom right corner.
func watermarked(_ image: Bitmap, with logo: Bitmap, margin: Int = 8) throws(DecodeError) -> Bitmap {
    let (x, y) = (image.width - logo.width - margin, image.height - logo.height - margin)
    return try image.composited(logo, atX: x, y: y, opacity: 0.5)
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
    @Test func imagesAreComposedToASheetAndCarryALogo() throws {
        let files = try ["mountains.jpg", "city-lights-turned.jpg", "window.png"].map { try example("demo/" + $0) }

        let sheet = try contactSheet(of: files, side: 60, columns: 2)

        #expect(sheet.width == 132 && sheet.height == 132)
        let white = RGBA8(red: 255, green: 255, blue: 255)
        #expect(sheet[0, 0] == white && sheet[100, 100] == white)  // a gap, and the place of the missing fourth tile
        let options = ThumbnailOptions(width: 60, height: 60, fit: .cover)
        let second = try ImageDecoder().thumbnail(of: files[1], options: options).bitmap
        #expect(sheet[68, 4] == second[0, 0] && sheet[127, 63] == second[59, 59])

        let logo = try Bitmap(width: 10, height: 10, filledWith: RGBA8(red: 255, green: 0, blue: 0))
        let marked = try watermarked(sheet, with: logo)
        let pixel = marked[123, 123]
        #expect(pixel.red == 255 && (127...128).contains(pixel.green) && pixel.alpha == 255 && marked[0, 0] == white)
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
