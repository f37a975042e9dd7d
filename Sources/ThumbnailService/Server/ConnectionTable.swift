import HummingbirdCore
import PlatformImage
import Synchronization

/// The connections of the public listener, with the idle ones in the order in which they became idle.
///
/// Idle connections cannot exhaust the listener: when the number of connections reaches the maximum, the connection
/// that has been idle longest is closed. The number of connections per client is limited, except for proxies.
final class ConnectionTable: Sendable {
    /// Identifier of a connection in the table.
    typealias Number = UInt64

    /// Address of a connection and the function that closes it.
    struct Connection: Sendable {
        /// Remote address; nil for a connection without an IP address, which has no limit per client.
        let peer: IPAddress?
        /// Closes the connection unless a request has arrived meanwhile; in that case ``ConnectionTable/restore(_:_:)``
        /// is called.
        let closeIfIdle: @Sendable () -> Void
    }

    private let maxConnections: Int
    private let maxConnectionsPerClient: Int?
    private let proxies: [AddressRange]
    private let state = Mutex(ConnectionTableState())

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - maxConnections: Maximum number of connections, at least 1.
    ///   - maxConnectionsPerClient: Maximum per IPv4 address or IPv6 /64 network, at least 1; nil for no limit.
    ///   - proxies: Addresses of proxies, which have no limit per client.
    init(maxConnections: Int, maxConnectionsPerClient: Int?, proxies: [AddressRange]) {
        (self.maxConnections, self.maxConnectionsPerClient, self.proxies) = (
            maxConnections, maxConnectionsPerClient, proxies
        )
    }

    /// Number of connections, without those that are being closed.
    var count: Int { state.locked(in: self) { $0.entries.count } }
    /// Number of connections without a request.
    var idleCount: Int { state.locked(in: self) { $0.entries.values.count { $0.idleSince != nil } } }

    /// Adds an idle connection. Closes the longest idle connection of the same client when that client is at its limit,
    /// and the longest idle connection of all clients when the table becomes full.
    ///
    /// - Returns: Nil when the connection must be closed, because its client is at its limit and all other connections
    ///   of that client have requests.
    func insert(_ connection: Connection) -> Number? {
        let client = limitedClient(connection.peer)
        let (number, victims) = state.locked(in: self) { state -> (Number?, [Connection]) in
            var victims: [Connection] = []
            if let client, let maxConnectionsPerClient, state.count(of: client) >= maxConnectionsPerClient {
                guard let number = state.longestIdle(of: client) else { return (nil, []) }
                state.remove(number).map { victims.append($0) }
            }
            if state.entries.count + 1 >= maxConnections, let number = state.longestIdle() {
                state.remove(number).map { victims.append($0) }
            }
            return (state.insert(connection, client), victims)
        }
        for victim in victims { victim.closeIfIdle() }
        return number
    }

    /// Marks a connection as busy: a request has arrived.
    func beginRequest(_ number: Number) { state.locked(in: self) { $0.entries[number]?.idleSince = nil } }

    /// Marks a connection as idle. Closes the connection that has been idle longest when the table is full.
    func endRequest(_ number: Number) {
        state.locked(in: self) { $0.setIdle(number) }
        makeRoom()
    }

    /// Adds a connection again. It was selected to be closed, but has received a request meanwhile.
    func restore(_ number: Number, _ connection: Connection) {
        let client = limitedClient(connection.peer)
        state.locked(in: self) { $0.restore(number, connection, client) }
        makeRoom()
    }

    /// Removes a closed connection; does nothing when it is not in the table.
    func remove(_ number: Number) { state.locked(in: self) { _ = $0.remove(number) } }

    private func makeRoom() {
        let victim = state.locked(in: self) { state in
            state.entries.count < maxConnections ? nil : state.longestIdle().flatMap { state.remove($0) }
        }
        victim?.closeIfIdle()
    }

    /// Returns the network to which the limit per client applies; nil for connections without that limit.
    private func limitedClient(_ peer: IPAddress?) -> IPAddress? {
        guard maxConnectionsPerClient != nil, let peer, !proxies.contains(where: { $0.contains(peer) }) else {
            return nil
        }
        return peer.clientNetwork
    }
}

private struct ConnectionTableState {
    typealias Number = ConnectionTable.Number

    struct Entry {
        let connection: ConnectionTable.Connection
        let client: IPAddress?
        /// Sequence number of the transition to idle; nil while the connection has a request.
        var idleSince: UInt64?
    }

    var entries: [Number: Entry] = [:]
    private var clients: [IPAddress: Set<Number>] = [:]
    /// The idle connections in ascending order of `since`. Entries whose connection became busy or was closed meanwhile
    /// are skipped and later removed in bulk.
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

/// Counts connections, and pauses accepting while the maximum is reached.
struct OpenConnections: AvailableConnectionsDelegate {
    private let maxConnections: Int
    private let metrics: ServiceMetrics
    private var count = 0

    init(maxConnections: Int, metrics: ServiceMetrics) {
        self.maxConnections = maxConnections
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

    func isAcceptingNewConnections() -> Bool { count < maxConnections }
}
