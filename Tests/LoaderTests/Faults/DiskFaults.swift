#if os(Linux)
import Testing

@testable import PlatformImageDiskCacheProbe
@testable import PlatformImageLoader

/// Injects the faults of Docs/http-cache.md 8: the cache may lose entries, but a read never returns a wrong entry.
///
/// Serialized, so that the processes do not compete with each other and with other suites for CPU time.
@Suite(.serialized) enum DiskFaults {}

extension DiskFaults {
    /// Stores entries of a version; every store must succeed.
    static func store(_ numbers: Range<Int>, version: Int, in cache: DiskCache) {
        for number in numbers {
            #expect(cache.store(Oracle.entry(number, version: version), body: Oracle.body(number, version: version)))
        }
    }

    /// Reads entries and checks that each hit is a pair of header and body that was stored.
    ///
    /// - Returns: The numbers of the hits.
    @discardableResult
    static func readAndCheck(_ numbers: Range<Int>, of cache: DiskCache) -> [Int] {
        numbers.filter { number in
            guard let hit = cache.read(Oracle.key(number)) else { return false }
            #expect(
                Oracle.version(of: number, hit.entry, hit.body) != nil,
                "the header and body of entry \(number) were not stored together")
            return true
        }
    }

    /// Reads every entry; afterwards no damaged entry and no temporary file may remain.
    ///
    /// - Returns: The numbers of the hits.
    static func expectSound(_ folder: FaultFolder, _ numbers: Range<Int>) async -> [Int] {
        let cache = DiskCache(directory: folder.path)
        let kept = readAndCheck(numbers, of: cache)
        await cache.flush()
        let verification = await cache.verify()
        #expect(verification.bad == [])
        #expect(verification.unread == 0)
        #expect(folder.temporaryFiles == [])
        return kept
    }

    /// Runs a probe, which must exit with status 0, and returns the lines of its output.
    static func run(
        _ folder: FaultFolder, _ command: Command, _ numbers: Int..., environment: [String: String] = [:],
        launcher: [String] = []
    ) async throws -> [String] {
        let words = [folder.path, command.rawValue] + numbers.map(String.init)
        let (status, lines) = try await offPool {
            try Probe.run(words, environment: environment, launcher: launcher)
        }
        #expect(status == 0, "\(command) ended with \(status): \(lines.suffix(2))")
        return lines
    }

    /// The number after `word` in the last line of a probe's output that begins with `word`.
    static func number(_ word: String, in lines: [String]) -> Int? {
        lines.last { $0.hasPrefix(word + " ") }?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    static func start(_ folder: FaultFolder, _ command: Command, _ numbers: Int...) throws -> Probe {
        try Probe([folder.path, command.rawValue] + numbers.map(String.init))
    }
}
#endif
