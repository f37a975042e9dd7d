internal import PlatformImage
internal import Synchronization

extension DiskCache {
    /// Evicts the least recently used entries until the total length is at most `bytes`.
    ///
    /// - Returns: The removed entries; empty when no entry had to be removed.
    public func trim(toBytes bytes: Int) async -> RemovalReport {
        await onQueue { cache in
            cache.finishScan()
            return cache.sweeping.locked(in: cache) { _ in
                cache.totals.locked(in: cache) { $0.bytes } > bytes
                    ? cache.sweep(to: max(0, bytes), ignoringLock: true) : RemovalReport()
            }
        }
    }

    /// Frees space for a file of `length` bytes; does nothing when `length` exceeds ``maxBytes``.
    ///
    /// - Parameter ignoringLock: True sweeps even while another process sweeps.
    func freeSpace(for length: Int, ignoringLock: Bool) {
        // The limit may have been lowered since the caller compared `length` with it: the file then does not fit.
        guard let limit = maxBytes, length <= limit else { return }
        enforce(
            limit - length, sweepingTo: min(limit / 5 * 4, max(0, limit - length)), ignoringLock: ignoringLock)
    }

    /// If the total length exceeds the limit, evicts entries until it is at most 80 % of the limit.
    func enforceLimit(ignoringLock: Bool) {
        guard let limit = maxBytes else { return }
        enforce(limit, sweepingTo: limit / 5 * 4, ignoringLock: ignoringLock)
    }

    private func enforce(_ limit: Int, sweepingTo target: Int, ignoringLock: Bool) {
        // Threads of this process wait here for a running sweep; sweeps of other processes are not awaited.
        sweeping.locked(in: self) { _ in
            guard totals.locked(in: self, { $0.bytes }) > limit else { return }
            sweep(to: target, ignoringLock: ignoringLock)
        }
    }

    /// Evicts entries until the total length is at most `target`; the caller holds the lock ``sweeping``.
    @discardableResult
    private func sweep(to target: Int, ignoringLock: Bool) -> RemovalReport {
        guard let folder = folder(creating: false) else { return RemovalReport() }
        do {
            let lock = try folder.sweepLock()
            // A stopped process may hold the lock forever. Two concurrent sweeps are safe, they only duplicate work.
            guard lock != nil || ignoringLock else { return RemovalReport() }
            return removeLeastRecent(in: folder, to: target)
        } catch {
            recordFault(error, at: "opening sweep.lock")
            return removeLeastRecent(in: folder, to: target)
        }
    }

    private struct Candidate {
        let name: DiskName
        let modified: WallTime
    }

    private func removeLeastRecent(in folder: DiskDirectory, to target: Int) -> RemovalReport {
        var report = RemovalReport()
        var candidates = candidates(in: folder)
        candidates.sort { $0.modified < $1.modified }
        for candidate in candidates where totals.locked(in: self, { $0.bytes }) > target {
            // An entry that was used since the listing is no longer the least recently used.
            let removed = remove(candidate.name, in: folder) { $0.modified == candidate.modified }
            report.add(removed)
        }
        health.locked(in: self) { $0.counts.evictions += report.count }
        return report
    }

    /// Returns all entries, about 40 bytes of memory each, and updates the totals.
    private func candidates(in folder: DiskDirectory) -> [Candidate] {
        var candidates: [Candidate] = []
        for shard in 0..<DiskName.shardCount {
            let changeCount = totals.locked(in: self) { $0.changeCount(shard: shard) }
            guard let listing = listing(of: shard, in: folder), let files = files(of: listing, in: shard, of: folder)
            else { continue }
            candidates += files.map { Candidate(name: $0.name, modified: $0.status.modified) }
            let bytes = files.reduce(0) { $0 + $1.status.length }
            totals.locked(in: self) {
                _ = $0.replace(shard: shard, entries: files.count, bytes: bytes, since: changeCount)
            }
        }
        return candidates
    }
}
