import CPlatformImageUV
import Synchronization

/// Accepts the connections of a loop.
final class Acceptor {
    private static let firstNumber: UInt64 = 1 << 63
    /// Connections that are accepted before other events are handled.
    private static let maxPerEvent = 64
    /// Milliseconds until accepting is tried again. It continues before when a connection of this loop is closed, or
    /// another loop reports a free place.
    private static let pause: UInt64 = 100

    private final class Listener {
        let socket: Socket
        var watch: Watch?

        init(_ socket: Socket) { self.socket = socket }
    }

    private var listeners: [Listener]
    private let census: ConnectionCensus
    private let index: Int
    /// The time at which accepting continues at the latest; nil while it is not paused.
    private(set) var retryTime: UInt64?

    init(_ sockets: [Socket], _ census: ConnectionCensus, index: Int) {
        listeners = sockets.map { Listener($0) }
        (self.census, self.index) = (census, index)
    }

    /// The number of a listener in the numbers of watches; nil for the number of a connection.
    static func listener(_ number: UInt64) -> Int? {
        number >= firstNumber ? Int(truncatingIfNeeded: number - firstNumber) : nil
    }

    func start(_ loop: EventLoop) throws(SystemError) {
        for (number, listener) in listeners.enumerated() {
            listener.watch = try loop.watch(
                listener.socket, number: Self.firstNumber + UInt64(number), .readable)
        }
    }

    func stop() {
        for listener in listeners { listener.watch = nil }
        listeners = []
        retryTime = nil
    }

    /// Without a pause, the loop would try to accept continuously.
    private func pauseAccepting(at now: UInt64) {
        for listener in listeners { listener.watch?.change(to: []) }
        retryTime = now + Self.pause
    }

    func resume() {
        retryTime = nil
        for listener in listeners { listener.watch?.change(to: .readable) }
    }

    /// Accepts connections.
    ///
    /// - Parameter adopt: Called for each connection that this loop keeps.
    func accept(_ number: Int, at now: UInt64, _ adopt: (Socket, PeerAddress, ClientEntry?) -> Void) {
        guard listeners.indices.contains(number) else { return }
        for _ in 0..<Self.maxPerEvent {
            guard census.reserve() else {
                // Connections may have become idle since the last one was accepted.
                census.makeRoom()
                return pauseAccepting(at: now)
            }
            var address = piuv_address()
            let descriptor = unsafe piuv_accept(listeners[number].socket.descriptor, &address)
            guard descriptor >= 0 else {
                census.release()
                guard descriptor == Int32(PIUV_NO_DESCRIPTORS) else { return }
                census.closeLongestIdle()
                return pauseAccepting(at: now)
            }
            admit(Socket(descriptor), PeerAddress(address), adopt)
        }
    }

    /// Accepts all connections that are waiting, at the end of accepting.
    func acceptAll(_ adopt: (Socket, PeerAddress, ClientEntry?) -> Void) {
        for listener in listeners {
            var address = piuv_address()
            while census.reserve() {
                let descriptor = unsafe piuv_accept(listener.socket.descriptor, &address)
                guard descriptor >= 0 else {
                    census.release()
                    break
                }
                admit(Socket(descriptor), PeerAddress(address), adopt)
            }
        }
    }

    private func admit(
        _ socket: Socket, _ peer: PeerAddress, _ adopt: (Socket, PeerAddress, ClientEntry?) -> Void
    ) {
        census.makeRoom()
        let client: ClientEntry?
        switch census.admit(peer) {
        case .unlimited: client = nil
        case .limited(let entry): client = entry
        case .refused: return census.release()
        }
        // The kernel distributes connections by a hash of their addresses; few long ones may all get the same loop.
        let own = census.loads[index]
        let other = census.loads.min { $0.count < $1.count }
        let count = own.count
        if let other, other.count + 1 + count / 8 < count {
            other.connections.add(1, ordering: .relaxed)
            if other.mailbox.post(.adopt(socket, peer, client)) { return }
            other.connections.subtract(1, ordering: .relaxed)
        }
        own.connections.add(1, ordering: .relaxed)
        adopt(socket, peer, client)
    }
}
