#if Service
import HummingbirdCore
import PlatformImage
import Synchronization

/// The connections of the public listener, with the idle ones in the order in which they became idle.
///
/// Idle connections cannot lock the service out: when the last place is taken, the connection that has been idle for
/// longest is closed. One client has a limited number of places, unless its address is that of a proxy.
final class ConnectionTable: Sendable {
    /// Names a connection of the table.
    typealias Number = UInt64

    /// A connection as the table needs it.
    struct Connection: Sendable {
        /// The other end; nil for one without an IP address, which has no limit of its own.
        let peer: IPAddress?
        /// Closes the connection unless a request has arrived by then; ``ConnectionTable/restore(_:_:)`` is called for
        /// one that stays.
        let closeIfIdle: @Sendable () -> Void
    }

    private let most: Int
    private let mostPerClient: Int?
    private let proxies: [AddressRange]
    private let state = Mutex(ConnectionTableState())

    /// - Parameters:
    ///   - most: Connections at once, at least 1.
    ///   - mostPerClient: Of one IPv4 address or IPv6 /64, at least 1; nil for no limit.
    ///   - proxies: Addresses that stand for many clients and have no limit of their own.
    init(most: Int, mostPerClient: Int?, proxies: [AddressRange]) {
        (self.most, self.mostPerClient, self.proxies) = (most, mostPerClient, proxies)
    }

    /// Connections now, without those that are being closed.
    var count: Int { state.locked(in: self) { $0.entries.count } }
    /// Connections without a request now.
    var idleCount: Int { state.locked(in: self) { $0.entries.values.count { $0.idleSince != nil } } }

    /// Adds a connection, which is idle. Closes the longest idle one of its client where that has no place left, and the
    /// longest idle one of all where this one takes the last place.
    ///
    /// - Returns: Nil for a connection to be closed: its client has no place left, and requests on all it has.
    func insert(_ connection: Connection) -> Number? {
        let client = limitedClient(connection.peer)
        let (number, victims) = state.locked(in: self) { state -> (Number?, [Connection]) in
            var victims: [Connection] = []
            if let client, let mostPerClient, state.count(of: client) >= mostPerClient {
                guard let number = state.longestIdle(of: client) else { return (nil, []) }
                state.remove(number).map { victims.append($0) }
            }
            if state.entries.count + 1 >= most, let number = state.longestIdle() {
                state.remove(number).map { victims.append($0) }
            }
            return (state.insert(connection, client), victims)
        }
        for victim in victims { victim.closeIfIdle() }
        return number
    }

    /// Notes that a request has arrived.
    func beginRequest(_ number: Number) { state.locked(in: self) { $0.entries[number]?.idleSince = nil } }

    /// Notes that a connection is idle again. Closes the one that has been idle for longest where no place is free.
    func endRequest(_ number: Number) {
        state.locked(in: self) { $0.setIdle(number) }
        makeRoom()
    }

    /// Takes a connection back that was to be closed and has a request.
    func restore(_ number: Number, _ connection: Connection) {
        let client = limitedClient(connection.peer)
        state.locked(in: self) { $0.restore(number, connection, client) }
        makeRoom()
    }

    /// Removes a connection that is closed; does nothing when it is not in the table.
    func remove(_ number: Number) { state.locked(in: self) { _ = $0.remove(number) } }

    private func makeRoom() {
        let victim = state.locked(in: self) { state in
            state.entries.count < most ? nil : state.longestIdle().flatMap { state.remove($0) }
        }
        victim?.closeIfIdle()
    }

    /// Nil for an address that has no limit of its own.
    private func limitedClient(_ peer: IPAddress?) -> IPAddress? {
        guard mostPerClient != nil, let peer, !proxies.contains(where: { $0.contains(peer) }) else { return nil }
        return peer.clientNetwork
    }
}

private struct ConnectionTableState {
    typealias Number = ConnectionTable.Number

    struct Entry {
        let connection: ConnectionTable.Connection
        let client: IPAddress?
        /// Counts how often any connection became idle before this one did; nil while it has a request.
        var idleSince: UInt64?
    }

    var entries: [Number: Entry] = [:]
    private var clients: [IPAddress: Set<Number>] = [:]
    /// In ascending order of `since`. Those whose connection became busy meanwhile are skipped, and removed in bulk.
    private var idle: [(since: UInt64, number: Number)] = []
    private var firstIdle = 0
    private var idleCounter: UInt64 = 0
    private var last: Number = 0

    func count(of client: IPAddress) -> Int { clients[client]?.count ?? 0 }

    mutating func insert(_ connection: ConnectionTable.Connection, _ client: IPAddress?) -> Number {
        last += 1
        restore(last, connection, client)
        setIdle(last)
        return last
    }

    mutating func restore(_ number: Number, _ connection: ConnectionTable.Connection, _ client: IPAddress?) {
        entries[number] = Entry(connection: connection, client: client)
        if let client { clients[client, default: []].insert(number) }
    }

    mutating func remove(_ number: Number) -> ConnectionTable.Connection? {
        guard let entry = entries.removeValue(forKey: number) else { return nil }
        if let client = entry.client {
            clients[client]?.remove(number)
            if clients[client]?.isEmpty == true { clients[client] = nil }
        }
        return entry.connection
    }

    mutating func setIdle(_ number: Number) {
        guard entries[number] != nil, entries[number]?.idleSince == nil else { return }
        idleCounter += 1
        entries[number]?.idleSince = idleCounter
        idle.append((idleCounter, number))
        guard idle.count > 64 + 2 * entries.count else { return }
        idle = idle[firstIdle...].filter { entries[$0.number]?.idleSince == $0.since }
        firstIdle = 0
    }

    mutating func longestIdle() -> Number? {
        while firstIdle < idle.count {
            let candidate = idle[firstIdle]
            if entries[candidate.number]?.idleSince == candidate.since { return candidate.number }
            firstIdle += 1
        }
        return nil
    }

    func longestIdle(of client: IPAddress) -> Number? {
        let idle = (clients[client] ?? []).compactMap { number in
            entries[number]?.idleSince.map { (since: $0, number: number) }
        }
        return idle.min { $0.since < $1.since }?.number
    }
}

/// Counts connections, and holds back new ones while there are as many as there may be.
struct OpenConnections: AvailableConnectionsDelegate {
    private let most: Int
    private let metrics: ServiceMetrics
    private var count = 0

    init(atMost most: Int, metrics: ServiceMetrics) {
        self.most = most
        self.metrics = metrics
    }

    mutating func connectionOpened() {
        count += 1
        metrics.connectionOpened()
    }

    mutating func connectionClosed() {
        count -= 1
        metrics.connectionClosed()
    }

    func isAcceptingNewConnections() -> Bool { count < most }
}
#endif
