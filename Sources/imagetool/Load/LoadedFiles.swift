import PlatformImage
import PlatformImageToolSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Folder that receives loaded images unchanged, under names derived from their URLs. An existing file is never
/// replaced.
struct LoadedFiles {
    private let folder: String

    /// Creates the folder when it is missing.
    init(folder: String) throws(OutputFailure) {
        self.folder = folder
        var facts = stat()
        if mkdir(folder.cPath, 0o777) == 0 { return }
        guard errno == EEXIST else { throw OutputFailure(folder) }
        guard stat(folder.cPath, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else {
            errno = ENOTDIR
            throw OutputFailure(folder)
        }
    }

    /// Writes a file atomically and returns its name.
    func write(_ bytes: [UInt8], from url: String, _ format: ImageFormat) throws(OutputFailure) -> String {
        let (stem, suffix) = Self.name(of: url, format)
        let (descriptor, temporary) = makeTemporary(beside: "\(folder)/.\(stem)")
        guard descriptor >= 0, let temporary else { throw OutputFailure(folder) }
        defer { unlink(temporary.cPath) }
        let isWritten = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
        let code = errno
        guard close(descriptor) == 0, isWritten else {
            if !isWritten { errno = code }
            throw OutputFailure("\(folder)/\(stem)\(suffix)")
        }
        // `link` fails for an existing name, even when another process creates it concurrently.
        for number in 1...1_000_000 {
            let name = number == 1 ? stem + suffix : "\(stem)-\(number)\(suffix)"
            if link(temporary.cPath, "\(folder)/\(name)".cPath) == 0 { return name }
            guard errno == EEXIST else { throw OutputFailure("\(folder)/\(name)") }
        }
        throw OutputFailure("\(folder)/\(stem)\(suffix)")
    }

    /// File name in two parts: the last path component of the URL, with `_` instead of characters other than ASCII
    /// letters, digits and `._-`, and the file extension. An extension of `format` in the URL is used, otherwise the
    /// default one. A missing path component becomes `image`; the first part has at most 100 characters.
    static func name(of url: String, _ format: ImageFormat) -> (stem: String, suffix: String) {
        let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let afterScheme = path.firstIndex(of: UInt8(ascii: ":")).map { path[$0...].dropFirst(3) } ?? path[...]
        let parts = afterScheme.split(separator: UInt8(ascii: "/"))
        let last = parts.count > 1 ? parts[parts.count - 1] : afterScheme.prefix(0)
        var stem = sanitizedName(last)
        // A leading dot would hide the file; a leading dash would look like an option.
        stem = String(stem.drop { $0 == "." || $0 == "-" })
        if let dot = stem.lastIndex(of: "."), suffixes(of: format).contains(stem[dot...].lowercased()) {
            let suffix = String(stem[dot...])
            return (shortened(String(stem[..<dot])), suffix)
        }
        return (shortened(stem), suffixes(of: format)[0])
    }

    private static func shortened(_ stem: String) -> String { stem.isEmpty ? "image" : String(stem.prefix(100)) }

    private static func suffixes(of format: ImageFormat) -> [String] {
        format.fileExtensions.map { "." + $0 }
    }
}
