import PlatformImageLoader

/// Random operations on a cache; every entry that is read is verified.
struct Churn {
    let cache: DiskCache
    private(set) var hits = 0
    private let command: Command
    private let keys: Int
    private var random: Random

    init(_ command: Command, _ folder: String, seed: Int, keys: Int, maxBytes: Int) {
        self.command = command
        self.keys = keys
        random = Random(seed: UInt64(truncatingIfNeeded: seed))
        cache = DiskCache(directory: folder, maxBytes: maxBytes > 0 ? maxBytes : nil)
    }

    mutating func step() async {
        let number = Int(random.next() % UInt64(keys))
        switch command {
        case .replace: store(number)
        case .refresh: refresh(number)
        case .churnAndSweep where random.next() % 64 == 0: await runFolderOperation()
        default:
            switch random.next() % 100 {
            case 0: cache.remove(Oracle.key(number))
            case 1..<45: read(number)
            case 45..<75: store(number)
            default: refresh(number)
            }
        }
    }

    private mutating func store(_ number: Int) {
        let version = Int(random.next() % 1_000_000)
        cache.store(Oracle.entry(number, version: version), body: Oracle.body(number, version: version))
    }

    private mutating func read(_ number: Int) {
        guard let hit = cache.read(Oracle.key(number)) else { return }
        guard Oracle.version(of: number, hit.entry, hit.body) != nil else { failWrongData(number) }
        hits += 1
    }

    private mutating func refresh(_ number: Int) {
        guard let hit = cache.read(Oracle.key(number)) else { return store(number) }
        guard let (version, _) = Oracle.version(of: number, hit.entry, hit.body) else { failWrongData(number) }
        hits += 1
        let refresh = Int(random.next() % 1_000_000)
        cache.refresh(Oracle.entry(number, version: version, refresh: refresh), of: hit.revision)
    }

    private mutating func runFolderOperation() async {
        switch random.next() % 5 {
        case 0: _ = await cache.purge()
        case 1: _ = await cache.clear(modifiedOlderThan: .milliseconds(Int64(random.next() % 200)))
        case 2: _ = await cache.clear(createdOlderThan: .oneWeek)
        case 3: _ = await cache.trim(toBytes: Int(random.next() % 300_000))
        default: await cache.flush()
        }
    }
}
