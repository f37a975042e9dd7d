#if Loader
internal import PlatformImage
internal import Synchronization

/// Pictures in memory with the responses they come from.
///
/// A picture that was removed stays away: what a load brings that began before the removal is not kept.
final class PictureMemory: Sendable {
    /// A picture, and what the policy must know of it.
    final class Picture: Sendable {
        let entry: CacheEntry
        let content: LoadContent
        /// Names the body on disk that it was made of; nil when it was not stored.
        let revision: DiskCache.Revision?
        /// Of the disk cache, when the picture came; a purge of the disk since then ends its freshness. Nil for one that
        /// the host itself put here.
        let ticket: DiskCache.Ticket?
        private let lifespan = Mutex<(rules: UInt64, value: Lifespan?)?>(nil)

        init(
            entry: CacheEntry, content: LoadContent, revision: DiskCache.Revision?, ticket: DiskCache.Ticket?
        ) {
            self.entry = entry
            self.content = content
            self.revision = revision
            self.ticket = ticket
        }

        /// How long it answers by these rules; worked out anew when they have changed.
        func lifespan(byRules number: UInt64, _ work: () -> Lifespan?) -> Lifespan? {
            let known = lifespan.locked(in: self) { $0 }
            if let known, known.rules == number { return known.value }
            let value = work()
            lifespan.locked(in: self) { $0 = (number, value) }
            return value
        }

        /// True when it is of a later response of the same variant, by a clock that was not set back meanwhile.
        fileprivate func isNewer(than other: Picture, now: WallTime) -> Bool {
            guard let own = entry.response, let others = other.entry.response, own.vary == others.vary else {
                return false
            }
            return own.responseTime > others.responseTime && own.responseTime <= now
        }
    }

    private struct Index {
        /// By stored response, all keys that the cache may hold: one that was evicted stays until the next sweep.
        var keys: [CacheKey: Set<ImageCacheKey>] = [:]
        var keyCount = 0
        /// False while the host wants nothing kept.
        var isOn = true
        /// Purges and removals so far.
        var moment: UInt64 = 0
        /// Loads that began before it keep nothing.
        var forgotten: UInt64 = 0
        /// The last removals, the oldest first.
        var removals: [(moment: UInt64, key: CacheKey)] = []
    }

    let cache: MemoryCache<ImageCacheKey, Picture>
    /// Held while keys come and go; the cache's own lock is taken inside it.
    private let index = Mutex(Index())
    /// Removals that are remembered one by one.
    private static let maxRemovals = 256

    init(maxBytes: Int, maxCount: Int?) { cache = MemoryCache(maxBytes: maxBytes, maxCount: maxCount) }

    /// Names the present, for ``insert(_:for:since:)``.
    var moment: UInt64 { index.locked(in: self) { $0.moment } }

    /// Keeps a picture of a load that began at `moment`, unless it has been removed or the memory purged since.
    ///
    /// - Parameter now: The clock: what came after the picture's response, and not in the future, is not replaced by
    ///   it. Nil replaces whatever is there.
    /// - Returns: False when it is not kept, also because it is too large.
    @discardableResult
    func insert(_ picture: Picture, for key: ImageCacheKey, since moment: UInt64, now: WallTime? = nil) -> Bool {
        index.locked(in: self) { index in
            let isRemoved = index.removals.contains { $0.moment > moment && $0.key == picture.entry.key }
            let isOutdated = now.map { cache.peek(key)?.isNewer(than: picture, now: $0) == true } ?? false
            guard index.isOn, moment >= index.forgotten, !isRemoved, !isOutdated,
                cache.insert(picture, for: key, cost: picture.content.byteCount)
            else { return false }
            if index.keys[picture.entry.key, default: []].insert(key).inserted { index.keyCount += 1 }
            sweep(&index)
            return true
        }
    }

    /// Takes out every picture of a stored response, however it was decoded, and keeps out what loads under way bring.
    func remove(_ key: CacheKey) {
        index.locked(in: self) { index in
            index.moment += 1
            if index.removals.count == Self.maxRemovals { index.forgotten = index.removals.removeFirst().moment }
            index.removals.append((index.moment, key))
            guard let keys = index.keys.removeValue(forKey: key) else { return }
            index.keyCount -= keys.count
            for key in keys { cache.removeValue(for: key) }
        }
    }

    /// Takes everything out, and keeps out what loads under way bring later.
    func purge() -> RemovalReport {
        index.locked(in: self) { index in
            index.moment += 1
            index.forgotten = index.moment
            index.removals = []
            index.keys = [:]
            index.keyCount = 0
            let report = RemovalReport(count: cache.count, bytes: cache.totalBytes)
            cache.removeAll()
            return report
        }
    }

    /// Keeps pictures from now on, or none: then what is there goes, and loads under way bring nothing (C18).
    func setOn(_ isOn: Bool) {
        index.locked(in: self) { $0.isOn = isOn }
        if !isOn { _ = purge() }
    }

    /// Keys in the index, for tests.
    var indexedCount: Int { index.locked(in: self) { $0.keyCount } }

    /// Throws the keys out that have left the cache when they are more than those in it.
    private func sweep(_ index: inout Index) {
        guard index.keyCount > 2 * cache.count + 64 else { return }
        index.keys = index.keys.compactMapValues { keys in
            let present = keys.filter { cache.peek($0) != nil }
            return present.isEmpty ? nil : present
        }
        index.keyCount = index.keys.values.reduce(0) { $0 + $1.count }
    }
}
#endif
