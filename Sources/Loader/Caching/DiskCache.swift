internal import Dispatch
internal import PlatformImage
internal import Synchronization

/// A persistent response cache: one checksummed file per entry in a folder that several processes may share.
///
/// An entry may disappear at any time, but a read never returns wrong data: every read is verified. No operation
/// throws: a disk fault becomes a miss or a response that is not stored, and is counted in ``statistics``.
///
/// Operations on one entry may be called from any thread and block for a few system calls. A store that must evict
/// entries to satisfy ``maxBytes`` lists the complete folder first. Operations on the complete folder are `async` and
/// run on a private dispatch queue.
///
/// ```swift
/// let cache = DiskCache(directory: "/var/cache/images", maxBytes: 200_000_000)
/// let ticket = cache.ticket()
/// // ... download the response ...
/// cache.store(entry, body: body, ticket: ticket)
/// let hit = cache.read(entry.key)
/// ```
public final class DiskCache: Sendable {
    /// The folder path as passed to the initializer.
    public let directory: String

    let health: Mutex<DiskHealth>
    let totals = Mutex(DiskTotals())
    /// Number of purges: a load that started before a purge must not store its response afterwards. Incremented under
    /// the lock of the totals. Loads read the number without that lock, because the lock is held during renames.
    let generation = Atomic<UInt64>(0)
    let limit: Mutex<Int?>
    let bodyLimit: Mutex<Int>
    /// The lock that is held while entries are evicted. Not `Mutex<Void>`: a value of zero bytes shares its address
    /// with the next property, and ThreadSanitizer then reports accesses of the two as a race.
    let sweeping = Mutex(false)
    let scan = Mutex(DiskScan())
    let queue = DispatchQueue(label: "DiskCache", qos: .utility)
    let now: @Sendable () -> WallTime
    /// The state of ``uniqueNumber()``. It starts at a random value, so that two caches on one folder rarely create
    /// equal numbers.
    private let lastNumber = Atomic<UInt64>(.random(in: 0 ... .max))
    private let onFault: (@Sendable (Fault, String) -> Void)?
    private let pause: Int64

    /// Opens a cache in a folder; existing entries are used immediately and counted in the background.
    ///
    /// Takes constant time, independent of the number of entries. When the folder cannot be created nothing is stored;
    /// the next store tries again.
    ///
    /// - Parameters:
    ///   - directory: Created with mode 0700 when it is missing. Files in it that do not belong to the cache are not
    ///     changed. A folder owned by neither the effective user nor root, or writable by its group or others, is
    ///     rejected with the fault ``Fault/noPermission``; a sticky folder such as `/tmp` is accepted.
    ///   - maxBytes: See ``maxBytes``.
    ///   - maxBodyBytes: See ``maxBodyBytes``.
    ///   - createsDirectory: If false, this initializer does not create a missing folder; the first store creates it.
    ///   - retryAfter: Pause before the next store after a store failed because the volume was full or read-only,
    ///     because access was denied, or after eight consecutive device errors.
    ///   - now: The calendar clock; file dates are set from it and compared with it.
    ///   - onFault: Called for the first fault of each kind with a line for the log, on the thread where it occurred.
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
            if createsDirectory || !error.isMissing { recordFault(error, at: "opening the folder") }
        }
        beginScan()
    }

    /// Creates a folder for a disk cache when it is missing, with mode 0700.
    ///
    /// - Returns: Reason why the folder cannot be used, such as a file with its name; nil when it can. A cache with
    ///   such a folder stores nothing.
    package static func problem(ofDirectory path: String) -> String? { DiskDirectory.problem(path) }

    /// Maximum total length of all files in bytes; nil means no limit, 0 stores nothing.
    ///
    /// A store that would exceed the limit first evicts the least recently used entries, until the remaining ones use
    /// at most 80 % of the limit. Stores by other processes are counted at the next scan or ``flush()``. A lower value
    /// takes effect at the next store or ``flush()``.
    public var maxBytes: Int? {
        get { limit.locked(in: self) { $0 } }
        set { limit.locked(in: self) { $0 = newValue.map { max(0, $0) } } }
    }

    /// Maximum body length in bytes that is read and stored, 0 or more; 1 GiB by default.
    ///
    /// A file with a longer body is a miss and is not removed. The body length comes from the file: without this limit,
    /// a forged length could cause an allocation larger than the available memory.
    public var maxBodyBytes: Int {
        get { bodyLimit.locked(in: self) { $0 } }
        set { bodyLimit.locked(in: self) { $0 = max(0, newValue) } }
    }

    /// Returns the current purge generation. A load requests a ticket at its start; a store with that ticket fails
    /// after a purge.
    ///
    /// A purge by another cache on the same folder, or by another process, is not detected.
    public func ticket() -> Ticket { Ticket(generation: generation.load(ordering: .acquiring)) }

    /// Scans the folder, so that the counts include entries of other processes, then evicts entries to satisfy
    /// ``maxBytes``.
    public func flush() async {
        await onQueue { cache in
            cache.finishScan()
            cache.enforceLimit(ignoringLock: true)
        }
    }

    /// Activity counters since the cache was created, and the number and size of its files. ``Statistics/isComplete``
    /// is false until the background scan has counted all files.
    public var statistics: Statistics {
        var statistics = health.locked(in: self) { $0.counts }
        let totals = totals.locked(in: self) { (entries: $0.entries, bytes: $0.bytes) }
        statistics.entries = totals.entries
        statistics.bytes = totals.bytes
        statistics.isComplete = scan.locked(in: self) { $0.hasFinished }
        return statistics
    }

    /// Runs blocking work on the dispatch queue, so that it does not block Swift's cooperative thread pool.
    func onQueue<Result: Sendable>(_ work: @escaping @Sendable (DiskCache) -> Result) async -> Result {
        await queue.run { work(self) }
    }

    /// Returns a 64-bit number, unique in this cache and almost certainly among caches; makes no system call.
    func uniqueNumber() -> UInt64 {
        // SplitMix64: a counter of full period and a bijective mixing function.
        var number = lastNumber.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        return number ^ number >> 31
    }

    /// Returns the open folder, or opens it; `creating` also creates it when it is missing.
    func openFolder(creating: Bool) throws(DiskError) -> DiskDirectory {
        if let open = health.locked(in: self, { $0.directory }) { return open }
        let opened = try DiskDirectory(path: directory, creating: creating)
        // Another thread may have opened the folder meanwhile, after the previously open one was removed.
        return health.locked(in: self) { health in
            if let open = health.directory { return open }
            health.directory = opened
            return opened
        }
    }

    /// Returns the open folder, or opens it; nil when that fails. `creating` also creates a missing folder.
    func folder(creating: Bool) -> DiskDirectory? {
        do {
            return try openFolder(creating: creating)
        } catch {
            if creating { recordWriteFault(error, at: "creating the folder") }
            return nil
        }
    }

    /// Discards the open folder after its path was removed or replaced.
    func discard(_ folder: DiskDirectory) {
        health.locked(in: self) { if $0.directory === folder { $0.directory = nil } }
    }

    func recordFault(_ error: DiskError, at action: String) {
        let reason = error.detail ?? System.message(ofError: error.code)
        recordFault(Fault(error), "\(action) failed: \(reason) (errno \(error.code))")
    }

    func recordWriteFault(_ error: DiskError, at action: String) {
        let time = now()
        health.locked(in: self) { $0.recordWriteFault(Fault(error), at: time) }
        recordFault(error, at: action)
    }

    func recordFault(_ fault: Fault, _ text: String) {
        let isFirst = health.locked(in: self) { $0.recordFault(fault) }
        if isFirst { onFault?(fault, "disk cache: \(fault.rawValue): \(text)") }
    }

    func isPaused() -> Bool {
        let time = now()
        return health.locked(in: self) { $0.isPaused(at: time, pause: pause) }
    }
}

