import PlatformImageLoader
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Repeats the work of a scenario, each time with the fault at a later system call, until no call fails.
enum FaultLoop {
    /// Number of keys. All entries except entry 3 are stored before each run. During the run, the entries from 4 on are
    /// only read, and no fault may lose them.
    static let keys = 8

    /// System calls that a signal can interrupt before they have an effect.
    private static let interruptible = ",open,openat,read,pread,write,pwrite,fstat,ftruncate,flock,close,"

    /// Runs a scenario with a fault at the first call, the second, and so on; prints `runs N` at the end.
    static func all(_ folder: String, action: Int, times: Int, _ scenario: Int, maxRuns: Int) async {
        var call = 1
        var runs = 0
        // A short transfer and an interrupted call are not faults: no entry may be lost.
        let isSignal = action == Int(EINTR) && times == 1
        let isHarmless = isSignal || action == Int(FaultShim.short)
        // Operations on the whole folder make thousands of similar calls. After the first half of the runs, the
        // distance to the call that fails in the next run therefore grows.
        while maxRuns == 0 || runs < maxRuns {
            let run = FaultRun(folder + "/\(call)", scenario)
            await run.prepare()
            FaultShim.arm(
                run.folder, calls: isSignal ? Self.interruptible : "*", action: Int32(action), at: call, times: times)
            await run.work()
            let failed = FaultShim.disarm()
            await run.verify(hadFault: failed > 0 && !isHarmless, "action \(action) call \(call) times \(times)")
            run.removeFolder()
            runs += 1
            if failed == 0 { break }
            call += maxRuns > 0 && runs > maxRuns / 2 ? 1 + runs / 4 : 1
        }
        printLine("runs \(runs)")
    }

    /// Runs the work with one fault; another process verifies the folder.
    ///
    /// Prints `survived` when a call failed, and `alive` when no call failed.
    static func one(_ folder: String, action: Int, at call: Int, scenario: Int) async {
        let run = FaultRun(folder, scenario)
        await run.prepare()
        printLine("ready")
        FaultShim.arm(folder, action: Int32(action), at: call, times: 1)
        await run.work()
        printLine(FaultShim.disarm() > 0 ? "survived" : "alive")
    }
}

/// One run: stores entries of version 1, replaces some by version 2 under a fault, and verifies all entries.
final class FaultRun: Sendable {
    let folder: String
    private let scenario: Int
    private let milliseconds = Atomic<Int64>(1_800_000_000_000)
    private let state: Mutex<State>

    private struct State {
        var cache: DiskCache?
        /// Pairs of version and refresh number that a read may return, by key number; an empty list allows only a miss.
        var allowed: [Int: [[Int]]] = [:]
    }

    init(_ folder: String, _ scenario: Int) {
        self.folder = folder
        self.scenario = scenario
        state = Mutex(State())
    }

    private func open() -> DiskCache {
        DiskCache(directory: folder, now: { [self] in WallTime(milliseconds: milliseconds.load(ordering: .relaxed)) })
    }

    private func allow(_ number: Int, _ pairs: [[Int]]) { state.withLock { $0.allowed[number] = pairs } }

    func prepare() async {
        let cache = open()
        for number in 0..<FaultLoop.keys where number != 3 {
            guard cache.store(Oracle.entry(number, version: 1), body: Oracle.body(number, version: 1)) else {
                failMissingData("\(number) without a fault")
            }
            allow(number, [[1, 0]])
        }
        await cache.flush()
        // Scenario 0 opens the cache before the fault; the other scenarios open the cache under the fault.
        if scenario == 0 { state.withLock { $0.cache = cache } }
    }

