internal import PlatformImage
internal import Synchronization

/// The memory cache of decoded images with the responses that they were decoded from.
///
/// A load that started before the removal of its image does not insert it again.
final class ImageMemoryCache: Sendable {
    /// A decoded image with the data that the cache policy needs.
    final class CachedImage: Sendable {
        let content: LoadContent
        /// Identifies the body on disk that the image was decoded from; nil when the body was not stored.
        let revision: DiskCache.Revision?
        /// The disk cache's ticket before the image was loaded: a later purge of the disk ends the freshness of the
        /// image. Nil without a disk cache, and for a bitmap that the application stored.
        let ticket: DiskCache.Ticket?
        private let state: Mutex<State>

        private struct State {
            var entry: CacheEntry
            /// The inputs for the freshness of ``entry``; nil when they are not known.
            var lifespan: (rules: UInt64, value: Lifespan?)?
        }

        init(
            entry: CacheEntry, content: LoadContent, revision: DiskCache.Revision?, ticket: DiskCache.Ticket?
        ) {
            state = Mutex(State(entry: entry))
            self.content = content
            self.revision = revision
            self.ticket = ticket
        }

        /// The response of the image; a later 304 for another image of the same body refreshes it.
        var entry: CacheEntry { state.locked(in: self) { $0.entry } }

        /// Returns the response of the image, and the inputs for its freshness under the cache rules with this version
        /// number; nil when one of them is not known. If the stored value was computed under other rules, `work`
        /// computes a new one.
        func lifespan(
            byRules number: UInt64, _ work: (CacheEntry) -> Lifespan?
        ) -> (response: StoredResponse, value: Lifespan)? {
            let (entry, known) = state.locked(in: self) { ($0.entry, $0.lifespan) }
            var lifespan = known?.value
            if known?.rules != number {
                lifespan = work(entry)
                state.locked(in: self) { state in
                    if state.entry == entry { state.lifespan = (number, lifespan) }
                }
            }
            guard let response = entry.response, let lifespan else { return nil }
            return (response, lifespan)
        }

        /// Applies a newer response that was received for another image of the same cache key and `Vary` variant.
        ///
        /// - Returns: False when the newer response has another body, so that this image is outdated.
        fileprivate func follow(_ newer: CacheEntry) -> Bool {
            state.locked(in: self) { state in
                guard let old = state.entry.response, let new = newer.response, new.vary == old.vary,
                    new.responseTime > old.responseTime
                else { return true }
                guard new.createdAt == old.createdAt else { return false }
                state = State(entry: newer)
                return true
            }
        }

        /// Returns true when both responses have equal `Vary` values, and this image's response was received later than
        /// that of `other`, but not in the future.
        fileprivate func isNewer(than other: CachedImage, now: WallTime) -> Bool {
            guard let response = entry.response, let otherResponse = other.entry.response,
                response.vary == otherResponse.vary
            else {
                return false
            }
            return response.responseTime > otherResponse.responseTime && response.responseTime <= now
        }
    }

    /// The images of one stored response.
    private struct Images {
        /// The memory keys of the images. The memory key of an evicted image remains until
        /// ``ImageMemoryCache/sweep(_:)`` removes it.
        var keys: Set<ImageCacheKey> = []
        /// The response of the last insert; the images that were inserted before follow it already.
        var response: StoredResponse?
    }

    private struct Index {
        /// The images of a stored response, by its key.
        var images: [CacheKey: Images] = [:]
        var keyCount = 0
        /// False while the application has disabled the cache.
        var isEnabled = true
        /// Number of purges and removals so far.
        var generation: UInt64 = 0
        /// Images of loads that started before this generation are not inserted.
        var oldestGeneration: UInt64 = 0
        /// The last removals, the oldest first.
        var removals: [(generation: UInt64, key: CacheKey)] = []
    }

    let cache: MemoryCache<ImageCacheKey, CachedImage>
    /// Protects the index of keys; the lock of the memory cache is acquired while this one is held.
    private let index = Mutex(Index())
    /// Maximum number of removals that are recorded individually.
    private static let maxRemovals = 256

    init(maxBytes: Int, maxCount: Int?) { cache = MemoryCache(maxBytes: maxBytes, maxCount: maxCount) }

