import Foundation
import PlatformImageLoader
import PlatformImageTestSupport
import Testing

@Suite struct CacheCommandTests {
    @Test func statReportsTheNumberOfEntriesAndBytes() async throws {
        let folder = try await CacheInFolder(entries: 3)

        let text = try ToolRun("cache", "stat", folder.path)
        let json = try ToolRun("cache", "stat", folder.path, "--json")

        #expect(text.exitCode == 0)
        #expect(text.text == "3 entries, \(folder.bytes) bytes\n")
        #expect(json.text == "{\"entries\":3,\"bytes\":\(folder.bytes)}\n")
    }

    @Test func purgeRemovesOnlyCacheEntries() async throws {
        let folder = try await CacheInFolder(entries: 3)
        let junk = try folder.addUnrelatedFiles()

        let run = try ToolRun("cache", "purge", folder.path, "--json")

        #expect(run.exitCode == 0)
        #expect(run.text == "{\"entries\":3,\"bytes\":\(folder.bytes)}\n")
        #expect(try folder.files() == junk)
        #expect(try ToolRun("cache", "stat", folder.path).text == "0 entries, 0 bytes\n")
    }

    @Test func commandsUseBothCachesOfAService() async throws {
        let folder = try TemporaryFolder()
        var bytes: [Int] = []
        for (name, entries) in [("results", 3), ("sources", 2)] {
            let filled = try await CacheInFolder(entries: entries)
            bytes.append(filled.bytes)
            try FileManager.default.copyItem(atPath: filled.path, toPath: folder.path(name))
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path(name))
        }
        let total = bytes.reduce(0, +)

