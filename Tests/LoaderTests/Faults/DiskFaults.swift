#if Loader && os(Linux)
import Testing

@testable import PlatformImageDiskCacheProbe
@testable import PlatformImageLoader

/// Injects the faults of Docs/http-cache.md 8: the cache may lose entries, but never returns a wrong one.
///
/// One at a time, so that their processes do not starve each other and the other suites.
@Suite(.serialized) enum DiskFaults {}

extension DiskFaults {
    /// Stores entries of a version, each of which must succeed.
    static func store(_ numbers: Range<Int>, version: Int, in cache: DiskCache) {
        for number in numbers {
            #expect(cache.store(Oracle.entry(number, version: version), body: Oracle.body(number, version: version)))
        }
    }

    /// Asks for entries and judges what comes.
    ///
    /// - Returns: The numbers of those that answered.
    @discardableResult
    static func ask(_ numbers: Range<Int>, of cache: DiskCache) -> [Int] {
        numbers.filter { number in
            guard let hit = cache.read(Oracle.key(number)) else { return false }
            #expect(Oracle.judge(number, hit.entry, hit.body) != nil, "entry \(number) is no pair that was stored")
            return true
        }
    }

    /// After every entry has been asked for, nothing bad and no unnamed file may be left.
    static func expectSound(_ folder: FaultFolder, _ numbers: Range<Int>) async -> [Int] {
        let cache = DiskCache(directory: folder.path)
        let kept = ask(numbers, of: cache)
        await cache.flush()
        let verification = await cache.verify()
        #expect(verification.bad == [])
        #expect(verification.unread == 0)
        #expect(folder.temporaryFiles == [])
        return kept
    }

    /// Runs a probe, which must end well, and gives its lines.
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

    /// The number behind a word in the lines of a probe.
    static func number(_ word: String, in lines: [String]) -> Int? {
        lines.last { $0.hasPrefix(word + " ") }?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    static func start(_ folder: FaultFolder, _ command: Command, _ numbers: Int...) throws -> Probe {
        try Probe([folder.path, command.rawValue] + numbers.map(String.init))
    }
}
#endif
