extension DiskCache {
    /// The result of ``DiskCache/verify(removingBad:)``.
    public struct Verification: Hashable, Sendable {
        /// Number of entries that are good or bad.
        public internal(set) var checked = 0
        /// Number of entries that passed every check.
        public internal(set) var good = 0
        /// Sorted paths, below the folder, of entries that failed a check; reading them would be a miss.
        public internal(set) var bad: [String] = []
        /// Number of entries that are neither good nor bad because of a disk fault, another format version, a file that
        /// is not regular, or a body longer than ``DiskCache/maxBodyBytes``.
        public internal(set) var unread = 0
    }

    /// Reads and checks every entry completely; does not count as an access.
    ///
    /// - Parameter removingBad: True removes the entries that fail.
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
        switch readFile(of: name, key: nil, in: folder, withBody: true, touches: false) {
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
            // The file was removed by another thread or process since the listing.
            break
        }
    }
}
