import PlatformImage
import Testing

/// Properties of an image file for a database, without decoding its pixels.
struct ImageFacts: Equatable {
    let format: ImageFormat
    /// Size as displayed, after the EXIF orientation.
    let width: Int
    let height: Int
    let isAnimated: Bool
    let hasAlpha: Bool
    let orientation: Orientation
    /// Dots per inch, when the EXIF block contains them.
    let dotsPerInch: Double?

    /// - Throws: A `DecodeError` when the file is no image or exceeds the limits.
    init(of bytes: [UInt8]) throws {
        var decoder = ImageDecoder()
        decoder.options.limits = .thumbnailService
        let header = try decoder.header(of: bytes)
        let exif = try decoder.exif(of: bytes)
        format = header.format
        (width, height) = (header.displayWidth, header.displayHeight)
        isAnimated = (header.frameCount ?? 1) > 1
        hasAlpha = header.hasAlpha
        orientation = header.orientation
        let perCentimetre = exif?.resolutionUnit == 3
        dotsPerInch = exif?.xResolution.map { perCentimetre ? $0 * 2.54 : $0 }
    }
}

/// The stored pixels of a photograph, neither rotated nor converted to sRGB, for programs that do both themselves.
func storedPixels(of bytes: [UInt8]) throws -> Bitmap {
    try ImageDecoder(options: .asStored).decode(bytes).bitmap
}

extension RecipeTests {
    @Test func headerOfARotatedPhotographHasItsDisplayedSize() throws {
        let bytes = try example("demo/city-lights-turned.jpg")  // stored as 600 x 420, EXIF orientation 6

        let facts = try ImageFacts(of: bytes)

        #expect(facts.format == .jpeg && facts.width == 420 && facts.height == 600)
        #expect(facts.orientation.rawValue == 6 && !facts.isAnimated && !facts.hasAlpha)
        let (upright, stored) = (try ImageDecoder().decode(bytes).bitmap, try storedPixels(of: bytes))
        #expect(upright.width == 420 && stored.width == 600)
        // Orientation 6: the stored image is rotated by 90 degrees clockwise for display.
        #expect(upright[419, 0] == stored[0, 0] && upright[0, 0] == stored[0, 419])
        #expect(try ImageFacts(of: example("demo/orbit.gif")).isAnimated)
    }
}
