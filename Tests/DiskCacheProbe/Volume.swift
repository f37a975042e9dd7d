#if os(Linux)
import PlatformImageLoader
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Mounts a small volume on `folder`, which becomes read-only and later full while the cache stays open.
func runVolumeScenario(_ folder: String) async {
    guard mount("none", folder, "tmpfs", 0, "size=256k") == 0 else {
        printLine("denied \(errno)")
        return
    }
    let time = VolumeClock()
    let cache = DiskCache(directory: folder + "/cache", now: { time.now })
    for number in 0..<4 where !store(number, 1, in: cache) { failMissingData("\(number) on an empty volume") }

    guard mount("none", folder, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 else { failMissingData("remount") }
    expect(0..<4, in: cache, version: 1)
    if store(10, 1, in: cache) { failWrongData(10, "stored on a read-only volume") }
    if store(0, 2, in: cache) { failWrongData(0, "stored on a read-only volume") }
    if let hit = cache.read(Oracle.key(0)) { failWrongData(0, "superseded, but returned: \(hit.body.count)") }
    expect(1..<4, in: cache, version: 1)
    // Another cache that opens the read-only volume returns its entries.
    let late = DiskCache(directory: folder + "/cache", now: { time.now })
    expect(1..<4, in: late, version: 1)
    await late.flush()
    printLine("readonly \(cache.statistics.faults[.readOnly] ?? 0)")

    guard mount("none", folder, "tmpfs", UInt(MS_REMOUNT), "size=256k") == 0 else { failMissingData("remount") }
    time.advance()
    if !store(10, 3, in: cache) { failMissingData("10 on a writable volume") }

    var stored = 0
    for number in 100..<400 {
        time.advance()
        if store(number, 1, in: cache) { stored += 1 }
    }
    printLine("full \(cache.statistics.faults[.noSpace] ?? 0) stored \(stored)")
    for number in 100..<400 {
        guard let hit = cache.read(Oracle.key(number)) else { continue }
        guard Oracle.version(of: number, hit.entry, hit.body) != nil else { failWrongData(number) }
    }
    // A replacement on a full volume removes the older response, even if the new response cannot be stored.
    for number in 1..<4 {
        time.advance()
        _ = store(number, 2, in: cache)
        guard let hit = cache.read(Oracle.key(number)) else { continue }
        guard Oracle.version(of: number, hit.entry, hit.body)?.version == 2 else { failWrongData(number, "superseded") }
    }
    let verification = await cache.verify()
    printLine("bad \(verification.bad.count)")
    _ = await cache.purge()
    time.advance()
    if !store(500, 1, in: cache) { failMissingData("500 after freeing space") }
    printLine("temporary \(filePaths(below: folder).count { $0.hasSuffix(".tmp") })")
    printLine("passed")
}

/// A clock that the scenario advances by one minute, so that the pause of `DiskCache` after a failed store
/// (`retryAfter`) is over.
private final class VolumeClock: Sendable {
    private let milliseconds = Atomic<Int64>(1_800_000_000_000)

    var now: WallTime { WallTime(milliseconds: milliseconds.load(ordering: .relaxed)) }

    func advance() { milliseconds.add(60_000, ordering: .relaxed) }
}

private func store(_ number: Int, _ version: Int, in cache: DiskCache) -> Bool {
    cache.store(Oracle.entry(number, version: version), body: Oracle.body(number, version: version))
}

private func expect(_ numbers: Range<Int>, in cache: DiskCache, version: Int) {
    for number in numbers {
        guard let hit = cache.read(Oracle.key(number)) else {
            failMissingData("\(number) on a readable volume")
        }
        guard Oracle.version(of: number, hit.entry, hit.body)?.version == version else { failWrongData(number) }
    }
}
#endif
