import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The files that arguments mean.
package enum InputPaths {
    /// Folders as the pictures in them, patterns as the files that match; everything else, what does not exist or
    /// cannot be listed included, as it is: reading it says what is wrong.
    ///
    /// - Parameter isRecursive: Folders stand for the files in them, and below, whose names end as pictures' do.
    package static func expand(_ arguments: [String], isRecursive: Bool) -> [String] {
        arguments.flatMap { argument -> [String] in
            var facts = stat()
            if argument == "-" { return [argument] }
            if stat(argument, &facts) == 0 { return expandFolders([argument], isRecursive: isRecursive) }
            guard argument.contains(where: { "*?[".contains($0) }) else { return [argument] }
            let matches = matches(of: argument)
            return matches.isEmpty ? [argument] : matches
        }
    }

    /// Folders as the pictures in them, everything else as the path of a file, `-` and patterns too.
    package static func expandFolders(_ paths: [String], isRecursive: Bool) -> [String] {
        paths.flatMap { path -> [String] in
            guard isRecursive, isFolder(path), let entries = try? entriesIn(path) else {
                return [path == "-" ? "./-" : path]
            }
            let folder = path.hasSuffix("/") ? path : path + "/"
            return entries.filter { isPictureName($0.path) || !$0.isFile }.map { folder + $0.path }
        }
    }

    /// The paths in a list, one a line, or with a NUL behind each; empty ones are left out.
    package static func list(_ bytes: [UInt8], endsWithNUL: Bool) -> [String] {
        bytes.split(separator: endsWithNUL ? 0 : UInt8(ascii: "\n")).map { line in
            let isLine = !endsWithNUL && line.last == UInt8(ascii: "\r")
            return String(decoding: isLine ? line.dropLast() : line, as: UTF8.self)
        }.filter { !$0.isEmpty }
    }

    package static func isPictureName(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return false }
        let endings = ["png", "apng", "jpg", "jpeg", "jpe", "jfif", "gif", "tif", "tiff", "bmp", "dib"]
        return endings.contains(name[name.index(after: dot)...].lowercased())
    }

    private static func matches(of pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, GLOB_TILDE, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { index in
            found.gl_pathv[index].map { String(cString: $0) }
        }
    }
}