        #expect(try ToolRun("cache", "stat", folder.path).text == "5 entries, \(total) bytes\n")
        #expect(try ToolRun("cache", "verify", folder.path).text == "checked 5, good 5, bad 0\n")
        let trimmed = try ToolRun("cache", "gc", "--max-bytes", "\(total * 3 / 4)", folder.path)
        #expect(trimmed.exitCode == 0)
        for name in ["results", "sources"] {
            let text = try ToolRun("cache", "stat", folder.path(name)).text
            #expect(!text.hasPrefix("0 ") && !text.hasPrefix(name == "results" ? "3 " : "2 "), "\(text)")
        }
        #expect(try ToolRun("cache", "purge", folder.path).text.hasPrefix("removed "))
        #expect(try ToolRun("cache", "stat", folder.path).text == "0 entries, 0 bytes\n")
        #expect(try ToolRun("cache", "stat", folder.path("results")).text == "0 entries, 0 bytes\n")
    }

    @Test func commandsUseTheCacheInTheDefaultFolderOfALoader() async throws {
        let folder = try TemporaryFolder()
        let filled = try await CacheInFolder(entries: 3)
        try FileManager.default.copyItem(atPath: filled.path, toPath: folder.path("ImageCache"))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path("ImageCache"))

        #expect(try ToolRun("cache", "stat", folder.path).text == "3 entries, \(filled.bytes) bytes\n")
    }

    @Test func clearByModifiedDateRemovesOlderEntries() async throws {
        let folder = try await CacheInFolder(entries: 4)
        try folder.setModified(secondsAgo: 7_200, of: [0, 2])

        let none = try ToolRun("cache", "clear", "--modified-older-than", "86400", folder.path, "--json")
        let two = try ToolRun("cache", "clear", "--modified-older-than", "3600", folder.path)

        #expect(none.text == "{\"entries\":0,\"bytes\":0}\n")
        #expect(two.exitCode == 0)
        #expect(two.text == "removed 2 entries, \(folder.lengths[0] + folder.lengths[2]) bytes\n")
        #expect(folder.readable() == [1, 3])
    }

    @Test func clearByCreatedDateRemovesOlderEntries() async throws {
        let folder = try await CacheInFolder(entries: 4, createdSecondsAgo: [0, 90_000, 0, 200_000])
        try folder.setModified(secondsAgo: 500_000, of: [0, 2])

        let one = try ToolRun("cache", "clear", "--created-older-than", "100000", folder.path)
        let other = try ToolRun("cache", "clear", "--created-older-than", "80000", folder.path, "--json")

        #expect(one.text == "removed 1 entry, \(folder.lengths[3]) bytes\n")
        #expect(other.text == "{\"entries\":1,\"bytes\":\(folder.lengths[1])}\n")
        #expect(folder.readable() == [0, 2])
    }

    @Test func gcEvictsLeastRecentlyUsedEntriesUntilTheLimitIsMet() async throws {
        let folder = try await CacheInFolder(entries: 5)
        for number in 0..<5 { try folder.setModified(secondsAgo: 1_000 - 100 * number, of: [number]) }

        let nothing = try ToolRun("cache", "gc", "--max-bytes", String(folder.bytes), folder.path, "--json")
        let some = try ToolRun("cache", "gc", "--max-bytes", String(folder.bytes - 1), folder.path, "--json")
        let more = try ToolRun("cache", "gc", "--max-bytes", String(folder.lengths[4]), folder.path, "--json")

        #expect(nothing.text == "{\"entries\":0,\"bytes\":0}\n")
        #expect(some.text == "{\"entries\":1,\"bytes\":\(folder.lengths[0])}\n")
        #expect(more.text == "{\"entries\":3,\"bytes\":\(folder.lengths[1...3].reduce(0, +))}\n")
        #expect(folder.readable() == [4])
        #expect([nothing, some, more].allSatisfy { $0.exitCode == 0 })
    }

    @Test func verifyOfAnIntactCacheReportsNoDamagedEntry() async throws {
        let folder = try await CacheInFolder(entries: 3)

        let text = try ToolRun("cache", "verify", folder.path)
        let json = try ToolRun("cache", "verify", folder.path, "--json")

        #expect(text.exitCode == 0)
        #expect(text.text == "checked 3, good 3, bad 0\n")
        #expect(json.text == "{\"checked\":3,\"good\":3,\"bad\":0}\n")
        #expect(text.errors.isEmpty)
    }

    @Test func verifyReportsTheNumberOfUncheckedFiles() async throws {
        let folder = try await CacheInFolder(entries: 3)
        try folder.addUnrelatedFiles()

        let run = try ToolRun("cache", "verify", folder.path)

        #expect(run.exitCode == 0)
        #expect(run.text == "checked 3, good 3, bad 0\n")
        // A symbolic link, a FIFO and a folder have the names of entries but are not regular files.
        #expect(run.errors.hasPrefix("\(folder.path): 3 entries not checked: "))
    }

    @Test(arguments: ["flipped", "cut", "longer"])
    func verifyOfADamagedEntryReportsItExitsWith1AndKeepsTheFile(_ damage: String) async throws {
        let folder = try await CacheInFolder(entries: 3)
        let path = folder.path(of: 1)
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        switch damage {
        case "flipped": bytes[bytes.count - 1] ^= 1
        case "cut": bytes.removeLast()
        default: bytes.append(0)
        }
        try Data(bytes).write(to: URL(filePath: path))

        let run = try ToolRun("cache", "verify", folder.path, "--json")

        #expect(run.exitCode == 1)
        #expect(run.text == "{\"checked\":3,\"good\":2,\"bad\":1}\n")
        #expect(run.errors.hasPrefix("\(path): badEntry: "))
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect([UInt8](try Data(contentsOf: URL(filePath: path))) == bytes)
    }

    @Test func purgeWithoutWritePermissionPrintsTheResultAndExitsWith74() async throws {
        let folder = try await CacheInFolder(entries: 2)
        // Root ignores write permissions, so root runs the tool as another user.
        let tool = "chmod -R a+rX,a-w \"$DIR\"; " + (getuid() == 0 ? "setpriv --reuid 65534 --clear-groups " : "")

        let counted = try ToolRun(shell: "DIR='\(folder.path)'; \(tool)\"$TOOL\" cache stat \"$DIR\"")
        let purged = try ToolRun(shell: "DIR='\(folder.path)'; \(tool)\"$TOOL\" cache purge \"$DIR\"")

        #expect(counted.exitCode == 0)
        #expect(counted.text == "2 entries, \(folder.bytes) bytes\n")
        #expect(purged.exitCode == 74)
        #expect(purged.text == "removed 0 entries, 0 bytes\n")
        #expect(purged.errors == "\(folder.path): io: noPermission: some files could not be read or removed\n")
        _ = try ToolRun(shell: "chmod -R u+w '\(folder.path)'")
    }

    @Test(arguments: commands)
    func missingCacheFolderExitsWith66AndIsNotCreated(_ arguments: [String]) throws {
        let folder = try TemporaryFolder()

        let run = try ToolRun(["cache"] + arguments + [folder.path("none")])

        #expect(run.exitCode == 66)
        #expect(run.errors.hasPrefix("\(folder.path("none")): noInput: "))
        #expect(run.output.isEmpty)
        #expect(try folder.names.isEmpty)
    }

    @Test(arguments: commands)
    func fileInsteadOfACacheFolderExitsWith66(_ arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write([1, 2, 3], to: "file")

        let run = try ToolRun(["cache"] + arguments + [file])

        #expect(run.exitCode == 66)
        #expect(run.errors.hasPrefix("\(file): noInput: "))
        #expect(try folder.read("file") == [1, 2, 3])
    }

    @Test(arguments: commands)
    func folderWithoutCacheEntriesReportsZeroEntriesAndIsUnchanged(_ arguments: [String]) throws {
        let folder = try TemporaryFolder()
        try folder.write([1], to: "picture.png")
        try folder.write([2], to: String(repeating: "a", count: 62))

        let run = try ToolRun(["cache"] + arguments + [folder.path, "--json"])

        #expect(run.exitCode == 0)
        #expect(run.text.hasPrefix(arguments == ["verify"] ? "{\"checked\":0," : "{\"entries\":0,\"bytes\":0}"))
        #expect(try folder.names == [String(repeating: "a", count: 62), "picture.png"])
    }

    @Test(arguments: commands)
    func filesThatAreNotCacheEntriesAreNotRemoved(_ arguments: [String]) async throws {
        let folder = try await CacheInFolder(entries: 2)
        let junk = try folder.addUnrelatedFiles()

        let run = try ToolRun(["cache"] + arguments + [folder.path])

        #expect(run.exitCode == 0)
        #expect(Set(try folder.files()).isSuperset(of: junk))
    }

    @Test(arguments: [
        ["cache"], ["cache", "stat"], ["cache", "gc", "."], ["cache", "gc", "--max-bytes", "-1", "."],
        ["cache", "clear", "."], ["cache", "clear", "--modified-older-than", "-1", "."],
        ["cache", "clear", "--modified-older-than", "1", "--created-older-than", "1", "."], ["cache", "empty", "."],
    ])
    func invalidCacheArgumentsExitWith64(_ arguments: [String]) throws {
        // Without a subcommand the tool prints the help and exits with 0.
        #expect(try ToolRun(arguments).exitCode == (arguments.count == 1 ? 0 : 64))
    }
}

