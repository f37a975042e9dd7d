// Entries in the order of their last use, with an index from key to entry. Nothing is allocated per entry: links,
// entries and index are three arrays, an entry is a number into the first two, and the place of a removed entry is used
// again.

@usableFromInline
struct LRUList<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What an entry is besides its key.
    @usableFromInline
    struct Content: Sendable {
        @usableFromInline let value: Value
        @usableFromInline let cost: Int
        /// Its expiry is in `expiries`.
        @usableFromInline let expires: Bool

        @inlinable
        init(value: Value, cost: Int, expires: Bool) {
            self.value = value
            self.cost = cost
            self.expires = expires
        }
    }

    /// The neighbours of an entry, and the hash its key had when it came: no key is hashed twice.
    @usableFromInline
    struct Link: Sendable, BitwiseCopyable {
        /// In a free link: the next free one, 0 for none.
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

    /// A ring. Number 0 is no entry but the seam: `older` of it is the newest entry, `newer` the oldest.
    @usableFromInline var links: ContiguousArray<Link>
    /// Nil at 0 and where an entry left.
    @usableFromInline var keys: ContiguousArray<Key?>
    /// Nil at 0 and where an entry left.
    @usableFromInline var contents: ContiguousArray<Content?>
    /// By number. Not in `Content`: the size of an `Instant` is known at run time only, which makes all around it slow.
    @usableFromInline var expiries: [Int: ContinuousClock.Instant]
    /// Open addressing with linear probing: the upper half of the hash, then the entry's number; 0 is empty.
    @usableFromInline var slots: ContiguousArray<UInt64>
    /// `hash >> shift` is where the search begins.
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

    /// The oldest entry, 0 for none.
    @inlinable var oldest: Int { Int(links[0].newer) }

    @inlinable
    func newer(than number: Int) -> Int { Int(links[number].newer) }

    /// `hashValue`, spread over the upper bits by which entries are found.
    @inlinable
    static func hash(of key: Key) -> UInt64 {
        // 2^64 divided by the golden ratio (Knuth, volume 3, 6.4): hash values that follow each other land far apart.
        UInt64(bitPattern: Int64(key.hashValue)) &* 0x9E37_79B9_7F4A_7C15
    }

    /// The number of the entry of `key`, 0 for none.
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

    /// Adds an entry as the newest and returns its number; the caller knows that its key is not here.
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
            precondition(number < UInt32.max, "a cache holds fewer than 2^32 entries")
            links.append(Link(older: 0, newer: 0, hash: hash))
            keys.append(key)
            contents.append(content)
        }
        linkAsNewest(number)
        occupySlot(of: number, hash: hash)
        count &+= 1
        return number
    }

    /// Gives an entry another content, as the newest, and returns the old one; number 0 or one that left traps.
    ///
    /// Key and slot stay as they are, so this costs little more than a look-up.
    @inlinable
    mutating func replaceAsNewest(_ number: Int, by content: Content) -> Content {
        var content: Content? = content
        swap(&content, &contents[number])
        guard let content else { preconditionFailure("no entry \(number)") }
        if content.expires { expiries[number] = nil }
        makeNewest(number)
        return content
    }

    /// Moves an entry out; number 0 or one that left is a bug and traps.
    @inlinable
    mutating func remove(_ number: Int) -> (key: Key, content: Content) {
        var key: Key?
        var content: Content?
        swap(&key, &keys[number])
        swap(&content, &contents[number])
        guard let key, let content else { preconditionFailure("no entry \(number)") }
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

    /// Empties the slot and moves later ones of the same run up, so that no search meets a gap.
    @inlinable
    mutating func freeSlot(of number: Int) {
        let mask = slots.count &- 1
        var gap = Int(truncatingIfNeeded: links[number].hash >> shift)
        while Int(truncatingIfNeeded: slots[gap] & 0xFFFF_FFFF) != number { gap = (gap &+ 1) & mask }
        var next = (gap &+ 1) & mask
        while slots[next] != 0 {
            // The slot holds the hash's upper half, and `shift` never falls under 32.
            let home = Int(truncatingIfNeeded: slots[next] >> shift)
            if (next &- home) & mask >= (next &- gap) & mask {
                slots[gap] = slots[next]
                gap = next
            }
            next = (next &+ 1) & mask
        }
        slots[gap] = 0
    }

    @inlinable
    mutating func growSlots() {
        precondition(shift > 32, "a cache holds fewer than 2^32 entries")
        let old = slots
        slots = ContiguousArray(repeating: 0, count: old.count * 2)
        shift &-= 1
        for slot in old where slot != 0 {
            occupySlot(of: Int(slot & 0xFFFF_FFFF), hash: slot)
        }
    }
}
