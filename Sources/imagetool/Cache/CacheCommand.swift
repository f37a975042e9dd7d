#if Tool
import ArgumentParser
import PlatformImageLoader
import PlatformImageToolSupport

/// `imagetool cache`: reports, verifies and trims a disk cache directory; loaders may use it at the same time.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Counts, checks and shrinks the folder of a disk cache, while loaders use it or not.",
        discussion: """
            Only files that the cache wrote are ever removed; anything else in the folder stays. A folder with no \
            cache in it has no entries, and nothing is made in it.
            """,
        subcommands: [
            CacheStatCommand.self, CacheVerifyCommand.self, CacheCollectCommand.self, CacheClearCommand.self,
            CachePurgeCommand.self,
        ])
}

/// `imagetool cache stat`: prints the number of entries and their size in bytes.
struct CacheStatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "stat", abstract: "Prints entries and bytes.")

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
        abstract: "Reads every entry whole and prints how many were checked, good and bad.",
        discussion: """
            The name of each bad one goes to stderr; a cache that is asked for it misses and removes it. Exit code 1 \
            when there is any. What is no file, cannot be read or has a later format version is not checked; how \
            many there are is said on stderr.
            """)

    @OptionGroup var folder: CacheFolder

    func run() async throws {
        try await folder.use { cache in
            let report = await cache?.verify()
            let bad = report?.bad ?? []
            for path in bad { printError("\(folder.directory)/\(path): badEntry: a checksum or length is wrong") }
            if let unread = report?.unread, unread > 0 {
                printError("\(folder.directory): \(unread) not checked: no file, not readable, or of a later version")
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

/// `imagetool cache gc`: evicts the least recently used entries until a byte limit is met.
struct CacheCollectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc", abstract: "Removes the entries not used for longest until a limit is met.")

    @OptionGroup var folder: CacheFolder
    @Option(help: "Bytes that may stay, heads of entries included.") var maxBytes: Int

    func validate() throws {
        if maxBytes < 0 { throw ValidationError("--max-bytes must be at least 0.") }
    }

    func run() async throws {
        try await folder.use { cache in
            let report = await cache?.trim(toBytes: maxBytes)
            let left = cache?.statistics.bytes ?? 0
            var result = CacheResult.removed(report)
            if left > maxBytes { result.failure = "\(left) bytes stay, perhaps because another process is sweeping" }
            return result
        }
    }
}

/// `imagetool cache clear`: removes entries by age.
struct CacheClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Removes entries by age: since they were last used, or since they were stored.")

    @OptionGroup var folder: CacheFolder
    @Option(help: "Seconds: entries not used since go.") var modifiedOlderThan: Int?
    @Option(help: "Seconds: entries stored before go.") var createdOlderThan: Int?

    func validate() throws {
        guard (modifiedOlderThan == nil) != (createdOlderThan == nil) else {
            throw ValidationError("Give one of --modified-older-than and --created-older-than.")
        }
        if (modifiedOlderThan ?? createdOlderThan ?? 0) < 0 { throw ValidationError("An age is at least 0 seconds.") }
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

/// `imagetool cache purge`: removes all entries of the cache; foreign files stay.
struct CachePurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "purge", abstract: "Removes every entry.")

    @OptionGroup var folder: CacheFolder

    func run() async throws {
        try await folder.use { await .removed($0?.purge()) }
    }
}
#endif
