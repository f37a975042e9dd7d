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
    /// - Parameter reports: Empty when the directory contains no cache; the output then states 0 entries.
    static func removed(_ reports: [RemovalReport]) -> Self {
        .amount(
            "removed ", entries: reports.reduce(0) { $0 + $1.count }, bytes: reports.reduce(0) { $0 + $1.bytes })
    }
}

/// A disk cache with the path of its directory.
struct NamedCache {
    let path: String
    let disk: DiskCache
}

/// Arguments of a cache command: the directory and the output format.
struct CacheFolder: ParsableArguments {
    @Argument(help: "Existing folder of a disk cache.") var directory: String
    @Flag(help: "Print one JSON object.") var json = false

    /// Folders of the caches below `cache.directory` of a thumbnail service, and below the folder that a loader uses by
    /// default.
    static let subfolders = ["results", "sources", "ImageCache", "DataCache"]

    /// Runs `body` with the caches in the directory, prints the result of `body`, then reports failures on stderr.
    ///
    /// - Parameter body: Receives the cache in the directory itself and those in ``subfolders``, as far as they
    ///   exist. Without any, the directory is not changed.
    /// - Throws: An exit code: 66 when the directory is missing or cannot be listed, 74 when the command did less than
    ///   requested (such as for a file that cannot be read or removed), 1 when `isSuccess` of the result is false.
    func use(_ body: ([NamedCache]) async throws -> CacheResult) async throws {
        let output = try Output()
        var paths = try await reportingFailure(directory) { try hasCache(directory) } ? [directory] : []
        for name in Self.subfolders {
            let path = (directory.hasSuffix("/") ? directory : directory + "/") + name
            if Self.containsCache(path) { paths.append(path) }
        }
        let caches = paths.map { NamedCache(path: $0, disk: DiskCache(directory: $0, createsDirectory: false)) }
        let result = try await body(caches)
        try output.write(json ? result.json.text + "\n" : result.text)
        var reasons: [String] = []
        for cache in caches {
            for fault in cache.disk.statistics.faults.keys.filter(\.isFailure).map(\.rawValue).sorted() {
                reasons.append("\(cache.path): io: \(fault): some files could not be read or removed")
            }
        }
        if let failure = result.failure { reasons.append("\(directory): io: \(failure)") }
        for reason in reasons { printError(reason) }
        if !reasons.isEmpty { throw ExitCode(SystemExit.ioError.rawValue) }
        if !result.isSuccess { throw ExitCode(1) }
    }

    /// Returns true when the directory contains the cache's `v1` folder.
    ///
    /// - Throws: `noInput` when the path is missing, is not a directory or cannot be listed.
    private func hasCache(_ path: String) throws(Failure) -> Bool {
        guard let listing = opendir(path) else { throw Failure(.noInput, "noInput: \(systemMessage())") }
        closedir(listing)
        return Self.containsCache(path)
    }

    /// Returns true when the directory contains the cache's `v1` folder; false for a path that is not a directory.
    private static func containsCache(_ path: String) -> Bool {
        var facts = stat()
        guard lstat(path + "/v1", &facts) == 0 else { return false }
        return facts.st_mode & S_IFMT == S_IFDIR
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
