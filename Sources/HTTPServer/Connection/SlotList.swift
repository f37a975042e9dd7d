/// A doubly linked list of slot numbers with a key for each, in ascending order of the keys. A slot is in the list at
/// most once; every operation but an insertion out of order takes constant time.
///
/// Of the time limits of a loop, one list per kind; of its idle connections, one list by the time at which they became
/// idle.
struct SlotList: Sendable {
    private struct Node: Sendable {
        var key: UInt64 = 0
        /// -1 at the ends; -2 for a slot that is not in the list.
        var previous: Int32 = -2
        var next: Int32 = -2
    }

    private var nodes: [Node] = []
    private var first: Int32 = -1
    private var last: Int32 = -1

    var isEmpty: Bool { first < 0 }

    /// The slot with the lowest key, and the key.
    var front: (slot: Int, key: UInt64)? { first < 0 ? nil : (Int(first), nodes[Int(first)].key) }

    func contains(_ slot: Int) -> Bool { nodes.indices.contains(slot) && nodes[slot].next != -2 }

    func key(of slot: Int) -> UInt64? { contains(slot) ? nodes[slot].key : nil }

    /// Inserts a slot or moves it. A key that is not lower than all others is found first.
    ///
    /// - Parameter slot: 0 to 2^31 - 1.
    mutating func insert(_ slot: Int, key: UInt64) {
        if contains(slot) { remove(slot) }
        while nodes.count <= slot { nodes.append(Node()) }
        var before = last
        while before >= 0, nodes[Int(before)].key > key { before = nodes[Int(before)].previous }
        let after = before < 0 ? first : nodes[Int(before)].next
        let number = Int32(truncatingIfNeeded: slot)
        nodes[slot] = Node(key: key, previous: before, next: after)
        if before < 0 { first = number } else { nodes[Int(before)].next = number }
        if after < 0 { last = number } else { nodes[Int(after)].previous = number }
    }

    /// Removes a slot; does nothing when it is not in the list.
    mutating func remove(_ slot: Int) {
        guard contains(slot) else { return }
        let node = nodes[slot]
        if node.previous < 0 { first = node.next } else { nodes[Int(node.previous)].next = node.next }
        if node.next < 0 { last = node.previous } else { nodes[Int(node.next)].previous = node.previous }
        nodes[slot] = Node()
    }
}
