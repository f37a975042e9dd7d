import Foundation

/// A file in a temporary folder of its own; `remove()` deletes both.
struct TemporaryFile {
    let folder: URL
    let name: String
    var path: String { folder.appending(path: name).path }

    init(_ bytes: [UInt8], named name: String = "image") throws {
        self.name = name
        folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(bytes)
    }

    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    func truncate(to count: Int) { precondition(Foundation.truncate(path, off_t(count)) == 0) }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