/// One example of each command; the test appends the folder.
private let commands = [
    ["stat"], ["verify"], ["gc", "--max-bytes", "0"], ["clear", "--modified-older-than", "0"],
    ["clear", "--created-older-than", "0"], ["purge"],
]

/// A cache that this process filled, for use by the tool in another process.
private final class CacheInFolder {
    private let folder: TemporaryFolder
    private let keys: [CacheKey]
    /// The relative path of each entry's file.
    private var names: [String] = []
    /// Length of each entry's file, in bytes.
    private(set) var lengths: [Int] = []

    var path: String { folder.path }
    var bytes: Int { lengths.reduce(0, +) }

    init(entries: Int, createdSecondsAgo ages: [Int64] = []) async throws {
        folder = try TemporaryFolder()
        keys = (0..<entries).compactMap { CacheKey(url: "http://host.example/\($0).png") }
        let cache = DiskCache(directory: folder.path)
        for (number, key) in keys.enumerated() {
            let time = WallTime.now.adding(milliseconds: -1000 * (ages.isEmpty ? 0 : ages[number]))
            let response = StoredResponse(
                status: 200, fields: ["Content-Type": "image/png"], requestTime: time, responseTime: time,
                createdAt: time)
            let before = Set(try files())
            try #require(
                cache.store(
                    CacheEntry(key: key, response: response),
                    body: [UInt8](repeating: UInt8(number), count: 100 * (number + 1))))
            let name = try #require(Set(try files()).subtracting(before).first)
            names.append(name)
            lengths.append(try Data(contentsOf: folder.url.appending(path: name)).count)
        }
        await cache.flush()
    }

    func path(of number: Int) -> String { folder.path(names[number]) }

    /// The numbers of the entries that are still readable.
    func readable() -> [Int] {
        let cache = DiskCache(directory: folder.path)
        return keys.indices.filter { cache.header(keys[$0]) != nil }
    }

    func setModified(secondsAgo: Int, of numbers: [Int]) throws {
        let date = Date(timeIntervalSinceNow: -TimeInterval(secondsAgo))
        for number in numbers {
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path(of: number))
        }
    }

    /// All files below the folder except the lock file, sorted.
    func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
            return attributes[.type] as? FileAttributeType != .typeDirectory && name != "sweep.lock"
        }.sorted()
    }

    /// Adds files that are not cache entries, some of them with names of entries.
    ///
    /// - Returns: Their names in the format of ``files()``.
    @discardableResult
    func addUnrelatedFiles() throws -> [String] {
        let shard = String(names[0].dropLast(62))
        let entry = { (digit: String) in shard + String(repeating: digit, count: 62) }
        let outside = try folder.write([1, 2, 3], to: "notes.txt")
        try folder.write([1], to: "v1/notes.txt")
        try folder.write([2], to: shard + "README")
        try folder.write([3], to: entry("A"))
        try folder.write([4], to: entry("1") + ".123.tmp")
        try FileManager.default.createSymbolicLink(atPath: folder.path(entry("b")), withDestinationPath: outside)
        try #require(mkfifo(folder.path(entry("c")), 0o600) == 0)
        try FileManager.default.createDirectory(atPath: folder.path(entry("d")), withIntermediateDirectories: false)
        try folder.write([5], to: entry("d") + "/inside")
        return try files().filter { !names.contains($0) }
    }
}
