import PlatformImageLoader
import PlatformImageToolSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Output of a cache command, as text and as JSON.
struct CacheResult {
    let text: String
    let json: JSON
    /// False when the command must exit with 1.
    var isSuccess = true
    /// Reason why the command did less than requested; `nil` when it did everything.
    var failure: String?

    /// Returns the output for a number of entries and their size in bytes.
    ///
    /// - Parameter claim: Prefix of the text, including a trailing space; may be empty.
    static func amount(_ claim: String, entries: Int, bytes: Int) -> Self {
        Self(
            text: "\(claim)\(entries) \(entries == 1 ? "entry" : "entries"), \(bytes) bytes\n",
            json: .object([("entries", .integer(entries)), ("bytes", .integer(bytes))]))
    }

    /// Returns the output for the entries that a command removed.
    ///
    /// - Parameter report: `nil` when the directory contains no cache; the output then states 0 entries.
    static func removed(_ report: RemovalReport?) -> Self {
        .amount("removed ", entries: report?.count ?? 0, bytes: report?.bytes ?? 0)
    }
}

/// Arguments of a cache command: the directory and the output format.
struct CacheFolder: ParsableArguments {
    @Argument(help: "Existing folder of a disk cache.") var directory: String
    @Flag(help: "Print one JSON object.") var json = false

    /// Runs `body` with the cache in the directory, prints the result of `body`, then reports failures on stderr.
    ///
    /// - Parameter body: Receives `nil` when no cache has stored anything in the directory; the directory is then not
    ///   changed.
    /// - Throws: An exit code: 66 when the directory is missing or cannot be listed, 74 when the command did less than
    ///   requested (such as for a file that cannot be read or removed), 1 when `isSuccess` of the result is false.
    func use(_ body: (DiskCache?) async throws -> CacheResult) async throws {
        let output = try Output()
        let cacheExists = try await reportingFailure(directory) { try hasCache(directory) }
        let cache = cacheExists ? DiskCache(directory: directory, createsDirectory: false) : nil
        let result = try await body(cache)
        try output.write(json ? result.json.text + "\n" : result.text)
        let faults = cache.map { $0.statistics.faults.keys.filter(\.isFailure).map(\.rawValue).sorted() } ?? []
        let reasons =
            faults.map { "\($0): some files could not be read or removed" } + [result.failure].compactMap(\.self)
        for reason in reasons { printError("\(directory): io: \(reason)") }
        if !reasons.isEmpty { throw ExitCode(SystemExit.ioError.rawValue) }
        if !result.isSuccess { throw ExitCode(1) }
    }

    /// Returns true when the directory contains the cache's `v1` folder.
    ///
    /// - Throws: `noInput` when the path is missing, is not a directory or cannot be listed.
    private func hasCache(_ path: String) throws(Failure) -> Bool {
        guard let listing = opendir(path) else { throw Failure(.noInput, "noInput: \(systemMessage())") }
        closedir(listing)
        var facts = stat()
        return lstat(path + "/v1", &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }
}

extension DiskCache.Fault {
    /// True when the fault means that the command did less than requested.
    fileprivate var isFailure: Bool {
        switch self {
        case .damagedEntry, .foreignObject, .directoryGone, .headerTooLarge, .bodyTooLarge: false
        default: true
        }
    }
}
