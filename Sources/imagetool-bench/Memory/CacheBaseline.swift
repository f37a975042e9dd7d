import PlatformImage
import Synchronization

/// Conventional LRU cache: a `Dictionary` from key to node, nodes as objects in a doubly linked list, one lock.
final class CacheBaseline: Sendable {
    /// Key without a stored hash; it is hashed at every lookup.
    struct Key: Hashable, Sendable {
        var url: String
        var width = 0
        var height = 0
        var scale = 1
    }

    private final class Node {
        let key: Key
        var value: Int
        var cost: Int
        var newer: Node?
        // Cheaper than `weak`, which most implementations use.
        unowned(unsafe) var older: Node?

        init(key: Key, value: Int, cost: Int) {
            self.key = key
            self.value = value
            self.cost = cost
        }
    }

    private struct State {
        var nodes: [Key: Node] = [:]
        var newest: Node?
        var oldest: Node?
        var totalBytes = 0

        mutating func unlink(_ node: Node) {
            let (newer, older) = (node.newer, node.older)
            if let older { older.newer = newer } else { oldest = newer }
            if let newer { newer.older = older } else { newest = older }
            node.newer = nil
            node.older = nil
        }

        mutating func linkAsNewest(_ node: Node) {
            node.older = newest
            if let newest { newest.newer = node } else { oldest = node }
            newest = node
        }
    }

    private let maxBytes: Int
    private let state = Mutex(State())

    init(maxBytes: Int) { self.maxBytes = maxBytes }

    func value(for key: Key) -> Int? {
        state.locked(in: self) { state in
            guard let node = state.nodes[key] else { return nil }
            if state.newest !== node {
                state.unlink(node)
                state.linkAsNewest(node)
            }
            return node.value
        }
    }

    @discardableResult
    func insert(_ value: Int, for key: Key, cost: Int) -> Bool {
        state.locked(in: self) { state in
            if let node = state.nodes[key] {
                state.totalBytes += cost - node.cost
                node.value = value
                node.cost = cost
                if state.newest !== node {
                    state.unlink(node)
                    state.linkAsNewest(node)
                }
            } else {
                let node = Node(key: key, value: value, cost: cost)
                state.nodes[key] = node
                state.linkAsNewest(node)
                state.totalBytes += cost
            }
            while state.totalBytes > maxBytes, let oldest = state.oldest {
                state.unlink(oldest)
                state.nodes[oldest.key] = nil
                state.totalBytes -= oldest.cost
            }
            return true
        }
    }
}
