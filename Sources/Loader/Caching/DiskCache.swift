#if Loader
internal import Dispatch
internal import PlatformImage
internal import Synchronization

/// Stored responses in a folder: one checksummed file an entry, safe to share between processes.
///
/// It may lose an entry at any time, and it never gives back another than was stored: every read is verified. No
/// operation fails: a fault of the disk is a miss or a response that is not stored, counted in ``statistics``.
///
/// The operations on one entry block for the time of a few system calls and may be called from any thread; a store that
/// must make room under ``maxBytes`` lists the whole folder first. Those on the whole folder are `async` and work on a
/// queue of their own.
///
/// ```swift
/// let cache = DiskCache(directory: "/var/cache/pictures", maxBytes: 200_000_000)
/// let ticket = cache.ticket()
/// // ... a response comes over the network ...
/// cache.store(entry, body: body, ticket: ticket)
/// let hit = cache.read(entry.key)
/// ```
public final class DiskCache: Sendable {
    /// The folder, as it was given.
    public let directory: String

    let health: Mutex<DiskHealth>
    let totals = Mutex(DiskTotals())
    /// Grows with every purge, under the lock of the totals: a load that began before may not store after. Read without
    /// the lock, which is held while files get their names.
    let generation = Atomic<UInt64>(0)
    let limit: Mutex<Int?>
    let bodyLimit: Mutex<Int>
    /// Held while sweeping. Not of `Void`: a value without bytes has the address of what follows, and ThreadSanitizer takes
    /// a change of the one for a change of the other.
    let sweeping = Mutex(false)
    let scan = Mutex(DiskScan())
    let queue = DispatchQueue(label: "DiskCache", qos: .utility)
    let now: @Sendable () -> WallTime
    /// Begins anywhere, so that two caches on one folder hardly ever meet.
    private let lastNumber = Atomic<UInt64>(.random(in: 0 ... .max))
    private let onFault: (@Sendable (Fault, String) -> Void)?
    private let pause: Int64

    /// A cache in a folder; what is in it already is used, and counted in the background.
    ///
    /// It takes the same time however many entries there are. When the folder cannot be made nothing is stored; the
    /// next store tries again.
    ///
    /// - Parameters:
    ///   - directory: Made, readable by its owner alone, when it is missing. Files in it that are not the cache's are
    ///     left alone. One that belongs to neither the effective user nor root, or that its group or others may write to,
    ///     is not used, with the fault ``Fault/noPermission``; only a sticky folder such as `/tmp` is.
    ///   - maxBytes: See ``maxBytes``.
    ///   - maxBodyBytes: See ``maxBodyBytes``.
    ///   - createsDirectory: False leaves a missing folder missing until the first store.
    ///   - retryAfter: How long no store is tried after the volume was full, read-only or closed to us.
    ///   - now: The calendar clock that file dates are set and judged by.
    ///   - onFault: Told the first fault of each kind with a line for the log, on the thread that met it.
    public init(
        directory: String, maxBytes: Int? = nil, maxBodyBytes: Int = 1 << 30, createsDirectory: Bool = true,
        retryAfter: Duration = .seconds(1),
        now: @escaping @Sendable () -> WallTime = { .now }, onFault: (@Sendable (Fault, String) -> Void)? = nil
    ) {
        self.directory = directory
        self.now = now
        self.onFault = onFault
        pause = retryAfter.millisecondCount
        limit = Mutex(maxBytes.map { max(0, $0) })
        bodyLimit = Mutex(max(0, maxBodyBytes))
        health = Mutex(DiskHealth())
        do {
            let opened = try DiskDirectory(path: directory, creating: createsDirectory)
            health.locked(in: self) { $0.directory = opened }
        } catch {
            if createsDirectory || !error.isMissing { note(error, at: "opening the folder") }
        }
        beginScan()
    }

    /// Most bytes of all files together; nil for no limit, 0 stores nothing.
    ///
    /// A store that would pass it first removes the entries that were not used for the longest time, until 80 % are
    /// left. What other processes store at the same time is seen at the next scan or ``flush()``. After setting it
    /// lower the next store or ``flush()`` makes room.
    public var maxBytes: Int? {
        get { limit.locked(in: self) { $0 } }
        set { limit.locked(in: self) { $0 = newValue.map { max(0, $0) } } }
    }

    /// Bytes of the longest body that is read and stored, 0 or more; 1 GiB by default.
    ///
    /// A longer body in a file is a miss and the file stays: the length is read from the file, so a forged one could
    /// request more memory than there is.
    public var maxBodyBytes: Int {
        get { bodyLimit.locked(in: self) { $0 } }
        set { bodyLimit.locked(in: self) { $0 = max(0, newValue) } }
    }

    /// Stands for the present, to be taken when a load begins: it may not store once this cache has been purged.
    ///
    /// A purge by another cache on the same folder, or by another process, is not noticed.
    public func ticket() -> Ticket { Ticket(generation: generation.load(ordering: .acquiring)) }

    /// Returns when everything stored so far is visible to other processes, counted, and within ``maxBytes``.
    public func flush() async {
        await onQueue { cache in
            cache.finishScan()
            cache.enforceLimit(insisting: true)
        }
    }

    /// Counts since the cache was made, and what is in the folder as far as the background scan has seen.
    public var statistics: Statistics {
        var statistics = health.locked(in: self) { $0.counts }
        let totals = totals.locked(in: self) { (entries: $0.entries, bytes: $0.bytes) }
        statistics.entries = totals.entries
        statistics.bytes = totals.bytes
        statistics.isComplete = scan.locked(in: self) { $0.hasFinished }
        return statistics
    }

