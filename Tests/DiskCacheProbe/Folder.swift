#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Paths of all files below a folder, without folders.
func filePaths(below path: String) -> [String] {
    names(in: path).flatMap { name in
        let below = path + "/" + name
        var information = stat()
        guard lstat(below, &information) == 0 else { return [String]() }
        return information.st_mode & S_IFMT == S_IFDIR ? filePaths(below: below) : [below]
    }
}

/// Removes a file, or a folder with its contents.
func removeEverything(at path: String) {
    if unlink(path) == 0 { return }
    for name in names(in: path) { removeEverything(at: path + "/" + name) }
    rmdir(path)
}

private func names(in path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let found = readdir(stream) {
        // A directory record may be shorter than `dirent`, so it must not be copied: read the name in place, up to its
        // NUL.
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return names }
        let name = String(cString: (UnsafeRawPointer(found) + offset).assumingMemoryBound(to: CChar.self))
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}
