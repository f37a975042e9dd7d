import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Expansion of command-line arguments to file paths.
package enum InputPaths {
    /// Expands patterns to the matching paths and, if `isRecursive` is true, folders to the images in them. Other
    /// arguments are returned unchanged, including missing files and folders that cannot be listed; reading them
    /// reports the error.
    ///
    /// - Parameter isRecursive: Expands folders, including subfolders, to the files with an image extension.
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

    /// Expands folders to the images in them if `isRecursive` is true. Every other path is the path of a file: `-` is
    /// not stdin, and patterns are not expanded.
    package static func expandFolders(_ paths: [String], isRecursive: Bool) -> [String] {
        paths.flatMap { path -> [String] in
            guard isRecursive, isFolder(path), let entries = try? listEntries(path) else {
                return [path == "-" ? "./-" : path]
            }
            let folder = path.hasSuffix("/") ? path : path + "/"
            return entries.filter { isImageName($0.path) || !$0.isFile }.map { folder + $0.path }
        }
    }

    /// Path in a line of a list; `nil` for an empty line.
    ///
    /// - Parameter endsWithNUL: The line was terminated by NUL; otherwise a carriage return at its end is removed.
    package static func path(inLine line: [UInt8], endsWithNUL: Bool) -> String? {
        let isLine = !endsWithNUL && line.last == UInt8(ascii: "\r")
        let path = String(decoding: isLine ? line.dropLast() : line[...], as: UTF8.self)
        return path.isEmpty ? nil : path
    }

    package static func isImageName(_ name: String) -> Bool {
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
