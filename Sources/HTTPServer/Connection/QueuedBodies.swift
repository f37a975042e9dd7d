import Synchronization

/// The bodies of all connections of a server that clients have not received completely: the bytes of memory that only
/// slow clients keep.
///
/// A body that several responses share counts once. While more bytes than the maximum are queued, connections whose
/// client has read nothing for some time are closed (`TimeLimits.stalledResponseOverMaximum`).
final class QueuedBodies: Sendable {
    private struct State: Sendable {
        /// Number of connections by the address of the memory.
        var users: [UInt: Int] = [:]
        var byteCount = 0
    }

    /// Shorter parts of bodies are not counted: the number of connections limits them.
    static let minBytes = 65_536

    let maxBytes: Int
    private let state = Mutex(State())

    init(maxBytes: Int) { self.maxBytes = max(0, maxBytes) }

    /// Bytes of the queued bodies.
    var byteCount: Int { state.locked(in: self) { $0.byteCount } }

    var isOverMaximum: Bool { byteCount > maxBytes }

    /// Counts a body until the returned object is released; nil for a short one.
    func add(_ body: [UInt8]) -> Entry? {
        guard body.count >= Self.minBytes else { return nil }
        let address = unsafe body.withUnsafeBufferPointer { unsafe UInt(bitPattern: $0.baseAddress) }
        state.locked(in: self) { state in
            let users = state.users[address] ?? 0
            state.users[address] = users + 1
            if users == 0 { state.byteCount += body.count }
        }
        return Entry(self, address, body)
    }

    private func remove(_ address: UInt, _ count: Int) {
        state.locked(in: self) { state in
            let users = state.users[address] ?? 1
            state.users[address] = users > 1 ? users - 1 : nil
            if users == 1 { state.byteCount -= count }
        }
    }

    /// A body that is counted.
    final class Entry: Sendable {
        private let bodies: QueuedBodies
        private let address: UInt
        /// Kept, so that no other body can have the address while it is counted.
        private let body: [UInt8]

        fileprivate init(_ bodies: QueuedBodies, _ address: UInt, _ body: [UInt8]) {
            (self.bodies, self.address, self.body) = (bodies, address, body)
        }

        deinit { bodies.remove(address, body.count) }
    }
}
