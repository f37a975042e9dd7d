#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The regular files in a folder and the folders below it, as paths from there, sorted. Hidden ones are left out, and
/// symbolic links to folders are not followed.
///
/// - Throws: `noInput` when the folder itself cannot be listed.
func filesIn(_ folder: String) throws(Failure) -> [String] {
    guard let handle = opendir(folder) else { throw Failure(.noInput, "noInput: \(systemMessage())") }
    var names: [String] = []
    while let entry = readdir(handle) {
        // The name is a C array, which Swift sees as a tuple.
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if !name.hasPrefix(".") { names.append(name) }
    }
    closedir(handle)

    var files: [String] = []
    for name in names.sorted() {
        var facts = stat()
        let path = "\(folder)/\(name)"
        guard lstat(path, &facts) == 0 else { continue }
        if facts.st_mode & S_IFMT == S_IFDIR {
            files += ((try? filesIn(path)) ?? []).map { "\(name)/\($0)" }
        } else if stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG {
            files.append(name)
        }
    }
    return files
}

/// True for a folder, also behind a symbolic link.
func isFolder(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
}
