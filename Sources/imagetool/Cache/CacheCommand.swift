import PlatformImageLoader
import PlatformImageToolSupport

/// `imagetool cache`: reports, verifies and trims a disk cache directory; loaders may use it at the same time.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Reports, verifies and trims a disk cache, even while loaders use it.",
        discussion: """
            Only files that the cache wrote are removed. A folder without a cache has no entries and is not changed.
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
        try await folder.use { cache in
            await cache?.flush()
            let statistics = cache?.statistics
            return .amount("", entries: statistics?.entries ?? 0, bytes: statistics?.bytes ?? 0)
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
        try await folder.use { cache in
            let report = await cache?.verify()
            let bad = report?.bad ?? []
            for path in bad { printError("\(folder.directory)/\(path): badEntry: a checksum or length is wrong") }
            if let unread = report?.unread, unread > 0 {
                printError(
                    "\(folder.directory): \(unread) entries not checked: "
                        + "not a regular file, not readable, or a newer format version"
                )
            }
            let counts = [
                ("checked", report?.checked ?? 0), ("good", report?.good ?? 0), ("bad", bad.count),
            ]
            return CacheResult(
                text: counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ") + "\n",
                json: .object(counts.map { ($0.0, .integer($0.1)) }), isSuccess: bad.isEmpty)
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
        try await folder.use { cache in
            let report = await cache?.trim(toBytes: maxBytes.bytes)
            let left = cache?.statistics.bytes ?? 0
            var result = CacheResult.removed(report)
            if left > maxBytes.bytes {
                result.failure = "\(left) bytes remain, more than --max-bytes; another process may be evicting entries"
            }
            return result
        }
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
        try await folder.use { cache in
            if let modifiedOlderThan {
                return await .removed(cache?.clear(modifiedOlderThan: .seconds(modifiedOlderThan)))
            }
            return await .removed(cache?.clear(createdOlderThan: .seconds(createdOlderThan ?? 0)))
        }
    }
}

/// `imagetool cache purge`: removes all entries of the cache, and no files of other programs.
struct CachePurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "purge", abstract: "Removes all entries.")

    @OptionGroup var folder: CacheFolder

    func run() async throws {
        try await folder.use { await .removed($0?.purge()) }
    }
}
