#if Service
/// A table of bounded size that forgets what was not used for longest, a half at a time.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Entries at most, at least 2.
    let capacity: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    init(capacity: Int) {
        precondition(capacity >= 2, "a table of two halves")
        self.capacity = capacity
    }

    /// Entries now.
    var count: Int { young.count + old.count }

    /// Nil for what is not there, or was forgotten; setting nil takes it out.
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
#endif
