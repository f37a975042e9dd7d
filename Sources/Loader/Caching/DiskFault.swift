#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension DiskCache {
    /// A fault that prevented the disk cache from reading or storing; a load never fails because of it.
    public enum Fault: String, Hashable, Sendable, CaseIterable {
        /// The volume or the quota is full.
        case noSpace
        /// The volume is mounted read-only.
        case readOnly
        /// The device failed.
        case inputOutput
        /// The process or the system has no free file descriptor.
        case noDescriptors
        /// Access was denied, the folder belongs to another user, or other users may write to the folder.
        case noPermission
        /// The folder was removed; the next store creates it again.
        case directoryGone
        /// An object of another type has the name of a cache file or shard, for example a link or a FIFO, or a cache
        /// file has another format version. It is not changed.
        case foreignObject
        /// A file failed one of its checks and was removed.
        case damagedEntry
        /// The header or the URL is too long for the metadata of an entry (64 KiB); the response is not stored.
        case headerTooLarge = "headTooLarge"
        /// A body is longer than ``DiskCache/maxBodyBytes``; the file is not removed.
        case bodyTooLarge
        /// Any other system error.
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

        /// True when the next store would fail with the same fault, so that stores pause.
        var affectsWholeVolume: Bool {
            switch self {
            case .noSpace, .readOnly, .noPermission: true
            default: false
            }
        }
    }
}

/// Condition and counters of the cache, protected by one lock.
struct DiskHealth {
    var directory: DiskDirectory?
    var counts = DiskCache.Statistics()
    /// Names of files that are outdated or were purged, but could not be removed. These files are not used until they
    /// are replaced or removed.
    private(set) var unusable: Set<DiskName> = []
    /// True when so many files are unusable that they are no longer tracked: all reads are then misses.
    private(set) var isUnreadable = false

    /// Shards that a purge could not list: their entries are not used until the shard has been purged.
    private(set) var unpurgedShards: Set<Int> = []

    private var pausedSince: WallTime?
    private var consecutiveDeviceErrors = 0

    private static let maxUnusable = 100_000
    private static let maxConsecutiveDeviceErrors = 8

    /// Returns true during a pause that ``recordWriteFault(_:at:)`` started; setting the clock back ends the pause.
    mutating func isPaused(at now: WallTime, pause: Int64) -> Bool {
        guard let since = pausedSince else { return false }
        if now >= since, now - since < pause { return true }
        pausedSince = nil
        return false
    }

    /// Counts a fault; returns true for the first of its kind.
    mutating func recordFault(_ fault: DiskCache.Fault) -> Bool {
        counts.faults[fault, default: 0] += 1
        return counts.faults[fault] == 1
    }

    /// Records a fault of a store. A fault that affects the complete volume starts a pause, and so do eight consecutive
    /// device errors.
    mutating func recordWriteFault(_ fault: DiskCache.Fault, at now: WallTime) {
        consecutiveDeviceErrors = fault == .inputOutput ? consecutiveDeviceErrors + 1 : 0
        if fault.affectsWholeVolume || consecutiveDeviceErrors >= Self.maxConsecutiveDeviceErrors { pausedSince = now }
    }

    mutating func recordWriteSuccess() { consecutiveDeviceErrors = 0 }

    mutating func markUnusable(_ name: DiskName) {
        unusable.insert(name)
        if unusable.count > Self.maxUnusable { isUnreadable = true }
    }

    mutating func markReplaced(_ name: DiskName) {
        if !unusable.isEmpty { unusable.remove(name) }
    }

    mutating func markUnpurged(_ shards: Range<Int>) { unpurgedShards.formUnion(shards) }
    mutating func markPurged(_ shard: Int) { unpurgedShards.remove(shard) }

    func isUsable(_ name: DiskName) -> Bool {
        !isUnreadable && (unpurgedShards.isEmpty || !unpurgedShards.contains(name.shard))
            && (unusable.isEmpty || !unusable.contains(name))
    }
}
