// A hash table and a doubly linked list in least-recently-used order. No allocation per entry: links, keys, contents
// and hash slots are arrays, an entry is an index into the first three, and indexes of removed entries are reused.

@usableFromInline
struct LRUTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The value of an entry, its cost, and a flag for an expiry.
    @usableFromInline
    struct Content: Sendable {
        @usableFromInline let value: Value
        @usableFromInline let cost: Int
        /// True when `expiries` contains the entry.
        @usableFromInline let expires: Bool

        @inlinable
        init(value: Value, cost: Int, expires: Bool) {
            self.value = value
            self.cost = cost
            self.expires = expires
        }
    }

    /// The neighbours of an entry and the hash of its key, stored so that removing the entry does not hash the key
    /// again, and a look-up compares the hash before the key.
    @usableFromInline
    struct Link: Sendable, BitwiseCopyable {
        /// The index of the next older entry, 0 for none. In an unused link: the index of the next unused link, 0 for
        /// none.
        @usableFromInline var older: UInt32
        @usableFromInline var newer: UInt32
        @usableFromInline var hash: UInt64

        @inlinable
        init(older: UInt32, newer: UInt32, hash: UInt64) {
            self.older = older
            self.newer = newer
            self.hash = hash
        }
    }

    /// A circular list. Index 0 is the sentinel: its `older` is the newest entry, its `newer` the oldest.
    @usableFromInline var links: ContiguousArray<Link>
    /// Keys by entry index; nil at index 0 and at unused indexes.
    @usableFromInline var keys: ContiguousArray<Key?>
    /// Contents by entry index; nil at index 0 and at unused indexes.
    @usableFromInline var contents: ContiguousArray<Content?>
    /// Expiry times by entry index. They are not stored in `Content`: the size of `Instant` is known only at run time,
    /// so each access to a struct with an `Instant` would be slower.
    @usableFromInline var expiries: [Int: ContinuousClock.Instant]
    /// A hash table with open addressing and linear probing. Each slot contains the upper half of the hash and the
    /// entry index; 0 is an empty slot.
    @usableFromInline var slots: ContiguousArray<UInt64>
    /// The first probed slot is `hash >> shift`.
    @usableFromInline var shift: UInt64
    @usableFromInline var firstFree: UInt32
    @usableFromInline var count: Int

    @inlinable
    init() {
        links = [Link(older: 0, newer: 0, hash: 0)]
        keys = [nil]
        contents = [nil]
        expiries = [:]
        slots = ContiguousArray(repeating: 0, count: 16)
        shift = 60
        firstFree = 0
        count = 0
    }

    /// The least recently used entry, 0 for none.
    @inlinable var oldest: Int { Int(links[0].newer) }

    @inlinable
    func newer(than number: Int) -> Int { Int(links[number].newer) }

    /// `hashValue` with its bits spread to the upper half, which selects the slot.
    @inlinable
    static func hash(of key: Key) -> UInt64 {
        // Fibonacci hashing: 2^64 divided by the golden ratio (Knuth, volume 3, 6.4) spreads consecutive values.
        UInt64(bitPattern: Int64(key.hashValue)) &* 0x9E37_79B9_7F4A_7C15
    }

    /// The index of the entry of `key`, 0 for none.
    @inlinable
    func find(_ key: Key, hash: UInt64) -> Int {
        let mask = slots.count &- 1
        var position = Int(truncatingIfNeeded: hash >> shift)
        while true {
            let slot = slots[position]
            if slot == 0 { return 0 }
            if (slot ^ hash) >> 32 == 0 {
                let number = Int(truncatingIfNeeded: slot & 0xFFFF_FFFF)
                if links[number].hash == hash, keys[number] == key { return number }
            }
            position = (position &+ 1) & mask
        }
    }

    @inlinable
    mutating func makeNewest(_ number: Int) {
        guard Int(links[0].older) != number else { return }
        unlink(number)
        linkAsNewest(number)
    }

    /// Adds an entry as the newest and returns its index; the caller guarantees that the key is not present.
    @inlinable
    mutating func append(_ key: Key, _ content: Content, hash: UInt64) -> Int {
        if (count &+ 1) &* 4 > slots.count &* 3 { growSlots() }
        let number: Int
        if firstFree != 0 {
            number = Int(firstFree)
            firstFree = links[number].older
            links[number].hash = hash
            keys[number] = key
            contents[number] = content
        } else {
            number = links.count
            precondition(number < UInt32.max, "a cache can contain at most 2^32 - 2 entries")
            links.append(Link(older: 0, newer: 0, hash: hash))
            keys.append(key)
            contents.append(content)
        }
        linkAsNewest(number)
        occupySlot(of: number, hash: hash)
        count &+= 1
        return number
    }

    /// Replaces the content of an entry, makes it the newest and returns the old content; index 0 or a free index
    /// traps.
    ///
    /// Key and slot do not change, so the cost is little more than a look-up.
    @inlinable
    mutating func replaceAsNewest(_ number: Int, by content: Content) -> Content {
        var content: Content? = content
        swap(&content, &contents[number])
        guard let content else { preconditionFailure("no entry at index \(number)") }
        if content.expires { expiries[number] = nil }
        makeNewest(number)
        return content
    }

    /// Removes and returns an entry; index 0 or a free index traps.
    @inlinable
    mutating func remove(_ number: Int) -> (key: Key, content: Content) {
        var key: Key?
        var content: Content?
        swap(&key, &keys[number])
        swap(&content, &contents[number])
        guard let key, let content else { preconditionFailure("no entry at index \(number)") }
        if content.expires { expiries[number] = nil }
        freeSlot(of: number)
        unlink(number)
        links[number].older = firstFree
        firstFree = UInt32(truncatingIfNeeded: number)
        count &-= 1
        return (key, content)
    }

    @inlinable
    mutating func unlink(_ number: Int) {
        let link = links[number]
        links[Int(link.older)].newer = link.newer
        links[Int(link.newer)].older = link.older
    }

    @inlinable
    mutating func linkAsNewest(_ number: Int) {
        let newest = links[0].older
        links[number].older = newest
        links[number].newer = 0
        links[Int(newest)].newer = UInt32(truncatingIfNeeded: number)
        links[0].older = UInt32(truncatingIfNeeded: number)
    }

    @inlinable
    mutating func occupySlot(of number: Int, hash: UInt64) {
        let mask = slots.count &- 1
        var position = Int(truncatingIfNeeded: hash >> shift)
        while slots[position] != 0 { position = (position &+ 1) & mask }
        slots[position] = (hash >> 32) << 32 | UInt64(truncatingIfNeeded: number)
    }

    /// Empties the slot and shifts later slots of the same run back (backward shift deletion), so that probing needs no
    /// tombstones.
    @inlinable
    mutating func freeSlot(of number: Int) {
        let mask = slots.count &- 1
        var hole = Int(truncatingIfNeeded: links[number].hash >> shift)
        while Int(truncatingIfNeeded: slots[hole] & 0xFFFF_FFFF) != number { hole = (hole &+ 1) & mask }
        var next = (hole &+ 1) & mask
        while slots[next] != 0 {
            // The slot contains the upper half of the hash, and `shift` is at least 32.
            let preferredSlot = Int(truncatingIfNeeded: slots[next] >> shift)
            if (next &- preferredSlot) & mask >= (next &- hole) & mask {
                slots[hole] = slots[next]
                hole = next
            }
            next = (next &+ 1) & mask
        }
        slots[hole] = 0
    }

    @inlinable
    mutating func growSlots() {
        precondition(shift > 32, "the hash table of a cache can have at most 2^32 slots")
        let old = slots
        slots = ContiguousArray(repeating: 0, count: old.count * 2)
        shift &-= 1
        for slot in old where slot != 0 {
            occupySlot(of: Int(slot & 0xFFFF_FFFF), hash: slot)
        }
    }
}
