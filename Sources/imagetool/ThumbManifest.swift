import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file with a line for each thumbnail that was made: a run that is started again makes only those that are missing,
/// changed or made otherwise.
final class ThumbManifest {
    /// What an input was when its thumbnail was made.
    private struct Entry: Equatable {
        let byteCount: Int
        let modified: Int  // nanoseconds since 1970
        let recipe: String
        let output: String
    }

    private let path: String
    private let recipe: String
    private let descriptor: Int32
    private var entries: [String: Entry] = [:]

    /// Reads what is there; a line that was cut short, or is none of ours, counts for nothing.
    ///
    /// - Parameter recipe: Equal for runs that make equal files.
    init(path: String, recipe: String) throws(OutputFailure) {
        self.path = path
        self.recipe = recipe
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw OutputFailure(path) }
        let bytes = readAll()
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            var reader = JSONReader(Array(line))
            if let (input, entry) = (try? reader.document()).flatMap(Self.entry) { entries[input] = entry }
        }
        // What the last run could not end is ended here, or the next line would be part of it.
        if let last = bytes.last, last != UInt8(ascii: "\n") { try append("\n") }
    }

    deinit { close(descriptor) }

    /// The output of an input that is as it was when that was made and still there; nil when there is work to do.
    func output(of input: String) -> String? {
        guard let entry = entries[input], entry.recipe == recipe, let facts = Self.facts(of: input),
            facts.byteCount == entry.byteCount, facts.modified == entry.modified, access(entry.output, F_OK) == 0
        else { return nil }
        return entry.output
    }

    /// Notes that an output is whole and has its name.
    func note(_ input: String, output: String) throws(OutputFailure) {
        guard let facts = Self.facts(of: input) else { return }
        try append(
            JSON.object([
                ("input", .string(input)), ("bytes", .integer(facts.byteCount)),
                ("modified", .integer(facts.modified)), ("recipe", .string(recipe)), ("output", .string(output)),
            ]).text + "\n")
    }

    private func append(_ line: String) throws(OutputFailure) {
        let isWritten = Array(line.utf8).withUnsafeBytes { writeAll($0, to: descriptor) }
        guard isWritten else { throw OutputFailure(path) }
    }

    private func readAll() -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count > 0 { bytes += chunk.prefix(count) } else if count == 0 || errno != EINTR { return bytes }
        }
    }

    private static func entry(_ value: JSON) -> (String, Entry)? {
        guard let input = value["input"]?.string, let bytes = value["bytes"]?.integer,
            let modified = value["modified"]?.integer, let recipe = value["recipe"]?.string,
            let output = value["output"]?.string
        else { return nil }
        return (input, Entry(byteCount: bytes, modified: modified, recipe: recipe, output: output))
    }

    private static func facts(of path: String) -> (byteCount: Int, modified: Int)? {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        #if canImport(Darwin)
        let time = facts.st_mtimespec
        #else
        let time = facts.st_mtim
        #endif
        return (Int(facts.st_size), Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec))
    }
}
