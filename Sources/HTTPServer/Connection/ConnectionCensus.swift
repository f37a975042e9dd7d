import Synchronization

/// Limits for the number of connections.
package struct ConnectionLimits: Sendable {
    /// Maximum number of connections, at least 1.
    package var maxConnections = 4_096
    /// Maximum per IPv4 address or IPv6 /64 network, at least 1; nil for no limit.
    package var maxPerClient: Int?
    /// Maximum bytes of the bodies that clients have not received completely, 0 or more; bodies that responses share
    /// count once. Above it, connections whose client has read nothing for a second are closed.
    package var maxQueuedBytes = 256 << 20
    /// Returns true for addresses without a limit per client, such as those of proxies. Connections of Unix sockets
    /// have no such limit.
    package var isExempt: @Sendable (PeerAddress) -> Bool = { _ in false }

    /// Creates the default limits: 4,096 connections, no limit per client.
    package init() {}
}

/// What a loop publishes for the other loops.
final class LoopLoad: Sendable {
    /// The value of ``longestIdle`` of a loop without idle connections.
    static let none = UInt64.max

    let mailbox: Mailbox<WorkerMessage>
    let connections = Atomic<Int>(0)
    /// Time at which the longest idle connection became idle, in units of 2^-20 ms.
    let longestIdle = Atomic<UInt64>(LoopLoad.none)

    init(_ mailbox: Mailbox<WorkerMessage>) { self.mailbox = mailbox }

    /// Number of connections.
    var count: Int { connections.load(ordering: .relaxed) }
}

/// A connection to which the limit per client applies.
final class ClientEntry: Sendable {
    let network: [UInt8]
    /// Time at which the connection became idle; the maximum while it has a request or has no loop yet.
    let idleSince = Atomic<UInt64>(LoopLoad.none)
    fileprivate let location = Mutex<(loop: Int, connection: ConnectionID)?>(nil)

    fileprivate init(_ network: [UInt8]) { self.network = network }

    /// Sets the loop that has adopted the connection.
    func setLocation(loop: Int, _ connection: ConnectionID) {
        location.locked(in: self) { $0 = (loop, connection) }
    }
}

/// The connections of all loops of a server.
///
/// Idle connections cannot exhaust the server: when the number of connections reaches the maximum, the connection that
/// has been idle longest is closed. A connection is idle while it has no request with a complete head.
final class ConnectionCensus: Sendable {
    private let limits: ConnectionLimits
    private let total = Atomic<Int>(0)
    /// Loops that were told to close a connection and have not done so yet.
    private let pendingCloses = Atomic<Int>(0)
    /// True when a loop has stopped accepting because of the maximum.
    private let isWaiting = Atomic(false)
    private let clients = Mutex<[[UInt8]: [ClientEntry]]>([:])
    let loads: [LoopLoad]
    let queuedBodies: QueuedBodies

    init(_ limits: ConnectionLimits, _ loads: [LoopLoad]) {
        self.limits = limits
        self.loads = loads
        queuedBodies = QueuedBodies(maxBytes: limits.maxQueuedBytes)
    }

    /// Tells all loops to close the connections whose clients do not read, when too many bytes are queued.
    func closeStalled() {
        for load in loads { load.mailbox.post(.closeStalled) }
    }

    /// Number of open connections.
    var count: Int { total.load(ordering: .relaxed) }

    /// Reserves a place for a connection.
    ///
    /// - Returns: False at the maximum; the loop gets `resumeAccepting` when a place is free.
    func reserve() -> Bool {
        var count = total.load(ordering: .sequentiallyConsistent)
        while true {
            if count >= limits.maxConnections {
                isWaiting.store(true, ordering: .sequentiallyConsistent)
                count = total.load(ordering: .sequentiallyConsistent)
                if count >= limits.maxConnections { return false }
            }
            let (exchanged, original) = total.weakCompareExchange(
                expected: count, desired: count + 1, ordering: .sequentiallyConsistent)
            if exchanged { return true }
            count = original
        }
    }

    /// Returns a place.
    func release() {
        total.subtract(1, ordering: .sequentiallyConsistent)
        guard isWaiting.exchange(false, ordering: .sequentiallyConsistent) else { return }
        for load in loads { load.mailbox.post(.resumeAccepting) }
    }

    /// Closes the connection that has been idle longest, if the maximum is reached.
    func makeRoom() {
        let count = total.load(ordering: .relaxed)
        guard count >= limits.maxConnections, count - pendingCloses.load(ordering: .relaxed) >= limits.maxConnections
        else { return }
        closeLongestIdle()
    }

    /// Closes the connection that has been idle longest.
    ///
    /// - Returns: False if no connection is idle.
    @discardableResult
    func closeLongestIdle() -> Bool {
        var found: (since: UInt64, load: LoopLoad)?
        for load in loads {
            let since = load.longestIdle.load(ordering: .relaxed)
            if since != LoopLoad.none, since < found?.since ?? LoopLoad.none { found = (since, load) }
        }
        guard let found else { return false }
        pendingCloses.add(1, ordering: .relaxed)
        if found.load.mailbox.post(.closeLongestIdle) { return true }
        closeEnded()
        return false
    }

    /// A loop has closed a connection that ``closeLongestIdle()`` has selected.
    func closeEnded() { pendingCloses.subtract(1, ordering: .relaxed) }

    enum Admission {
        /// No limit applies.
        case unlimited
        case limited(ClientEntry)
        /// The client is at its limit, and all its connections have requests.
        case refused
    }

    /// Adds a connection. Closes the longest idle connection of the same client when that client is at its limit.
    func admit(_ peer: PeerAddress) -> Admission {
        guard let most = limits.maxPerClient, !peer.isLocal, !limits.isExempt(peer) else { return .unlimited }
        let entry = ClientEntry(peer.network)
        let (isAdmitted, victim) = clients.locked(in: self) { clients -> (Bool, ClientEntry?) in
            var entries = clients[entry.network] ?? []
            var victim: ClientEntry?
            if entries.count >= most {
                let idle = entries.enumerated().map { ($0.offset, $0.element.idleSince.load(ordering: .relaxed)) }
                guard let longest = idle.min(by: { $0.1 < $1.1 }), longest.1 != LoopLoad.none else {
                    return (false, nil)
                }
                victim = entries.remove(at: longest.0)
            }
            entries.append(entry)
            clients[entry.network] = entries
            return (true, victim)
        }
        if let place = victim.flatMap({ victim in victim.location.locked(in: victim) { $0 } }) {
            loads[place.loop].mailbox.post(.closeIfIdle(place.connection))
        }
        return isAdmitted ? .limited(entry) : .refused
    }

    /// Removes a connection that was admitted.
    func remove(_ entry: ClientEntry) {
        clients.locked(in: self) { clients in
            guard var entries = clients[entry.network] else { return }
            entries.removeAll { $0 === entry }
            clients[entry.network] = entries.isEmpty ? nil : entries
        }
    }
}
