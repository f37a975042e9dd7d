#if Loader
internal import Dispatch
internal import PlatformImage
internal import Synchronization

/// How far the background scan is.
struct DiskScan {
    /// The next shard; nil when no scan is under way.
    var next: Int?
    /// True once a scan has come to its end.
    var hasFinished = false
}

extension DiskCache {
    /// Starts counting what is in the folder, one shard at a time, so that other work on the queue gets its turn.
    func beginScan() {
        let begins = scan.locked(in: self) { scan in
            if scan.next != nil { return false }
            scan.next = 0
            return true
        }
        guard begins else { return }
        totals.locked(in: self) { $0.bytesSinceScan = 0 }
        scanNext()
    }

    /// Other processes may store as much as this one: look again each time a 16th of the limit was stored.
    func rescanIfDue() {
        guard let maxBytes else { return }
        if totals.locked(in: self, { $0.bytesSinceScan > max(maxBytes / 16, 1 << 16) }) { beginScan() }
    }

    private func scanNext() {
        queue.async { [weak self] in
            guard let self else { return }
            if scanStep() { scanNext() } else { enforceLimit(insisting: false) }
        }
    }

    /// Scans all shards, on the calling thread, which is the queue's: a scan that is under way may have passed what
    /// others have changed since.
    func finishScan() {
        scan.locked(in: self) { $0.next = 0 }
        while scanStep() {}
    }

    /// Counts one shard; false when it was the last.
    private func scanStep() -> Bool {
        guard let shard = scan.locked(in: self, { $0.next }) else { return false }
        if let folder = folder(creating: false) {
            count(shard, in: folder)
        } else {
            totals.locked(in: self) { _ = $0.replace(shard: shard, entries: 0, bytes: 0, since: nil) }
        }
        return scan.locked(in: self) { scan in
            scan.next = shard + 1 < DiskName.shardCount ? shard + 1 : nil
            if scan.next == nil { scan.hasFinished = true }
            return scan.next != nil
        }
    }

    private func count(_ shard: Int, in folder: DiskDirectory) {
        let moment = now()
        for attempt in 0..<4 {
            let mark = totals.locked(in: self) { $0.mark(shard: shard) }
            // A shard that cannot be listed now has what is known of it.
            guard let listing = listing(of: shard, in: folder), let files = files(of: listing, in: shard, of: folder)
            else { return }
            removeTemporaries(listing, in: shard, of: folder) { process, status in
                Self.isAbandoned(process, status, at: moment)
            }
            let bytes = files.reduce(0) { $0 + $1.status.length }
            let isTaken = totals.locked(in: self) {
                $0.replace(shard: shard, entries: files.count, bytes: bytes, since: attempt < 3 ? mark : nil)
            }
            if isTaken { return }
        }
    }

    /// True for a file that nobody is writing any more: its process is gone, or it is older than an hour.
    private static func isAbandoned(_ process: Int32, _ status: DiskStatus, at moment: WallTime) -> Bool {
        if moment - status.modified > 3_600_000 { return true }
        return System.hasEnded(process: process)
    }
}
#endif
