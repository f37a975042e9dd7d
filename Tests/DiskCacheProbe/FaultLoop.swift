#if Loader
import PlatformImageLoader
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The same work again and again, each time with the fault one call later, until no call is left to fail.
enum FaultLoop {
    /// Keys that each run starts with; those from 4 on are only read, and no fault of a call may lose them.
    static let keys = 8

    /// Calls that a signal may end before they did anything.
    private static let interruptible = ",open,openat,read,pread,write,pwrite,fstat,ftruncate,flock,close,"

    /// Runs a scenario with a fault at the first call, the second, and so on; `runs N` at the end.
    static func all(_ folder: String, action: Int, times: Int, _ scenario: Int, most: Int) async {
        var call = 1
        var runs = 0
        // A short transfer and a signal during a call are no faults: they may not cost anything either.
        let isSignal = action == Int(EINTR) && times == 1
        let isHarmless = isSignal || action == Int(FaultShim.short)
        // Folder-wide work makes thousands of calls that are much alike: past the first, ever larger steps.
        while most == 0 || runs < most {
            let run = FaultRun(folder + "/\(call)", scenario)
            await run.prepare()
            FaultShim.arm(
                run.folder, calls: isSignal ? Self.interruptible : "*", action: Int32(action), at: call, times: times)
            await run.work()
            let failed = FaultShim.disarm()
            await run.judge(wasHarmed: failed > 0 && !isHarmless, "action \(action) call \(call) times \(times)")
            run.removeFolder()
            runs += 1
            if failed == 0 { break }
            call += most > 0 && runs > most / 2 ? 1 + runs / 4 : 1
        }
        say("runs \(runs)")
    }

    /// Works in a folder that another process has prepared and will judge; `alive` when the fault was no death.
    static func one(_ folder: String, action: Int, at call: Int, scenario: Int) async {
        let run = FaultRun(folder, scenario)
        await run.prepare()
        say("ready")
        FaultShim.arm(folder, action: Int32(action), at: call, times: 1)
        await run.work()
        say(FaultShim.disarm() > 0 ? "survived" : "alive")
    }
}

/// One run: entries of version 1, work under a fault that makes some of them version 2, and a judgement.
final class FaultRun: Sendable {
    let folder: String
    private let scenario: Int
    private let milliseconds = Atomic<Int64>(1_800_000_000_000)
    private let state: Mutex<State>

    private struct State {
        var cache: DiskCache?
        /// What may be answered besides a miss; the first when nothing failed. Empty = only a miss.
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
                lost("\(number) while nothing failed")
            }
            allow(number, [[1, 0]])
        }
        await cache.flush()
        // Scenario 0 works with a cache that is open already, the others open it under the fault.
        if scenario == 0 { state.withLock { $0.cache = cache } }
    }

    func work() async {
        let cache = state.withLock { $0.cache } ?? open()
        state.withLock { $0.cache = cache }
        let held = (0..<FaultLoop.keys).map { number in
            cache.read(Oracle.key(number)).map { hit in
                if Oracle.judge(number, hit.entry, hit.body) == nil { lie(number, "under the fault") }
                return hit
            }
        }
        replace(0, in: cache)
        replace(3, in: cache)
        if let hit = held[1] { refresh(1, 2, hit.revision, in: cache) }
        if let hit = held[2] { refresh(2, Self.outgrowing, hit.revision, in: cache) }
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
            if !verification.bad.isEmpty { lie(-1, "verify: \(verification.bad)") }
        }
    }

    /// A refresh of entry 2 whose header does not fit in the slot that version 1 has.
    private static let outgrowing: Int = {
        let short = Oracle.entry(2, version: 1).fieldBytes
        return (1...).first { Oracle.entry(2, version: 1, refresh: $0).fieldBytes > short + 3_000 } ?? 1
    }()

    private func replace(_ number: Int, in cache: DiskCache) {
        cache.store(Oracle.entry(number, version: 2), body: Oracle.body(number, version: 2))
        // Stored or not: the older response is superseded and may not come back.
        allow(number, [[2, 0]])
    }

    private func refresh(_ number: Int, _ refresh: Int, _ revision: DiskCache.Revision, in cache: DiskCache) {
        let isDone = cache.refresh(Oracle.entry(number, version: 1, refresh: refresh), of: revision)
        allow(number, isDone ? [[1, refresh]] : [[1, refresh], [1, 0]])
    }

    /// Asks for every entry of the cache that met the fault and of a new one, and stores again.
    func judge(wasHarmed: Bool, _ detail: String) async {
        let (met, allowed) = state.withLock { ($0.cache, $0.allowed) }
        guard let met else { lost("the cache") }
        // What the opening began in the background has met the fault too.
        if scenario != 0 { await met.flush() }
        for (cache, isNew) in [(met, false), (open(), true)] {
            for number in 0..<FaultLoop.keys {
                guard let hit = cache.read(Oracle.key(number)) else {
                    let mayMiss = allowed[number]?.isEmpty ?? true || (wasHarmed && number < 4)
                    if mayMiss { continue }
                    lost("\(number) \(detail) new \(isNew)")
                }
                guard let (version, refresh) = Oracle.judge(number, hit.entry, hit.body) else { lie(number, detail) }
                // Another process cannot know that what could not be removed is superseded.
                let isKnown = allowed[number]?.contains([version, refresh]) ?? false
                if !isKnown, !(isNew && wasHarmed) { lie(number, "\(detail): \(version).\(refresh)") }
            }
        }
        // A minute later the disk is tried again.
        milliseconds.add(60_000, ordering: .relaxed)
        guard met.store(Oracle.entry(3, version: 9), body: Oracle.body(3, version: 9)) else {
            lost("3 \(detail) later")
        }
        guard let hit = met.read(Oracle.key(3)), Oracle.judge(3, hit.entry, hit.body)?.version == 9 else {
            lie(3, "\(detail) later")
        }
        state.withLock { $0.cache = nil }
    }

    func removeFolder() { removeEverything(at: folder) }
}

extension CacheEntry {
    /// How long the values of the header are together.
    fileprivate var fieldBytes: Int { response?.fields.lines.reduce(0) { $0 + $1.value.count } ?? 0 }
}
#endif
