/// Number and total length of the files, per shard, as counted so far.
///
/// This process's stores and removals update it exactly; a scan adds existing files and changes by other processes.
struct DiskTotals {
    private struct Shard {
        var entries = 0
        var bytes = 0
        var changes: UInt64 = 0
    }

    private(set) var entries = 0
    private(set) var bytes = 0
    /// Bytes stored since the last scan started; other processes may have stored as many bytes.
    var bytesSinceScan = 0

    private var shards = [Shard](repeating: Shard(), count: DiskName.shardCount)

    /// Records a file that was added, removed or replaced.
    mutating func change(shard: Int, entries: Int, bytes: Int) {
        shards[shard].changes &+= 1
        set(shard, entries: shards[shard].entries + entries, bytes: shards[shard].bytes + bytes)
        bytesSinceScan += max(0, bytes)
    }

    /// Returns the change counter of a shard, for ``replace(shard:entries:bytes:since:)``.
    func changeCount(shard: Int) -> UInt64 { shards[shard].changes }

    /// Sets the counts of a shard from a listing. Returns false, and sets nothing, when the shard was changed since
    /// `changeCount` was read. Nil always sets the counts.
    mutating func replace(shard: Int, entries: Int, bytes: Int, since changeCount: UInt64?) -> Bool {
        if let changeCount, shards[shard].changes != changeCount { return false }
        set(shard, entries: entries, bytes: bytes)
        return true
    }

    private mutating func set(_ shard: Int, entries: Int, bytes: Int) {
        // Removals by other processes before the first scan can make a count negative.
        let entries = max(0, entries)
        let bytes = max(0, bytes)
        self.entries += entries - shards[shard].entries
        self.bytes += bytes - shards[shard].bytes
        shards[shard].entries = entries
        shards[shard].bytes = bytes
    }
}