extension DiskCache {
    /// The purge generation in which a load started; see ``DiskCache/ticket()``.
    public struct Ticket: Hashable, Sendable {
        let generation: UInt64
    }

    /// A verified entry.
    public struct Hit: Sendable {
        /// The entry, with the requested key.
        public let entry: CacheEntry
        /// The body as stored, checksum verified; empty for an entry without a body.
        public let body: [UInt8]
        /// Identifies this body, for ``DiskCache/refresh(_:of:ticket:)``.
        public let revision: Revision
    }

    /// An entry without its body; the body is not verified.
    public struct Header: Sendable {
        /// The entry, with the requested key.
        public let entry: CacheEntry
        /// Length of the body in bytes.
        public let bodyLength: Int
        /// Identifies the body.
        public let revision: Revision
    }

    /// Identifies one stored body, so that a 304 never changes the header of a different body.
    public struct Revision: Hashable, Sendable {
        let name: DiskName
        let family: UInt64
        let createdAt: WallTime
        let bodyLength: Int
        let bodyChecksum: UInt64
    }

    /// Activity counters and the contents of the cache.
    public struct Statistics: Hashable, Sendable {
        /// Number of files, including `Vary` variants and entries that contain only a stored error.
        public internal(set) var entries = 0
        /// Total length of the files in bytes.
        public internal(set) var bytes = 0
        /// False until the first background scan has finished: ``entries`` and ``bytes`` may be too low until then.
        public internal(set) var isComplete = false
        /// Number of reads that returned an entry.
        public internal(set) var hits = 0
        /// Number of reads that returned nil.
        public internal(set) var misses = 0
        /// Number of files written, including files that contain only a stored error.
        public internal(set) var stores = 0
        /// Number of headers updated in place.
        public internal(set) var refreshes = 0
        /// Number of entries evicted to free space.
        public internal(set) var evictions = 0
        /// Number of faults by kind; a kind that did not occur has no element.
        public internal(set) var faults: [Fault: Int] = [:]
    }
}

/// Number and size of the entries that were removed.
public struct RemovalReport: Hashable, Sendable {
    /// Number of entries.
    public var count: Int
    /// Size in bytes; for the disk cache, the total length of the files.
    public var bytes: Int

    /// Creates a report; empty by default.
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
    /// The counters that are not 0, in one line.
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
    /// Runs blocking work on this queue, so that it does not block Swift's cooperative thread pool.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            async { continuation.resume(returning: work()) }
        }
    }
}
