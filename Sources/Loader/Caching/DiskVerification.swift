#if Loader
extension DiskCache {
    /// What ``DiskCache/verify(removingBad:)`` found.
    public struct Verification: Hashable, Sendable {
        /// Entries that were read whole.
        public internal(set) var checked = 0
        /// Entries whose every check held.
        public internal(set) var good = 0
        /// Paths below the folder of entries that failed one, in order; a read of them would have been a miss.
        public internal(set) var bad: [String] = []
        /// Entries that could not be read for a fault of the disk, those of a later version and those whose body is longer
        /// than ``DiskCache/maxBodyBytes``: neither good nor bad.
        public internal(set) var unread = 0
    }

    /// Reads every entry whole and checks it, without counting as an access.
    ///
    /// - Parameter removingBad: True removes those that fail.
    public func verify(removingBad: Bool = false) async -> Verification {
        await onQueue { cache in
            var result = Verification()
            guard let folder = cache.folder(creating: false) else { return result }
            for shard in 0..<DiskName.shardCount {
                guard let listing = cache.listing(of: shard, in: folder) else { continue }
                for name in listing.entries {
                    cache.verify(name, in: folder, removingBad: removingBad, &result)
                }
            }
            result.bad.sort()
            return result
        }
    }

    private func verify(
        _ name: DiskName, in folder: DiskDirectory, removingBad: Bool, _ result: inout Verification
    ) {
        switch reading(of: name, key: nil, in: folder, withBody: true, touches: false) {
        case .found:
            result.checked += 1
            result.good += 1
        case .damaged(let identity):
            result.checked += 1
            result.bad.append(name.path)
            if removingBad { remove(name, in: folder) { $0.identity == identity } }
        case .foreign, .overLimit, .failed:
            result.unread += 1
        case .missing:
            // Removed by somebody since the listing.
            break
        }
    }
}
#endif
