#if Loader
internal import PlatformImage
internal import Synchronization

extension DiskCache {
    /// Removes the entries not used for the longest time until all together have at most `bytes`.
    ///
    /// - Returns: What was removed; nothing when they fit.
    public func trim(toBytes bytes: Int) async -> RemovalReport {
        await onQueue { cache in
            cache.finishScan()
            return cache.sweeping.locked(in: cache) { _ in
                cache.totals.locked(in: cache) { $0.bytes } > bytes
                    ? cache.sweep(to: max(0, bytes), insisting: true) : RemovalReport()
            }
        }
    }

    /// Makes room for a file of `length` bytes, which is not longer than the limit.
    /// - Parameter insisting: True sweeps also while another process does.
    func makeRoom(for length: Int, insisting: Bool) {
        // The limit may have been lowered since the length was compared with it: no room is enough then.
        guard let limit = maxBytes, length <= limit else { return }
        enforce(
            limit - length, leaving: min(limit / 5 * 4, max(0, limit - length)), insisting: insisting)
    }

    /// Brings what is there below the limit.
    func enforceLimit(insisting: Bool) {
        guard let limit = maxBytes else { return }
        enforce(limit, leaving: limit / 5 * 4, insisting: insisting)
    }

    private func enforce(_ most: Int, leaving target: Int, insisting: Bool) {
        // Threads of this process wait for each other here; for other processes nobody waits.
        sweeping.locked(in: self) { _ in
            guard totals.locked(in: self, { $0.bytes }) > most else { return }
            sweep(to: target, insisting: insisting)
        }
    }

    /// Runs with ``sweeping`` held.
    @discardableResult
    private func sweep(to target: Int, insisting: Bool) -> RemovalReport {
        guard let folder = folder(creating: false) else { return RemovalReport() }
        do {
            let lock = try folder.sweepLock()
            // A stopped process may hold the lock for ever. Two sweepers at once do no harm, only double work.
            guard lock != nil || insisting else { return RemovalReport() }
            return removeLeastRecent(in: folder, to: target)
        } catch {
            note(error, at: "opening sweep.lock")
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
            // One that was used since the listing is no longer the least recent.
            let removed = remove(candidate.name, in: folder) { $0.modified == candidate.modified }
            report.add(removed)
        }
        health.locked(in: self) { $0.counts.evictions += report.count }
        return report
    }

    /// All entries, about 40 bytes of memory for each; brings the totals up to date on the way.
    private func candidates(in folder: DiskDirectory) -> [Candidate] {
        var candidates: [Candidate] = []
        for shard in 0..<DiskName.shardCount {
            let mark = totals.locked(in: self) { $0.mark(shard: shard) }
            guard let listing = listing(of: shard, in: folder), let files = files(of: listing, in: shard, of: folder)
            else { continue }
            candidates += files.map { Candidate(name: $0.name, modified: $0.status.modified) }
            let bytes = files.reduce(0) { $0 + $1.status.length }
            totals.locked(in: self) { _ = $0.replace(shard: shard, entries: files.count, bytes: bytes, since: mark) }
        }
        return candidates
    }
}
#endif
