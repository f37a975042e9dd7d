import Foundation
import PlatformImage
import Testing

/// Writes a JPEG thumbnail of every image of a folder to another folder, and continues after errors.
///
/// The files are mapped into memory, so that only the parts that the decoder reads are loaded.
///
/// - Returns: Names of the files that are not images, or too damaged, with their errors.
func makeThumbnails(
    of source: URL, in target: URL, width: Int, height: Int, on queue: DecodeQueue
) async throws -> [String: any Error] {
    let names = try FileManager.default.contentsOfDirectory(atPath: source.path).sorted()
    let options = ThumbnailOptions(width: width, height: height, fit: .cover)
    let decoder = ImageDecoder()

    @Sendable func make(_ name: String) async -> (String, (any Error)?) {
        do {
            let path = source.appending(path: name).path
            let thumbnail = try await queue.thumbnail(of: .file(path), options: options, with: decoder)
            let file = try await queue.encode(thumbnail.bitmap, as: .jpeg)
            try Data(file).write(to: target.appending(path: name + ".jpg"))
            return (name, nil)
        } catch {
            return (name, error)
        }
    }

    return await withTaskGroup(of: (String, (any Error)?).self) { group in
        var failures: [String: any Error] = [:]
        var waiting = names[...]
        for name in waiting.prefix(queue.width) { group.addTask { await make(name) } }
        waiting = waiting.dropFirst(queue.width)
        for await (name, error) in group {
            if let error { failures[name] = error }
            if let next = waiting.popFirst() { group.addTask { await make(next) } }
        }
        return failures
    }
}

extension RecipeTests {
    @Test func everyImageOfAFolderGetsAThumbnailAndOtherFilesAreReported() async throws {
        let (source, target) = (try TemporaryFolder(), try TemporaryFolder())
        let names = ["logo.png", "mountains.jpg", "city-lights-turned.jpg", "orbit.gif", "invader-rle4.bmp"]
        for name in names { try Data(example("demo/" + name)).write(to: source.url.appending(path: name)) }
        try Data("not an image".utf8).write(to: source.url.appending(path: "notes.txt"))

        let failures = try await makeThumbnails(
            of: source.url, in: target.url, width: 96, height: 64, on: DecodeQueue(width: 2))

        #expect(failures.keys.sorted() == ["notes.txt"])
        for name in names {
            let file = [UInt8](try Data(contentsOf: target.url.appending(path: name + ".jpg")))
            let header = try ImageDecoder().header(of: file)
            #expect(header.format == .jpeg && header.width == 96 && header.height == 64, "\(name)")
        }
    }
}
