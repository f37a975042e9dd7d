#if Tool
import ArgumentParser
import PlatformImageLoader

/// `imagetool cache verify`: reads every entry whole and compares its checksums.
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
                json: .object(counts.map { ($0.0, .integer($0.1)) }), isGood: bad.isEmpty)
        }
    }
}
#endif
