import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Lists the regular files in a folder and its subfolders as sorted relative paths; skips hidden files and does not
/// follow symbolic links to folders.
///
/// - Throws: `noInput` when the folder itself cannot be listed.
package func listFiles(_ folder: String) throws(Failure) -> [String] {
    try listEntries(folder).filter { $0.kind == .file }.map(\.path)
}

/// An entry of a folder or of its subfolders.
package struct FolderEntry {
    package enum Kind {
        case file
        /// A folder that cannot be listed, a folder or image that cannot be examined, or a dangling link with the name
        /// of an image. An attempt to read it reports the error.
        case unreadable
        /// A device, a pipe, a socket or another dangling link.
        case other
    }

    /// Path relative to the folder.
    package let path: String
    package let kind: Kind
}

/// Returns the files of ``listFiles(_:)`` and the other entries of the folders, except hidden ones and folders that can
/// be listed.
///
/// - Throws: `noInput` when the folder itself cannot be listed.
package func listEntries(_ folder: String) throws(Failure) -> [FolderEntry] {
    guard let handle = opendir(folder.cPath) else { throw Failure(.noInput, "noInput: \(systemMessage())") }
    var names: [(name: String, isFile: Bool)] = []
    while let entry = readdir(handle) {
        // `d_name` is a C array, which Swift imports as a tuple.
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(pathBytes: $0.prefix { $0 != 0 }) }
        if !name.hasPrefix(".") { names.append((name, Int32(entry.pointee.d_type) == Int32(DT_REG))) }
    }
    closedir(handle)

    var entries: [FolderEntry] = []
    for (name, isFile) in names.sorted(by: { $0.name < $1.name }) {
        var facts = stat()
        let path = "\(folder)/\(name)"
        guard lstat(path.cPath, &facts) == 0 else {
            let kind: FolderEntry.Kind = !isFile || InputPaths.isImageName(name) ? .unreadable : .other
            entries.append(FolderEntry(path: name, kind: kind))
            continue
        }
        if facts.st_mode & S_IFMT == S_IFDIR {
            if let below = try? listEntries(path) {
                entries += below.map { FolderEntry(path: "\(name)/\($0.path)", kind: $0.kind) }
            } else {
                entries.append(FolderEntry(path: name, kind: .unreadable))
            }
        } else if stat(path.cPath, &facts) == 0 {
            entries.append(FolderEntry(path: name, kind: facts.st_mode & S_IFMT == S_IFREG ? .file : .other))
        } else {
            entries.append(FolderEntry(path: name, kind: InputPaths.isImageName(name) ? .unreadable : .other))
        }
    }
    return entries
}

/// True for a folder and for a symbolic link to one.
package func isFolder(_ path: String) -> Bool {
    var facts = stat()
    return stat(path.cPath, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
}

/// True for an existing path that is not a folder, and for a path below a file.
package func isFileOrBelowFile(_ path: String) -> Bool {
    var facts = stat()
    return stat(path.cPath, &facts) == 0 ? facts.st_mode & S_IFMT != S_IFDIR : errno == ENOTDIR
}

/// Folder of a path; `.` when the path has no folder.
package func parentFolder(of path: String) -> String {
    guard let slash = path.lastSlash else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

extension String {
    /// Index of the last byte `/`. A file system separates names at bytes, but as a `Character`, a `/` with a combining
    /// mark differs from `/`.
    package var lastSlash: String.Index? { utf8.lastIndex(of: UInt8(ascii: "/")) }

    /// The part of a path after its last `/`.
    package var lastPathComponent: Substring { lastSlash.map { self[utf8.index(after: $0)...] } ?? self[...] }

    /// The parts of a path between its bytes `/`, without empty ones.
    package var pathComponents: [String] {
        utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Creates the missing folders of a path; errors are ignored here and reported when the file is opened.
package func makeFolders(of path: String) {
    let folder = parentFolder(of: path)
    var facts = stat()
    guard folder != ".", folder != "/", stat(folder.cPath, &facts) != 0 else { return }
    makeFolders(of: folder)
    mkdir(folder.cPath, 0o777)
}

/// Returns the name with `_` instead of every byte that is not an ASCII letter, a digit or one of `._-`.
package func sanitizedName(_ name: some Sequence<UInt8>) -> String {
    let allowed = ASCIISet.alphanumerics.union("._-")
    let plain = name.map { allowed.contains($0) ? $0 : UInt8(ascii: "_") }
    return String(decoding: plain, as: UTF8.self)
}
