import PlatformImage
import PlatformImageToolSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// JSON Lines file with one line per finished thumbnail. A repeated run skips inputs that have a line if their output
/// exists and neither the input nor the recipe has changed.
final class ThumbManifest: Sendable {
    /// One finished thumbnail: the input's file attributes, the recipe and the output path.
    private struct Entry: Equatable, Sendable {
        let facts: FileFacts
        let recipe: String
        let output: String
    }

    private let path: String
    /// Text for each recipe of the run.
    private let recipes: [String]
    private let descriptor: Int32
    /// Finished thumbnails of each input, with different outputs.
    private let entries: [String: [Entry]]

    /// Opens or creates the manifest and reads its entries; lines that are truncated or not in the format of the
    /// manifest are ignored.
    ///
    /// - Parameters:
    ///   - recipes: For each output of an input, text that is equal for two runs if they write equal files under equal
    ///     names.
    ///   - isReadOnly: Neither creates nor changes the manifest.
    /// - Throws: ``OutputFailure``, also when the path is not a regular file or the file is not a manifest.
    init(path: String, recipes: [String], isReadOnly: Bool = false) throws(OutputFailure) {
        self.path = path
        self.recipes = recipes
        // O_NONBLOCK, because opening a FIFO or a device could block.
        let mode = isReadOnly ? O_RDONLY : O_RDWR | O_CREAT | O_APPEND
        descriptor = open(path.cPath, mode | O_CLOEXEC | O_NONBLOCK, 0o666)
        if isReadOnly, descriptor < 0, errno == ENOENT {
            entries = [:]
            return
        }
        var facts = stat()
        guard descriptor >= 0, fstat(descriptor, &facts) == 0 else { throw OutputFailure(path) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw OutputFailure(path, "the manifest is not a regular file") }
        var first: UInt8 = 0
        if pread(descriptor, &first, 1, 0) == 1, first != UInt8(ascii: "{") {
            throw OutputFailure(path, "the file is not a manifest of imagetool thumb")
        }
        let bytes = try Self.readAll(descriptor, path)
        var entries: [String: [Entry]] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            var reader = JSONReader(Array(line))
            guard let (input, entry) = (try? reader.document()).flatMap(Self.entry) else { continue }
            // A later line for an output describes the content that the file has now.
            entries[input, default: []].removeAll { $0.output == entry.output }
            entries[input, default: []].append(entry)
        }
        self.entries = entries
        // Terminate a line that the last run left incomplete; otherwise the next line would be appended to it.
        if !isReadOnly, let last = bytes.last, last != UInt8(ascii: "\n") { try write("\n") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// For each recipe, the output path of an input whose manifest line is up to date and whose output exists;
    /// otherwise `nil`, and the input must be processed.
    func outputs(of input: String) -> [String?] {
        guard let lines = entries[input], let facts = FileFacts(path: input) else {
            return recipes.map { _ in nil }
        }
        return recipes.map { recipe in
            lines.last { $0.recipe == recipe && $0.facts == facts && access($0.output.cPath, F_OK) == 0 }?.output
        }
    }

    /// Appends a line for an output that is complete and has its final name.
    ///
    /// - Parameters:
    ///   - facts: File attributes of the input, read before its content.
    ///   - recipe: Index of the recipe.
    func append(_ input: String, _ facts: FileFacts, recipe: Int, output: String) throws(OutputFailure) {
        try write(
            JSON.object([
                JSON.path("input", input), ("bytes", .integer(facts.byteCount)),
                ("modified", .integer(facts.modified)), ("recipe", .string(recipes[recipe])),
                JSON.path("output", output),
            ]).text + "\n")
    }

    private func write(_ line: String) throws(OutputFailure) {
        let isWritten = Array(line.utf8).withUnsafeBytes { writeAll($0, to: descriptor) }
        guard isWritten else { throw OutputFailure(path) }
    }

    private static func readAll(_ descriptor: Int32, _ path: String) throws(OutputFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count > 0 { bytes += chunk.prefix(count) } else if errno != EINTR { throw OutputFailure(path) }
        }
    }

    private static func entry(_ value: JSON) -> (String, Entry)? {
        guard let input = value.path("input"), let bytes = value["bytes"]?.integer,
            let modified = value["modified"]?.integer, let recipe = value["recipe"]?.string,
            let output = value.path("output")
        else { return nil }
        return (input, Entry(facts: FileFacts(byteCount: bytes, modified: modified), recipe: recipe, output: output))
    }
}
