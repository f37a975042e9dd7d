import CPlatformImageUV
import Synchronization

/// Accepts the connections of a loop.
final class Acceptor {
    private static let firstNumber: UInt64 = 1 << 63
    /// Connections that are accepted before other events are handled.
    private static let maxPerEvent = 64
    /// Milliseconds until accepting is tried again when no descriptor is free.
    private static let pause: UInt64 = 100

    private final class Listener {
        let socket: Socket
        var watch: Watch?

        init(_ socket: Socket) { self.socket = socket }
    }

    private var listeners: [Listener]
    private let census: ConnectionCensus
    private let index: Int
    /// While no descriptor is free, accepting continues at this time.
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

    private func pauseAccepting() {
        for listener in listeners { listener.watch?.change(to: []) }
    }

    func resume() {
        retryTime = nil
        for listener in listeners { listener.watch?.change(to: .readable) }
    }

    /// Accepts connections.
    ///
    /// - Parameter adopt: Called for each connection that this loop keeps.
    /// - Returns: The time at which accepting must be resumed; nil if that does not depend on time.
    func accept(
        _ number: Int, at now: UInt64, _ adopt: (Socket, PeerAddress, ClientEntry?) -> Void
    ) -> UInt64? {
        guard listeners.indices.contains(number) else { return nil }
        for _ in 0..<Self.maxPerEvent {
            guard census.reserve() else {
                pauseAccepting()
                return nil
            }
            var address = piuv_address()
            let descriptor = unsafe piuv_accept(listeners[number].socket.descriptor, &address)
            guard descriptor >= 0 else {
                census.release()
                guard descriptor == Int32(PIUV_NO_DESCRIPTORS) else { return nil }
                // Without a pause, the loop would call accept continuously.
                census.closeLongestIdle()
                pauseAccepting()
                retryTime = now + Self.pause
                return retryTime
            }
            admit(Socket(descriptor), PeerAddress(address), adopt)
        }
        return nil
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