    func work() async {
        let cache = state.withLock { $0.cache } ?? open()
        state.withLock { $0.cache = cache }
        let held = (0..<FaultLoop.keys).map { number in
            cache.read(Oracle.key(number)).map { hit in
                if Oracle.version(of: number, hit.entry, hit.body) == nil { failWrongData(number, "under the fault") }
                return hit
            }
        }
        replace(0, in: cache)
        replace(3, in: cache)
        if let hit = held[1] { refresh(1, 2, hit.revision, in: cache) }
        if let hit = held[2] { refresh(2, Self.largerRefresh, hit.revision, in: cache) }
        switch scenario {
        case 0:
            cache.remove(Oracle.key(0))
            allow(0, [])
        case 1:
            break
        default:
            await cache.flush()
            _ = await cache.clear(createdOlderThan: .seconds(1 << 40))
            _ = await cache.clear(modifiedOlderThan: .oneDay)
            _ = await cache.trim(toBytes: 1 << 30)
            let verification = await cache.verify()
            if !verification.bad.isEmpty { failWrongData(-1, "verify: \(verification.bad)") }
        }
    }

    /// A refresh of entry 2 whose header does not fit into the header slot of version 1.
    private static let largerRefresh: Int = {
        let short = Oracle.entry(2, version: 1).fieldBytes
        return (1...).first { Oracle.entry(2, version: 1, refresh: $0).fieldBytes > short + 3_000 } ?? 1
    }()

    private func replace(_ number: Int, in cache: DiskCache) {
        cache.store(Oracle.entry(number, version: 2), body: Oracle.body(number, version: 2))
        // Even if the new response is not stored, it supersedes the older response, which must not be returned again.
        allow(number, [[2, 0]])
    }

    private func refresh(_ number: Int, _ refresh: Int, _ revision: DiskCache.Revision, in cache: DiskCache) {
        let isDone = cache.refresh(Oracle.entry(number, version: 1, refresh: refresh), of: revision)
        allow(number, isDone ? [[1, refresh]] : [[1, refresh], [1, 0]])
    }

    /// Reads every entry with the cache that had the fault and with a new cache. Then stores a new version of entry 3
    /// in the cache that had the fault and reads it.
    func verify(hadFault: Bool, _ detail: String) async {
        let (faultedCache, allowed) = state.withLock { ($0.cache, $0.allowed) }
        guard let faultedCache else { failMissingData("the cache") }
        // In the scenarios except 0, the cache was opened while calls failed; `flush` completes its background scan.
        if scenario != 0 { await faultedCache.flush() }
        for (cache, isNew) in [(faultedCache, false), (open(), true)] {
            for number in 0..<FaultLoop.keys {
                guard let hit = cache.read(Oracle.key(number)) else {
                    let mayMiss = allowed[number]?.isEmpty ?? true || (hadFault && number < 4)
                    if mayMiss { continue }
                    failMissingData("\(number) \(detail) new \(isNew)")
                }
                guard let (version, refresh) = Oracle.version(of: number, hit.entry, hit.body) else {
                    failWrongData(number, detail)
                }
                // A new cache cannot detect that a file is superseded if the fault prevented the removal of the file.
                let isKnown = allowed[number]?.contains([version, refresh]) ?? false
                if !isKnown, !(isNew && hadFault) { failWrongData(number, "\(detail): \(version).\(refresh)") }
            }
        }
        // After one minute the pause that follows a fault is over, and the cache uses the disk again.
        milliseconds.add(60_000, ordering: .relaxed)
        guard faultedCache.store(Oracle.entry(3, version: 9), body: Oracle.body(3, version: 9)) else {
            failMissingData("3 \(detail) later")
        }
        guard let hit = faultedCache.read(Oracle.key(3)), Oracle.version(of: 3, hit.entry, hit.body)?.version == 9
        else {
            failWrongData(3, "\(detail) later")
        }
        state.withLock { $0.cache = nil }
    }

    func removeFolder() { removeEverything(at: folder) }
}

extension CacheEntry {
    /// Total length of the field values in bytes.
    fileprivate var fieldBytes: Int { response?.fields.lines.reduce(0) { $0 + $1.value.count } ?? 0 }
}
