import PlatformImageLoader
import PlatformImageToolSupport

/// `imagetool cache`: reports, verifies and trims a disk cache directory; loaders may use it at the same time.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Reports, verifies and trims a disk cache, even while loaders use it.",
        discussion: """
            Only files that the cache wrote are removed. A folder without a cache has no entries and is not changed. \
            For the folder of a thumbnail service (cache.directory), its caches in the folders results and sources \
            are used together; gc reduces both by the same proportion.
            """,
        subcommands: [
            CacheStatCommand.self, CacheVerifyCommand.self, CacheCollectCommand.self, CacheClearCommand.self,
            CachePurgeCommand.self,
        ])
}

/// `imagetool cache stat`: prints the number of entries and their size in bytes.
struct CacheStatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat", abstract: "Prints the number of entries and their total size in bytes.")

    @OptionGroup var folder: CacheFolder

    func run() async throws {
        try await folder.use { caches in
            for cache in caches { await cache.disk.flush() }
            let statistics = caches.map(\.disk.statistics)
            return .amount(
                "", entries: statistics.reduce(0) { $0 + $1.entries }, bytes: statistics.reduce(0) { $0 + $1.bytes })
        }
    }
}

/// `imagetool cache verify`: reads every entry completely and verifies its checksums.
struct CacheVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads every entry completely and verifies its checksums.",
        discussion: """
            Prints the number of checked, good and bad entries, and the name of each bad entry on stderr; a lookup of \
            a bad entry is a miss and removes the entry. Exit code 1 if there are bad entries. Entries that are not \
            regular files, cannot be read or have a newer format version are not checked; their number is printed on \
            stderr.
            """)

    @OptionGroup var folder: CacheFolder

    func run() async throws {
        try await folder.use { caches in
            var (checked, good, bad) = (0, 0, 0)
            for cache in caches {
                let report = await cache.disk.verify()
                for path in report.bad { printError("\(cache.path)/\(path): badEntry: a checksum or length is wrong") }
                if report.unread > 0 {
                    printError(
                        "\(cache.path): \(report.unread) entries not checked: "
                            + "not a regular file, not readable, or a newer format version"
                    )
                }
                (checked, good, bad) = (checked + report.checked, good + report.good, bad + report.bad.count)
            }
            let counts = [("checked", checked), ("good", good), ("bad", bad)]
            return CacheResult(
                text: counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ") + "\n",
                json: .object(counts.map { ($0.0, .integer($0.1)) }), isSuccess: bad == 0)
        }
    }
}

/// `imagetool cache gc`: evicts the least recently used entries until the cache is not larger than `--max-bytes`.
struct CacheCollectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc",
        abstract: "Removes the least recently used entries until the cache is not larger than --max-bytes.")

    @OptionGroup var folder: CacheFolder
    @Option(
        help: "Maximum size of the remaining entries in bytes, including their headers; units such as kB and MiB.")
    var maxBytes: ByteCount

    func validate() throws {
    }

    func run() async throws {
        try await folder.use { caches in
            for cache in caches { await cache.disk.flush() }
            let sizes = caches.map(\.disk.statistics.bytes)
            let total = sizes.reduce(0, +)
            var reports: [RemovalReport] = []
            for (cache, size) in zip(caches, sizes) {
                reports.append(await cache.disk.trim(toBytes: Self.share(of: size, total, maxBytes.bytes)))
            }
            let left = caches.reduce(0) { $0 + $1.disk.statistics.bytes }
            var result = CacheResult.removed(reports)
            if left > maxBytes.bytes {
                result.failure = "\(left) bytes remain, more than --max-bytes; another process may be evicting entries"
            }
            return result
        }
    }

    /// Returns the size to which one of several caches is reduced, so that their total is at most `maxBytes`.
    static func share(of size: Int, _ total: Int, _ maxBytes: Int) -> Int {
        guard total > maxBytes, total > size else { return maxBytes }
        let product = UInt(max(0, size)).multipliedFullWidth(by: UInt(max(0, maxBytes)))
        return Int(clamping: UInt(max(1, total)).dividingFullWidth(product).quotient)
    }
}

/// `imagetool cache clear`: removes entries that are older than a number of seconds. An option selects whether the age
/// counts from the last use or from the time when the entry was stored.
struct CacheClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Removes entries that were last used, or stored, more than the given number of seconds ago.")

    @OptionGroup var folder: CacheFolder
    @Option(help: "Remove entries that were not used for this many seconds.") var modifiedOlderThan: Int?
    @Option(help: "Remove entries that were stored more than this many seconds ago.") var createdOlderThan: Int?

    func validate() throws {
        guard (modifiedOlderThan == nil) != (createdOlderThan == nil) else {
            throw ValidationError("Exactly one of --modified-older-than and --created-older-than is required.")
        }
        if (modifiedOlderThan ?? createdOlderThan ?? 0) < 0 {
            throw ValidationError("--modified-older-than and --created-older-than must be 0 seconds or more.")
        }
    }

    func run() async throws {
        try await folder.use { caches in
            var reports: [RemovalReport] = []
            for cache in caches {
                if let modifiedOlderThan {
                    reports.append(await cache.disk.clear(modifiedOlderThan: .seconds(modifiedOlderThan)))
                } else {
                    reports.append(await cache.disk.clear(createdOlderThan: .seconds(createdOlderThan ?? 0)))
                }
            }
            return .removed(reports)
        }
    }
}

/// `imagetool cache purge`: removes all entries of the cache, and no files of other programs.
struct CachePurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "purge", abstract: "Removes all entries.")

    @OptionGroup var folder: CacheFolder

    func run() async throws {
        try await folder.use { caches in
            var reports: [RemovalReport] = []
            for cache in caches { reports.append(await cache.disk.purge()) }
            return .removed(reports)
        }
    }
}
