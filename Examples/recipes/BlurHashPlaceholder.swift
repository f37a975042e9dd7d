import PlatformImage
import Testing

/// The placeholder of an image, computed once when the image is uploaded and stored in the database.
///
/// - Returns: About 28 characters for an HTML page, an app or an API.
func placeholder(of bytes: [UInt8], on queue: DecodeQueue) async throws -> String {
    // The hash contains no detail, so a small draft is sufficient, and costs much less than the full image.
    var options = ThumbnailOptions(width: 64, height: 64)
    options.quality = .draft
    let small = try await queue.thumbnail(of: bytes, options: options)
    return BlurHash(small.bitmap).description
}

/// The blurred image of a placeholder, enlarged by the program that shows it.
///
/// - Throws: A `DecodeError` when the text is not a hash, for example because a client sent it.
func image(ofPlaceholder text: String) throws -> Bitmap {
    try BlurHash(text).bitmap(width: 32, height: 32, limits: .thumbnailService)
}

extension RecipeTests {
    @Test func placeholderHasTheColoursOfTheImage() async throws {
        let queue = DecodeQueue(width: 1)
        let bytes = try example("demo/mountains.jpg")

        let text = try await placeholder(of: bytes, on: queue)
        let blurred = try image(ofPlaceholder: text)

        #expect(text.count == 28 && blurred.width == 32)
        // The mean of one corner of the photograph and of its placeholder; both are blurred, so a coarse comparison.
        let small = try await queue.thumbnail(
            of: bytes, options: ThumbnailOptions(width: 4, height: 4, fit: .fill)
        ).bitmap
        let (a, b) = (small[0, 0], blurred[4, 4])
        for (x, y) in [(a.red, b.red), (a.green, b.green), (a.blue, b.blue)] { #expect(abs(Int(x) - Int(y)) < 32) }
        #expect(throws: DecodeError.self) { try image(ofPlaceholder: "not a hash") }
    }
}
