import PlatformImage
import Testing

/// Makes all sizes of an upload from one decode: the largest size from the file, the others from the largest.
///
/// - Parameter sides: Maximum sides in pixels by name, at least one.
/// - Returns: JPEG files by name.
/// - Throws: A `DecodeError` or an `EncodeError`.
func makeSizes(
    of upload: [UInt8], sides: [String: Int], quality: Int = 82, on queue: DecodeQueue
) async throws -> [String: [UInt8]] {
    var decoder = ImageDecoder()
    decoder.options.limits = .thumbnailService
    var encoder = ImageEncoder()
    encoder.options.jpeg.quality = quality

    let largest = sides.values.max()
    let base = try await queue.thumbnail(
        of: upload, options: ThumbnailOptions(width: largest, height: largest), with: decoder
    ).bitmap
    return try await withThrowingTaskGroup(of: (String, [UInt8]).self) { [encoder] group in
        for (name, side) in sides {
            group.addTask {
                let file = try await queue.run(byteCount: base.byteCount) { flag in
                    let options = ThumbnailOptions(width: side, height: side)
                    let bitmap = try base.thumbnail(options: options, cancellation: flag)
                    return try encoder.encode(bitmap, as: .jpeg, cancellation: flag)
                }
                return (name, file)
            }
        }
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
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
