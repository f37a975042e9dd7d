internal import Dispatch
internal import PlatformImage
internal import Synchronization

/// Progress of the background scan.
struct DiskScan {
    /// The next shard; nil when no scan is running.
    var next: Int?
    /// True once a scan has finished.
    var hasFinished = false
}

extension DiskCache {
    /// Starts counting the folder's contents, one shard per queue item, so that other work on the queue can run.
    func beginScan() {
        let starts = scan.locked(in: self) { scan in
            if scan.next != nil { return false }
            scan.next = 0
            return true
        }
        guard starts else { return }
        totals.locked(in: self) { $0.bytesSinceScan = 0 }
        scanNext()
    }

    /// Starts a scan when more than 1/16 of ``maxBytes`` (and more than 64 KiB) was stored since the last scan started,
    /// because other processes may have stored as many bytes.
    func rescanIfDue() {
        guard let maxBytes else { return }
        if totals.locked(in: self, { $0.bytesSinceScan > max(maxBytes / 16, 1 << 16) }) { beginScan() }
    }

    private func scanNext() {
        queue.async { [weak self] in
            guard let self else { return }
            if scanStep() { scanNext() } else { enforceLimit(ignoringLock: false) }
        }
    }

    /// Scans all shards on the calling thread, which must be a thread of the cache's queue. Restarts a running scan:
    /// shards that it has counted may have been changed by other processes.
    func finishScan() {
        scan.locked(in: self) { $0.next = 0 }
        while scanStep() {}
    }

    /// Counts one shard; returns false when no shard remains.
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
        let time = now()
        for attempt in 0..<4 {
            let changeCount = totals.locked(in: self) { $0.changeCount(shard: shard) }
            // The counts of a shard that cannot be listed are unchanged.
            guard let listing = listing(of: shard, in: folder), let files = files(of: listing, in: shard, of: folder)
            else { return }
            removeTemporaries(listing, in: shard, of: folder) { process, status in
                Self.isAbandoned(process, status, at: time)
            }
            let bytes = files.reduce(0) { $0 + $1.status.length }
            let isCurrent = totals.locked(in: self) {
                $0.replace(shard: shard, entries: files.count, bytes: bytes, since: attempt < 3 ? changeCount : nil)
            }
            if isCurrent { return }
        }
    }

    /// Returns true for a temporary file whose process has ended, or that is older than an hour.
    private static func isAbandoned(_ process: Int32, _ status: DiskStatus, at time: WallTime) -> Bool {
        if time - status.modified > 3_600_000 { return true }
        return System.hasEnded(process: process)
    }
}
