import Foundation

/// A file in a temporary folder of its own; `remove()` deletes both.
struct TemporaryFile {
    let folder: URL
    var path: String { folder.appending(path: "image").path }

    init(_ bytes: [UInt8]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(bytes)
    }

    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    func truncate(to count: Int) { precondition(Foundation.truncate(path, off_t(count)) == 0) }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