    /// Runs blocking work where it does not hold up Swift's shared threads.
    func onQueue<Result: Sendable>(_ work: @escaping @Sendable (DiskCache) -> Result) async -> Result {
        await queue.run { work(self) }
    }

    /// A number of 64 bits that this cache gives once, and another one hardly ever: no system call, unlike a random one.
    func uniqueNumber() -> UInt64 {
        // SplitMix64: the steps go round all numbers, and the mixing gives each another one.
        var number = lastNumber.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        return number ^ number >> 31
    }

    /// The open folder.
    func openFolder(creating: Bool) throws(DiskError) -> DiskDirectory {
        if let open = health.locked(in: self, { $0.directory }) { return open }
        let opened = try DiskDirectory(path: directory, creating: creating)
        // Another thread may have opened the folder meanwhile, after somebody removed the one that is open here.
        return health.locked(in: self) { health in
            if let open = health.directory { return open }
            health.directory = opened
            return opened
        }
    }

    /// The open folder; nil when there is none and `creating` is false or fails.
    func folder(creating: Bool) -> DiskDirectory? {
        do {
            return try openFolder(creating: creating)
        } catch {
            if creating { noteWrite(error, at: "making the folder") }
            return nil
        }
    }

    /// Forgets the open folder, which is no longer where its path says.
    func forget(_ folder: DiskDirectory) {
        health.locked(in: self) { if $0.directory === folder { $0.directory = nil } }
    }

    func note(_ error: DiskError, at action: String) {
        let reason = error.detail ?? System.message(ofError: error.code)
        note(Fault(error), "\(action) failed: \(reason) (errno \(error.code))")
    }

    func noteWrite(_ error: DiskError, at action: String) {
        let moment = now()
        health.locked(in: self) { $0.noteWrite(Fault(error), at: moment) }
        note(error, at: action)
    }

    func note(_ fault: Fault, _ text: String) {
        let isFirst = health.locked(in: self) { $0.note(fault) }
        if isFirst { onFault?(fault, "disk cache: \(fault.rawValue): \(text)") }
    }

    func isPaused() -> Bool {
        let moment = now()
        return health.locked(in: self) { $0.isPaused(at: moment, pause: pause) }
    }
}

extension DiskCache {
    /// When a load began, in terms of purges; see ``DiskCache/ticket()``.
    public struct Ticket: Hashable, Sendable {
        let generation: UInt64
    }

    /// A verified entry.
    public struct Hit: Sendable {
        /// With the key that was asked for.
        public let entry: CacheEntry
        /// Byte for byte as stored, its checksum verified; empty for an entry without a body.
        public let body: [UInt8]
        /// Names this body, for ``DiskCache/refresh(_:of:ticket:)``.
        public let revision: Revision
    }

    /// An entry without its body, which was not verified.
    public struct Head: Sendable {
        /// With the key that was asked for.
        public let entry: CacheEntry
        /// Bytes.
        public let bodyLength: Int
        /// Names the body.
        public let revision: Revision
    }

    /// Names one stored body, so that a 304 that speaks of it never changes another one's header.
    public struct Revision: Hashable, Sendable {
        let name: DiskName
        let family: UInt64
        let createdAt: WallTime
        let bodyLength: Int
        let bodyChecksum: UInt64
    }

    /// What the cache has done and what it holds.
    public struct Statistics: Hashable, Sendable {
        /// Files, variants and remembered errors included.
        public internal(set) var entries = 0
        /// Their lengths together.
        public internal(set) var bytes = 0
        /// False until the first background scan has ended: ``entries`` and ``bytes`` may then be too small.
        public internal(set) var isComplete = false
        /// Reads that gave an entry.
        public internal(set) var hits = 0
        /// Reads that gave none.
        public internal(set) var misses = 0
        /// Responses stored.
        public internal(set) var stores = 0
        /// Headers updated in place.
        public internal(set) var refreshes = 0
        /// Entries removed to make room.
        public internal(set) var evictions = 0
        /// Faults by kind; none of a kind that did not happen.
        public internal(set) var faults: [Fault: Int] = [:]
    }
}

/// How much a removal took away.
public struct RemovalReport: Hashable, Sendable {
    /// Entries.
    public var count: Int
    /// Bytes: of the disk, the lengths of the files.
    public var bytes: Int

    /// A report of so many entries and bytes; nothing by default.
    public init(count: Int = 0, bytes: Int = 0) {
        self.count = count
        self.bytes = bytes
    }

    mutating func add(_ other: RemovalReport) {
        count += other.count
        bytes += other.bytes
    }
}

extension Duration {
    /// 86,400 seconds.
    public static var oneDay: Self { .seconds(86_400) }
    /// 604,800 seconds.
    public static var oneWeek: Self { .seconds(604_800) }
}

extension DiskCache.Statistics: CustomStringConvertible {
    /// The counts that are not 0, in one line.
    public var description: String {
        var text = ChangedProperties(of: "Statistics")
        text.add("entries", entries, default: 0)
        text.add("bytes", bytes, default: 0)
        text.add("isComplete", isComplete, default: false)
        text.add("hits", hits, default: 0)
        text.add("misses", misses, default: 0)
        text.add("stores", stores, default: 0)
        text.add("refreshes", refreshes, default: 0)
        text.add("evictions", evictions, default: 0)
        let faults = faults.map { "\($0.key): \($0.value)" }.sorted().joined(separator: ", ")
        text.add("faults", text: faults.isEmpty ? nil : "[\(faults)]")
        return text.text
    }
}

extension DispatchQueue {
    /// Runs blocking work where it does not hold up Swift's shared threads.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            async { continuation.resume(returning: work()) }
        }
    }
}
#endif
