import Foundation

/// A temporary folder that represents the root of a file system; deleted with this object.
package final class SystemTree: Sendable {
    /// The path without a trailing slash.
    package let root: String

    /// - Parameter files: The text of each file by its path below the root, such as `proc/self/cgroup`.
    package init(_ files: [String: String] = [:]) throws {
        root = FileManager.default.temporaryDirectory.appending(path: "platformimage-\(UUID().uuidString)").path()
        for (path, text) in files { try write(Array(text.utf8), to: path) }
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    package func path(_ path: String) -> String { "\(root)/\(path)" }

    package func makeFolder(of path: String) throws {
        let folder = URL(filePath: self.path(path)).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    package func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: self.path(path)) }

    /// Writes in place, which keeps the inode, as the kernel does for its files.
    package func write(_ bytes: [UInt8], to path: String) throws {
        try makeFolder(of: path)
        try Data(bytes).write(to: URL(filePath: self.path(path)))
    }

    package func write(_ text: String, to path: String) throws { try write(Array(text.utf8), to: path) }
}
