#if Loader
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension DiskCache {
    /// What kept the disk cache from its work; no load ever fails for it.
    public enum Fault: String, Hashable, Sendable, CaseIterable {
        /// The volume or the quota is full.
        case noSpace
        /// The volume is mounted read-only.
        case readOnly
        /// The device failed.
        case inputOutput
        /// The process or the system has no descriptor left.
        case noDescriptors
        /// The folder or a file belongs to somebody else, or others may write to the folder.
        case noPermission
        /// The folder was removed; the next store makes it again.
        case directoryGone
        /// A folder, link, FIFO or socket is where a file or a shard belongs; it is left alone.
        case foreignObject
        /// A file failed one of its checks and was removed.
        case damagedEntry
        /// The header or the address is longer than the largest slot; the response is not stored.
        case headTooLarge
        /// A body is longer than ``DiskCache/maxBodyBytes``; the file is left alone.
        case bodyTooLarge
        /// Any other error of the system.
        case other

        init(_ error: DiskError) {
            self =
                switch error.code {
                case ENOSPC, EDQUOT: .noSpace
                case EROFS: .readOnly
                case EIO: .inputOutput
                case EMFILE, ENFILE: .noDescriptors
                case EACCES, EPERM: .noPermission
                case ENOENT, ESTALE: .directoryGone
                case ENOTDIR, ELOOP, EISDIR, ENXIO, EEXIST, ENOTEMPTY: .foreignObject
                default: .other
                }
        }

        /// Whether the next store would meet it too, so that a pause is due.
        var concernsTheVolume: Bool {
            switch self {
            case .noSpace, .readOnly, .noPermission: true
            default: false
            }
        }
    }
}

/// What the cache remembers of its own condition, behind one lock.
struct DiskHealth {
    var directory: DiskDirectory?
    var counts = DiskCache.Statistics()
    /// Files that are superseded and could not be removed: not to be used until they are replaced or gone.
    private(set) var unusable: Set<DiskName> = []
    /// Set when there are too many to remember: then nothing is read any more.
    private(set) var isUnreadable = false

    /// Shards that a purge could not list: what is in them is not to be used until they have been purged.
    private(set) var unpurgedShards: Set<Int> = []

    private var pausedSince: WallTime?
    private var deviceErrorsInARow = 0

    private static let mostUnusable = 100_000
    private static let mostDeviceErrorsInARow = 8

    /// True for a while after a fault of the whole volume; over at once when the clock was set back.
    mutating func isPaused(at now: WallTime, pause: Int64) -> Bool {
        guard let since = pausedSince else { return false }
        if now >= since, now - since < pause { return true }
        pausedSince = nil
        return false
    }

    /// Counts a fault; true when it is the first of its kind.
    mutating func note(_ fault: DiskCache.Fault) -> Bool {
        counts.faults[fault, default: 0] += 1
        return counts.faults[fault] == 1
    }

    /// Starts a pause when a write's fault calls for one.
    mutating func noteWrite(_ fault: DiskCache.Fault, at now: WallTime) {
        deviceErrorsInARow = fault == .inputOutput ? deviceErrorsInARow + 1 : 0
        if fault.concernsTheVolume || deviceErrorsInARow >= Self.mostDeviceErrorsInARow { pausedSince = now }
    }

    mutating func noteWriteSucceeded() { deviceErrorsInARow = 0 }

    mutating func markUnusable(_ name: DiskName) {
        unusable.insert(name)
        if unusable.count > Self.mostUnusable { isUnreadable = true }
    }

    mutating func markReplaced(_ name: DiskName) {
        if !unusable.isEmpty { unusable.remove(name) }
    }

    mutating func markUnpurged(_ shards: Range<Int>) { unpurgedShards.formUnion(shards) }
    mutating func markPurged(_ shard: Int) { unpurgedShards.remove(shard) }

    func mayUse(_ name: DiskName) -> Bool {
        !isUnreadable && (unpurgedShards.isEmpty || !unpurgedShards.contains(name.shard))
            && (unusable.isEmpty || !unusable.contains(name))
    }
}
#endif
