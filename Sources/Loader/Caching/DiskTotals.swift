#if Loader
/// How many files there are and how long they are together, shard by shard, as far as is known.
///
/// Own stores and removals keep it exact; a scan brings in what was there before and what other processes did.
struct DiskTotals {
    private struct Shard {
        var entries = 0
        var bytes = 0
        var changes: UInt64 = 0
    }

    private(set) var entries = 0
    private(set) var bytes = 0
    /// Bytes stored since the last scan began; other processes may have stored as much unseen.
    var bytesSinceScan = 0

    private var shards = [Shard](repeating: Shard(), count: DiskName.shardCount)

    /// Notes a file that came, went or was replaced.
    mutating func change(shard: Int, entries: Int, bytes: Int) {
        shards[shard].changes &+= 1
        set(shard, entries: shards[shard].entries + entries, bytes: shards[shard].bytes + bytes)
        bytesSinceScan += max(0, bytes)
    }

    /// Stands for the shard's present state, to be given to ``replace(shard:entries:bytes:since:)``.
    func mark(shard: Int) -> UInt64 { shards[shard].changes }

    /// Takes over what a listing found; false when the shard changed meanwhile, so that the listing proves nothing.
    mutating func replace(shard: Int, entries: Int, bytes: Int, since mark: UInt64?) -> Bool {
        if let mark, shards[shard].changes != mark { return false }
        set(shard, entries: entries, bytes: bytes)
        return true
    }

    private mutating func set(_ shard: Int, entries: Int, bytes: Int) {
        // Files that others removed before the first scan may make a difference negative.
        let entries = max(0, entries)
        let bytes = max(0, bytes)
        self.entries += entries - shards[shard].entries
        self.bytes += bytes - shards[shard].bytes
        shards[shard].entries = entries
        shards[shard].bytes = bytes
    }
}
#endif
