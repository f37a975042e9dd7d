import PlatformImage
import Testing

/// Makes all sizes of an upload from one decode of the file.
///
/// - Parameter sides: Maximum sides in pixels by name.
/// - Returns: JPEG files by name.
/// - Throws: A `DecodeError` or an `EncodeError`.
func makeSizes(
    of upload: [UInt8], sides: [String: Int], quality: Int = 82, on queue: DecodeQueue
) async throws -> [String: [UInt8]] {
    var decoder = ImageDecoder()
    decoder.options.limits = .thumbnailService
    var encoder = ImageEncoder()
    encoder.options.jpeg.quality = quality

    let names = sides.keys.sorted()
    let options = names.map { ThumbnailOptions(width: sides[$0], height: sides[$0]) }
    let thumbnails = try await queue.thumbnails(of: upload, options: options, with: decoder)
    var files: [String: [UInt8]] = [:]
    for (name, thumbnail) in zip(names, thumbnails) {
        files[name] = try await queue.encode(thumbnail.bitmap, as: .jpeg, with: encoder)
    }
    return files
}

extension RecipeTests {
    @Test func uploadIsStoredInSeveralSizes() async throws {
        let sides = ["large": 600, "medium": 320, "small": 100]

        let files = try await makeSizes(of: example("demo/mountains.jpg"), sides: sides, on: DecodeQueue(width: 2))

        #expect(files.keys.sorted() == ["large", "medium", "small"])
        for (name, file) in files {
            let header = try ImageDecoder().header(of: file)
            #expect(header.width == sides[name], "\(name)")
            #expect(abs(Double(header.width) / Double(header.height) - 760.0 / 500.0) < 0.02, "\(name)")
        }
    }
}
