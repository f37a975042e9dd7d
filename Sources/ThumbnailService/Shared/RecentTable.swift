/// Dictionary with a maximum size. It has two halves: recently set entries and older entries. When the recent half is
/// full, the next insertion evicts all older entries. Reading an entry does not count as use.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Maximum number of entries, at least 2.
    let capacity: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    init(capacity: Int) {
        precondition(capacity >= 2, "capacity must be at least 2")
        self.capacity = capacity
    }

    /// Number of entries.
    var count: Int { young.count + old.count }

    /// Accesses the value of a key; nil when it is missing or evicted. Setting nil removes the entry.
    subscript(key: Key) -> Value? {
        get { young[key] ?? old[key] }
        set {
            old[key] = nil
            guard let newValue else {
                young[key] = nil
                return
            }
            if young[key] == nil, young.count >= capacity / 2 { (old, young) = (young, [:]) }
            young[key] = newValue
        }
    }
}
