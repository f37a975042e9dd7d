#if Tool
import ArgumentParser
import PlatformImageLoader
import PlatformImageToolSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a cache command prints.
struct CacheResult {
    let text: String
    let json: JSON
    /// False makes the command exit with 1.
    var isGood = true
    /// Why the command did less than it was asked to; nil when it did all.
    var failure: String?

    /// - Parameter claim: In front of the text, with a space at its end; empty for none.
    static func amount(_ claim: String, entries: Int, bytes: Int) -> Self {
        Self(
            text: "\(claim)\(entries) \(entries == 1 ? "entry" : "entries"), \(bytes) bytes\n",
            json: .object([("entries", .integer(entries)), ("bytes", .integer(bytes))]))
    }

    /// - Parameter report: nil when there was nothing to remove from.
    static func removed(_ report: RemovalReport?) -> Self {
        .amount("removed ", entries: report?.count ?? 0, bytes: report?.bytes ?? 0)
    }
}

/// The folder that a cache command works on, and how the result is printed.
struct CacheFolder: ParsableArguments {
    @Argument(help: "Folder of a disk cache; it must exist.") var directory: String
    @Flag(help: "Print one JSON object.") var json = false

    /// Runs `body` on the cache in the folder, prints what it found, then what went wrong.
    ///
    /// - Parameter body: Gets nil for a folder that no cache has stored anything in, which stays as it is.
    /// - Throws: The exit code when there is no folder (66), when something in it could not be read or removed (74), or
    ///   when the result is not good (1).
    func use(_ body: (DiskCache?) async throws -> CacheResult) async throws {
        let output = try Output()
        let isThere = try await withReport(directory) { try hasCache(directory) }
        let cache = isThere ? DiskCache(directory: directory, createsDirectory: false) : nil
        let result = try await body(cache)
        try output.write(json ? result.json.text + "\n" : result.text)
        let faults = cache.map { $0.statistics.faults.keys.filter(\.isFailure).map(\.rawValue).sorted() } ?? []
        let reasons =
            faults.map { "\($0): something could not be read or removed" } + [result.failure].compactMap(\.self)
        for reason in reasons { printError("\(directory): io: \(reason)") }
        if !reasons.isEmpty { throw ExitCode(SystemExit.ioError.rawValue) }
        if !result.isGood { throw ExitCode(1) }
    }

    /// - Throws: `noInput` when the folder is missing, is no folder or may not be listed.
    private func hasCache(_ path: String) throws(Failure) -> Bool {
        guard let listing = opendir(path) else { throw Failure(.noInput, "noInput: \(systemMessage())") }
        closedir(listing)
        var facts = stat()
        return lstat(path + "/v1", &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }
}

extension DiskCache.Fault {
    /// Whether the command did less than it was asked to.
    fileprivate var isFailure: Bool {
        switch self {
        case .damagedEntry, .foreignObject, .directoryGone, .headTooLarge, .bodyTooLarge: false
        default: true
        }
    }
}
#endif
