import PlatformImageLoader

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Commands of the probe. The comment of each command lists its numeric arguments in order; the arguments "operations",
/// "keys", "threads" and "descriptors" are counts.
enum Command: String {
    /// First key, count, version: stores `count` entries.
    case store
    /// First key, count: reads each entry, then verifies the folder; prints `found N`, `bad N` and `unread N`.
    case check
    /// Seed, operations, keys: reads, stores, replaces, refreshes and removes at random.
    case churn
    /// Seed, operations, keys, limit in bytes: like `churn`, with purges, clears, trims and flushes in between.
    case churnAndSweep
    /// Seed, operations, keys: replaces entries.
    case replace
    /// Seed, operations, keys: refreshes entries repeatedly.
    case refresh
    /// Count: purges the cache `count` times.
    case purge
    /// Limit in bytes, operations, keys: stores entries, and trims the cache to half of the limit after every 16th
    /// store.
    case sweep
    /// Action (see `FaultShim.arm`), times, scenario, maximum number of runs (0 for no limit): one run for each system
    /// call of the scenario, with the fault at this call; see `FaultLoop`.
    case faultAtEachCall
    /// Action, call, scenario: a fault at the system call with the number `call`; the action may kill the process.
    case faultAtOneCall
    /// Action, call: loads with variant files, with a fault at the disk call with the number `call`; see
    /// `VariantFaults`.
    case variantsWithFaultAtOneCall
    /// Seed, permille, operations, keys: random EIO during the operations; prints `failed N` and then the lines of
    /// `check`.
    case randomFaults
    /// Threads, keys, descriptors: many readers with few descriptors.
    case descriptors
    /// Uses a volume that becomes read-only and full; requires a private mount namespace.
    case volume
    /// Seconds, kind of date (0 modified, 1 created): removes entries whose date is more than this number of seconds
    /// ago; prints `removed N`.
    case clear

    func run(in folder: String, _ numbers: [Int]) async {
        let numbers = numbers + [0, 0, 0, 0]
        switch self {
        case .store:
            let cache = DiskCache(directory: folder)
            for number in numbers[0]..<(numbers[0] + numbers[1]) {
                let isStored = cache.store(
                    Oracle.entry(number, version: numbers[2]), body: Oracle.body(number, version: numbers[2]))
                printLine(isStored ? "done \(number)" : "missing \(number)")
            }
        case .check: await readAll(folder, numbers[0]..<(numbers[0] + numbers[1]))
        case .churn, .churnAndSweep, .replace, .refresh:
            var churn = Churn(self, folder, seed: numbers[0], keys: numbers[2], maxBytes: numbers[3])
            printLine("ready")
            for operation in 0..<numbers[1] {
                await churn.step()
                printLine("done \(operation)")
            }
            printLine("hits \(churn.hits)")
        case .purge:
            let cache = DiskCache(directory: folder)
            for time in 0..<numbers[0] {
                let report = await cache.purge()
                printLine("done \(time) \(report.count)")
            }
        case .sweep:
            let cache = DiskCache(directory: folder, maxBytes: numbers[0])
            for operation in 0..<numbers[1] {
                let number = operation % numbers[2]
                cache.store(Oracle.entry(number, version: operation), body: Oracle.body(number, version: operation))
                if operation % 16 == 0 { _ = await cache.trim(toBytes: numbers[0] / 2) }
                printLine("done \(operation)")
            }
        case .faultAtEachCall:
            await FaultLoop.all(folder, action: numbers[0], times: numbers[1], numbers[2], maxRuns: numbers[3])
        case .faultAtOneCall: await FaultLoop.one(folder, action: numbers[0], at: numbers[1], scenario: numbers[2])
        case .variantsWithFaultAtOneCall:
            do {
                try await VariantFaults.prepare(folder)
                printLine("ready")
                FaultShim.arm(folder, action: Int32(numbers[0]), at: numbers[1], times: 1)
                try await VariantFaults.work(folder)
                printLine(FaultShim.disarm() > 0 ? "survived" : "alive")
            } catch {
                failMissingData("\(error)")
            }
        case .randomFaults:
            await runWithRandomFaults(
                folder, seed: numbers[0], permille: numbers[1], operations: numbers[2], keys: numbers[3])
        case .descriptors:
            await runDescriptorShortage(folder, threads: numbers[0], keys: numbers[1], descriptors: numbers[2])
        case .volume:
            #if os(Linux)
            await runVolumeScenario(folder)
            #endif
        case .clear:
            let cache = DiskCache(directory: folder)
            let age = Duration.seconds(numbers[0])
            let report =
                numbers[1] == 0
                ? await cache.clear(modifiedOlderThan: age) : await cache.clear(createdOlderThan: age)
            printLine("removed \(report.count)")
        }
    }
}

/// Reads every entry, then verifies the folder.
private func readAll(_ folder: String, _ numbers: Range<Int>) async {
    let cache = DiskCache(directory: folder)
    var found = 0
    for number in numbers {
        guard let hit = cache.read(Oracle.key(number)) else { continue }
        guard Oracle.version(of: number, hit.entry, hit.body) != nil else { failWrongData(number) }
        found += 1
    }
    await cache.flush()
    let verification = await cache.verify()
    printLine("found \(found)")
    printLine("bad \(verification.bad.count)")
    printLine("unread \(verification.unread)")
}

/// Runs operations while a fraction of all calls fails, then counts the remaining entries.
private func runWithRandomFaults(_ folder: String, seed: Int, permille: Int, operations: Int, keys: Int) async {
    var churn = Churn(.churn, folder, seed: seed, keys: keys, maxBytes: 0)
    await churn.cache.flush()
    FaultShim.arm(folder, action: EIO, at: 0, times: 0, permille: permille, seed: seed)
    for _ in 0..<operations { await churn.step() }
    printLine("failed \(FaultShim.disarm())")
    await readAll(folder, 0..<keys)
}
