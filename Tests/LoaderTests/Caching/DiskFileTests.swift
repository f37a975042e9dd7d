import Testing

@testable import PlatformImageLoader

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

struct DiskFileTests {
    private let folder: DiskFolder

    init() throws { folder = try DiskFolder() }

    private func mode(_ path: String) -> mode_t? {
        var information = stat()
        return stat(path, &information) == 0 ? information.st_mode & 0o777 : nil
    }

    @Test func parentFoldersCreatedForTheCacheHaveMode0700() {
        let path = folder.path + "/a/b"
        #expect(DiskCache(directory: path).store(diskEntry(diskKey("a")), body: [1]))

        #expect(mode(folder.path + "/a") == 0o700)
        #expect(mode(path) == 0o700)
    }

    /// A file may have a length of up to 2^63 - 1 bytes; the sum of such lengths must not overflow.
    @Test func fileLengthIsClampedSoThatSumsDoNotOverflow() {
        var information = stat()
        information.st_size = .max

        let length = DiskStatus(information).length

        #expect(length == 1 << 40)
        var totals = DiskTotals()
        for _ in 0..<1_000_000 { totals.change(shard: 0, entries: 1, bytes: length) }
        #expect(totals.bytes == 1_000_000 << 40)
    }

    @Test(arguments: [Int64.min, .min + 1, -1, 0, .max - 1, .max])
    func cacheOperationsAtExtremeClockValuesDoNotTrap(_ milliseconds: Int64) async {
        let cache = DiskCache(directory: folder.path, now: { WallTime(milliseconds: milliseconds) })
        let key = diskKey("a")

        #expect(cache.store(diskEntry(key), body: [1]))
        let hit = cache.read(key)
        #expect(hit?.body == [1])
        #expect(hit.map { cache.refresh(diskEntry(key, version: 1), of: $0.revision) } == true)
        _ = await cache.clear(modifiedOlderThan: .oneDay)
        _ = await cache.clear(createdOlderThan: .seconds(Int64.max))
        #expect(await cache.verify().bad.isEmpty)
    }
}