    /// The current generation of the cache, for ``insert(_:for:since:now:)``.
    var generation: UInt64 { index.locked(in: self) { $0.generation } }

    /// Inserts an image of a load that started at `generation`, unless the image was removed or the cache purged since
    /// then.
    ///
    /// - Parameter now: The current time. An existing image is not replaced if its response is newer than that of
    ///   `image`; a response with a time after `now` does not count as newer. Nil replaces any image.
    /// - Returns: False when the image is not inserted, also when it is too large.
    @discardableResult
    func insert(_ image: CachedImage, for key: ImageCacheKey, since generation: UInt64, now: WallTime? = nil) -> Bool {
        index.locked(in: self) { index in
            let isRemoved = index.removals.contains { $0.generation > generation && $0.key == image.entry.key }
            let isOutdated = now.map { cache.peek(key)?.isNewer(than: image, now: $0) == true } ?? false
            guard index.isEnabled, generation >= index.oldestGeneration, !isRemoved, !isOutdated,
                cache.insert(image, for: key, cost: image.content.byteCount)
            else { return false }
            let entry = image.entry
            var images = index.images[entry.key] ?? Images()
            index.images[entry.key] = nil  // So that the change does not copy the set.
            if images.keys.insert(key).inserted { index.keyCount += 1 }
            if images.response != entry.response {
                images.response = entry.response
                for other in images.keys where other != key {
                    if let sibling = cache.peek(other), sibling.follow(entry) { continue }
                    cache.removeValue(for: other)
                    images.keys.remove(other)
                    index.keyCount -= 1
                }
            }
            index.images[entry.key] = images
            sweep(&index)
            return true
        }
    }

    /// An image of any decoding variant of a stored response whose encoded bytes are in memory and whose entry fulfils
    /// `condition`; nil for none.
    func encodedImage(of key: CacheKey, where condition: (CacheEntry) -> Bool) -> CachedImage? {
        var newest: CachedImage?
        for key in index.locked(in: self, { $0.images[key]?.keys ?? [] }) {
            guard let image = cache.peek(key), image.content.bytes != nil, condition(image.entry),
                let time = image.entry.response?.responseTime
            else { continue }
            if let other = newest?.entry.response?.responseTime, other >= time { continue }
            newest = image
        }
        return newest
    }

    /// Removes every decoded image of a stored response, and prevents running loads from inserting it.
    func remove(_ key: CacheKey) {
        index.locked(in: self) { index in
            index.generation += 1
            if index.removals.count == Self.maxRemovals {
                index.oldestGeneration = index.removals.removeFirst().generation
            }
            index.removals.append((index.generation, key))
            guard let keys = index.images.removeValue(forKey: key)?.keys else { return }
            index.keyCount -= keys.count
            for key in keys { cache.removeValue(for: key) }
        }
    }

    /// Removes all images, and prevents running loads from inserting theirs.
    func purge() -> RemovalReport {
        index.locked(in: self) { index in
            index.generation += 1
            index.oldestGeneration = index.generation
            index.removals = []
            index.images = [:]
            index.keyCount = 0
            let report = RemovalReport(count: cache.count, bytes: cache.totalBytes)
            cache.removeAll()
            return report
        }
    }

    /// Enables or disables the cache; disabling purges it, and running loads insert nothing (C18 in Docs/originals.md).
    func setEnabled(_ isEnabled: Bool) {
        index.locked(in: self) { $0.isEnabled = isEnabled }
        if !isEnabled { _ = purge() }
    }

    /// Number of keys in the index, for tests.
    var indexedCount: Int { index.locked(in: self) { $0.keyCount } }

    /// Removes evicted keys from the index when it has more than 2n + 64 keys, where n is the number of cached images.
    private func sweep(_ index: inout Index) {
        guard index.keyCount > 2 * cache.count + 64 else { return }
        index.images = index.images.compactMapValues { images in
            var images = images
            images.keys = images.keys.filter { cache.peek($0) != nil }
            return images.keys.isEmpty ? nil : images
        }
        index.keyCount = index.images.values.reduce(0) { $0 + $1.keys.count }
    }
}
