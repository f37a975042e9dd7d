#if Loader
import PlatformImageLoader

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Commands of the probe; each takes numbers in the order of its comment.
enum Command: String {
    /// First key, count, version: stores that many entries.
    case stores
    /// First key, count: reads each entry; prints `kept N`, then `bad N` and `unread N` of a verification.
    case check
    /// Seed, operations, keys: reads, stores, replaces, refreshes and removes at random.
    case churn
    /// Seed, operations, keys, limit in bytes: like `churn`, with purges, clears and sweeps in between.
    case upheaval
    /// Seed, operations, keys: replaces entries.
    case replaces
    /// Seed, operations, keys: refreshes entries repeatedly.
    case refreshes
    /// Count: purges.
    case purges
    /// Limit in bytes, operations, keys: stores until killed or done, with continuous sweeps.
    case sweeps
    /// Action, times, scenario, maximum number of faults: a fault at each call in turn, see `FaultLoop`.
    case faults
    /// Action, call, scenario: one fault at one call; the fault may kill the process.
    case fault
    /// Seed, permille, operations, keys: random EIO during the operations; prints `kept N` afterwards.
    case chance
    /// Threads, keys, descriptors: many readers and writers with few descriptors.
    case descriptors
    /// Makes a volume read-only and full; requires a private mount namespace.
    case volume
    /// Seconds, kind (0 modified, 1 created): removes older entries; prints `removed N`.
    case clear

    func run(in folder: String, _ numbers: [Int]) async {
        let numbers = numbers + [0, 0, 0, 0]
        switch self {
        case .stores:
            let cache = DiskCache(directory: folder)
            for number in numbers[0]..<(numbers[0] + numbers[1]) {
                let isStored = cache.store(
                    Oracle.entry(number, version: numbers[2]), body: Oracle.body(number, version: numbers[2]))
                say(isStored ? "done \(number)" : "lost \(number)")
            }
        case .check: await askForAll(folder, numbers[0]..<(numbers[0] + numbers[1]))
        case .churn, .upheaval, .replaces, .refreshes:
            var churn = Churn(self, folder, seed: numbers[0], keys: numbers[2], maxBytes: numbers[3])
            say("ready")
            for operation in 0..<numbers[1] {
                await churn.step()
                say("done \(operation)")
            }
            say("hits \(churn.hits)")
        case .purges:
            let cache = DiskCache(directory: folder)
            for time in 0..<numbers[0] {
                let report = await cache.purge()
                say("done \(time) \(report.count)")
            }
        case .sweeps:
            let cache = DiskCache(directory: folder, maxBytes: numbers[0])
            for operation in 0..<numbers[1] {
                let number = operation % numbers[2]
                cache.store(Oracle.entry(number, version: operation), body: Oracle.body(number, version: operation))
                if operation % 16 == 0 { _ = await cache.trim(toBytes: numbers[0] / 2) }
                say("done \(operation)")
            }
        case .faults: await FaultLoop.all(folder, action: numbers[0], times: numbers[1], numbers[2], most: numbers[3])
        case .fault: await FaultLoop.one(folder, action: numbers[0], at: numbers[1], scenario: numbers[2])
        case .chance:
            await workByChance(
                folder, seed: numbers[0], permille: numbers[1], operations: numbers[2], keys: numbers[3])
        case .descriptors: await crowd(folder, threads: numbers[0], keys: numbers[1], descriptors: numbers[2])
        case .volume:
            #if os(Linux)
            await useVolume(folder)
            #endif
        case .clear:
            let cache = DiskCache(directory: folder)
            let age = Duration.seconds(numbers[0])
            let report =
                numbers[1] == 0
                ? await cache.clear(modifiedOlderThan: age) : await cache.clear(createdOlderThan: age)
            say("removed \(report.count)")
        }
    }
}

/// Reads every entry, then verifies the folder.
private func askForAll(_ folder: String, _ numbers: Range<Int>) async {
    let cache = DiskCache(directory: folder)
    var kept = 0
    for number in numbers {
        guard let hit = cache.read(Oracle.key(number)) else { continue }
        guard Oracle.judge(number, hit.entry, hit.body) != nil else { lie(number) }
        kept += 1
    }
    await cache.flush()
    let verification = await cache.verify()
    say("kept \(kept)")
    say("bad \(verification.bad.count)")
    say("unread \(verification.unread)")
}

/// Runs operations while a part of all calls fails, then counts the remaining entries.
private func workByChance(_ folder: String, seed: Int, permille: Int, operations: Int, keys: Int) async {
    var churn = Churn(.churn, folder, seed: seed, keys: keys, maxBytes: 0)
    await churn.cache.flush()
    FaultShim.arm(folder, action: EIO, at: 0, times: 0, permille: permille, seed: seed)
    for _ in 0..<operations { await churn.step() }
    say("failed \(FaultShim.disarm())")
    await askForAll(folder, 0..<keys)
}
#endif
