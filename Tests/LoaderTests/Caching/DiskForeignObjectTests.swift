import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file system object in place of an entry or a shard.
enum ForeignObject: CaseIterable {
    case fifo, socket, linkToAFile, danglingLink, linkLoop, directory, fullDirectory

    private static func unixSocket() -> Int32 {
        #if canImport(Glibc)
        Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #elseif canImport(Musl)
        Musl.socket(AF_UNIX, Int32(SOCK_STREAM), 0)
        #else
        Darwin.socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
    }

    func make(at path: String, beside target: String) throws {
        switch self {
        case .fifo: #expect(mkfifo(path, 0o600) == 0)
        case .socket:
            // The path of a socket has at most 108 bytes, so it is created in /tmp and moved.
            let short = "/tmp/s\(UInt32.random(in: 0 ... .max))"
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: short.utf8) }
            let descriptor = Self.unixSocket()
            defer { close(descriptor) }
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(result == 0)
            #expect(rename(short, path) == 0)
        case .linkToAFile: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        case .danglingLink: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "nowhere")
        case .linkLoop: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        case .directory: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .fullDirectory:
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try Data([1]).write(to: URL(fileURLWithPath: path + "/file"))
        }
    }
}

struct DiskForeignObjectTests {
    private let folder: DiskFolder
    private let key = diskKey("a.png")

    init() throws { folder = try DiskFolder() }

    @Test(.requirement("O47"), arguments: ForeignObject.allCases)
    func foreignObjectInPlaceOfAnEntryIsAMissAndIsNotRemoved(_ object: ForeignObject) async throws {
        let cache = folder.cache()
        let path = folder.file(of: key)
        cache.store(diskEntry(key), body: [1])
        // Wait for the first scan before the file is moved, so that the last `flush()` of this test scans the folder
        // again.
        await cache.flush()
        let target = folder.path + "/saved"
        try FileManager.default.moveItem(atPath: path, toPath: target)
        try object.make(at: path, beside: target)
        let before = try DiskStatus(in: AT_FDCWD, name: path.utf8.map { CChar(bitPattern: $0) } + [0]).identity

        #expect(cache.read(key) == nil)
        #expect(cache.header(key) == nil)
        cache.store(diskEntry(key, version: 1), body: [2])
        #expect(cache.read(key) == nil)
        cache.remove(key)
        _ = await cache.clear(modifiedOlderThan: .seconds(-1))
        _ = await cache.clear(createdOlderThan: .seconds(-1_000_000_000))
        #expect(await cache.purge() == RemovalReport())
        #expect(await cache.verify().checked == 0)
        await cache.flush()

        #expect(cache.statistics.entries == 0)
        let after = try DiskStatus(in: AT_FDCWD, name: path.utf8.map { CChar(bitPattern: $0) } + [0]).identity
        #expect(before == after)
        #expect(FileManager.default.fileExists(atPath: target))
    }

    @Test(arguments: ForeignObject.allCases.filter { $0 != .directory && $0 != .fullDirectory })
    func foreignObjectInPlaceOfAShardFolderDisablesOnlyThatShard(_ object: ForeignObject) async throws {
        let shard = String(folder.file(of: key).dropLast(63))
        let elsewhere = folder.path + "/elsewhere"
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: folder.path + "/v1", withIntermediateDirectories: true)
        try object.make(at: shard, beside: elsewhere)
        let cache = folder.cache()

        #expect(!cache.store(diskEntry(key), body: [1]))
        #expect(cache.read(key) == nil)
        let others = (0..<50).map { diskKey("\($0)") }.filter { DiskName($0.bytes).shard != DiskName(key.bytes).shard }
        for other in others { #expect(cache.store(diskEntry(other), body: diskBody(other))) }
        for other in others { #expect(cache.read(other)?.body == diskBody(other)) }
        #expect(await cache.purge().count == others.count)
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
    }

    @Test(arguments: ForeignObject.allCases.filter { $0 != .directory && $0 != .fullDirectory && $0 != .linkToAFile })
    func foreignObjectInPlaceOfTheCacheFolderDisablesStoringUntilItIsRemoved(_ object: ForeignObject) throws {
        let clock = TestClock()
        let path = folder.path + "/cache"
        try object.make(at: path, beside: folder.path)
        let cache = DiskCache(directory: path, now: { clock.now })

        #expect(!cache.store(diskEntry(key), body: [1]))
        #expect(cache.read(key) == nil)
        #expect(unlink(path) == 0)
        clock.advance(10)

        #expect(cache.store(diskEntry(key), body: [1]))
        #expect(cache.read(key)?.body == [1])
    }

    @Test(.requirement("O2")) func deletedCacheFolderIsRecreatedByTheNextStore() async throws {
        let cache = folder.cache()
        cache.store(diskEntry(key), body: [1])
        for round in 1...3 {
            try FileManager.default.removeItem(atPath: folder.path)

            #expect(cache.read(key) == nil)
            #expect(cache.store(diskEntry(key, version: round), body: [UInt8(round)]))
            #expect(cache.read(key)?.body == [UInt8(round)])
            #expect(folder.cache().read(key)?.body == [UInt8(round)])
        }
    }

    @Test func missingCacheFolderIsCreatedByAStoreAndNotByAReadOrPurge() async throws {
        let path = folder.path + "/not/there"
        let cache = DiskCache(directory: path, createsDirectory: false)

        #expect(cache.read(key) == nil)
        #expect(await cache.purge() == RemovalReport())
        #expect(cache.statistics.faults.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/not"))
        #expect(cache.store(diskEntry(key), body: [1]))
        #expect(cache.read(key)?.body == [1])
    }

    @Test func repeatedFaultsOfOneKindAreReportedOnceAndCountedEachTime() throws {
        let faults = TestFaults()
        let clock = TestClock()
        let cache = DiskCache(directory: "/dev/null/cache", now: { clock.now }, onFault: { faults.add($0, $1) })
        for _ in 0..<5 {
            clock.advance(10)
            #expect(!cache.store(diskEntry(key), body: [1]))
            #expect(cache.read(key) == nil)
        }

        #expect(faults.kinds == [.foreignObject])
        #expect(cache.statistics.faults[.foreignObject] ?? 0 >= 5)
    }
}
