import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Files of command-line arguments or of a list.
package struct ExpandedPaths {
    /// Paths of files, in the order of the arguments; in a folder in the order of the names.
    package var paths: [String]
    /// Number of files in the folders that ``paths`` does not contain, because their names do not have the extension of
    /// an image or because they are not regular files.
    package var ignoredCount: Int

    package init(_ paths: [String] = [], ignoredCount: Int = 0) {
        self.paths = paths
        self.ignoredCount = ignoredCount
    }

    fileprivate mutating func add(_ other: Self) {
        paths += other.paths
        ignoredCount += other.ignoredCount
    }
}

/// Expansion of command-line arguments to file paths.
package enum InputPaths {
    /// Extensions of images that no build decodes. Files with these names are inputs too, so that the reason why they
    /// are not processed is reported.
    package static let unsupportedExtensions: Set<String> = [
        "avif", "heic", "heics", "heif", "hif", "ico", "j2k", "jp2", "jpx", "jxl", "psd",
    ]

    /// Expands patterns to the matching paths and, if `isRecursive` is true, folders to the images in them. Other
    /// arguments are returned unchanged, including missing files and folders that cannot be listed; reading them
    /// reports the error.
    ///
    /// - Parameter isRecursive: Expands folders, including subfolders, to the files with an image extension.
    package static func expand(_ arguments: [String], isRecursive: Bool) -> ExpandedPaths {
        arguments.reduce(into: ExpandedPaths()) { all, argument in
            var facts = stat()
            if argument == "-" {
                all.paths.append(argument)
            } else if stat(argument.cPath, &facts) == 0 {
                all.add(expandFolders([argument], isRecursive: isRecursive))
            } else {
                let matches = hasWildcard(argument) ? matches(of: argument) : []
                all.paths += matches.isEmpty ? [argument] : matches
            }
        }
    }

    /// True for an argument that ``expand(_:isRecursive:)`` uses as a pattern: it contains a wildcard, and no file has
    /// this name.
    package static func isPattern(_ argument: String) -> Bool {
        var facts = stat()
        return hasWildcard(argument) && stat(argument.cPath, &facts) != 0
    }

    private static func hasWildcard(_ argument: String) -> Bool { argument.utf8.contains { "*?[".utf8.contains($0) } }

    /// Expands folders to the images in them if `isRecursive` is true. Every other path is the path of a file: `-` is
    /// not stdin, and patterns are not expanded.
    package static func expandFolders(_ paths: [String], isRecursive: Bool) -> ExpandedPaths {
        paths.reduce(into: ExpandedPaths()) { all, path in
            guard isRecursive, isFolder(path), let entries = try? listEntries(path) else {
                return all.paths.append(path == "-" ? "./-" : path)
            }
            let folder = path.hasSuffix("/") ? path : path + "/"
            for entry in entries {
                if entry.kind == .unreadable || entry.kind == .file && isImageName(entry.path) {
                    all.paths.append(folder + entry.path)
                } else {
                    all.ignoredCount += 1
                }
            }
        }
    }

    /// Path in a line of a list; `nil` for an empty line.
    ///
    /// - Parameter endsWithNUL: The line was terminated by NUL; otherwise a carriage return at its end is removed.
    package static func path(inLine line: [UInt8], endsWithNUL: Bool) -> String? {
        let isLine = !endsWithNUL && line.last == UInt8(ascii: "\r")
        let path = String(pathBytes: isLine ? line.dropLast() : line[...])
        return path.isEmpty ? nil : path
    }

    /// True for the name of an image: with an extension of a format that is built in, or of ``unsupportedExtensions``
    /// and formats that are not built in.
    package static func isImageName(_ name: String) -> Bool {
        ImageFormat(ofFileNamed: name) != nil || name.fileExtension.map(unsupportedExtensions.contains) == true
    }

    /// True for the name of an image in a format that is built in.
    package static func isDecodableName(_ name: String) -> Bool { ImageFormat(ofFileNamed: name)?.isBuiltIn == true }

    private static func matches(of pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern.cPath, GLOB_TILDE, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { index in
            found.gl_pathv[index].map { String(cPath: $0) }
        }
    }
}
