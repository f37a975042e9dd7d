internal import CPlatformImageOriginProtocols

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The thread of an origin: accepts connections, receives, and sends the responses. It waits in poll(2) only.
///
/// A thread of its own, because tests may block all threads of Swift's cooperative pool for so long that clients would
/// time out.
final class OriginLoop {
    private static let bufferBytes = 65_536

    private var listener: Int32
    private let service: OriginService
    private let tls: OriginTLSContext?
    private let mailbox: OriginMailbox
    private var connections: [OriginConnection] = []
    private var isStopping = false
    /// While no descriptor is free, connections are not accepted until this time.
    private var acceptsFrom: ContinuousClock.Instant?

    /// - Parameters:
    ///   - listener: The listening socket, which this object closes.
    ///   - tls: Nil for plain HTTP.
    init(listener: Int32, service: OriginService, tls: OriginTLSContext?, mailbox: OriginMailbox) {
        self.listener = listener
        self.service = service
        self.tls = tls
        self.mailbox = mailbox
    }

    deinit { if listener >= 0 { _ = close(listener) } }

    /// Serves until the command to stop; then everything is closed.
    func run() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferBytes, alignment: 16)
        defer { buffer.deallocate() }
        var stops: [OriginMailbox.Command] = []
        while !isStopping {
            turn(buffer)
            for command in mailbox.take() { perform(command, &stops) }
        }
        _ = close(listener)
        listener = -1
        for connection in connections { connection.close() }
        mailbox.end()
        for command in stops { OriginMailbox.resume(command) }
    }

    /// Waits for events and handles them.
    private func turn(_ buffer: UnsafeMutableRawBufferPointer) {
        var requests = [pollfd(fd: mailbox.wakeUp, events: Int16(POLLIN), revents: 0)]
        requests.reserveCapacity(connections.count + 2)
        requests.append(pollfd(fd: acceptsFrom == nil ? listener : -1, events: Int16(POLLIN), revents: 0))
        for connection in connections { requests.append(connection.pollRequest) }
        let deadline = connections.compactMap(\.deadline).min()
        let timeout = [deadline, acceptsFrom].compactMap { $0 }.min().map(Self.milliseconds) ?? -1
        guard poll(&requests, nfds_t(requests.count), timeout) >= 0 else { return }

        let now = deadline.map { _ in ContinuousClock.now }
        for (connection, request) in zip(connections, requests.dropFirst(2)) {
            if request.revents & ~Int16(POLLOUT) != 0 { connection.receive(buffer) }
            let isDue = now.map { now in connection.deadline.map { $0 <= now } ?? false } ?? false
            if isDue || request.revents & Int16(POLLOUT) != 0 { connection.advance() }
        }
        if let time = acceptsFrom, time <= .now { acceptsFrom = nil }
        if requests[1].revents != 0 { accept() }
        connections.removeAll { $0.isClosed }
    }

    /// Milliseconds until a time, rounded up.
    private static func milliseconds(until time: ContinuousClock.Instant) -> Int32 {
        let (seconds, attoseconds) = (time - .now).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return seconds < 1_000_000 ? Int32(seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1) : .max
    }

    private func accept() {
        while true {
            let socket = piop_accept(listener)
            if socket >= 0 {
                connections.append(OriginConnection(socket: socket, service: service, tls: tls, mailbox: mailbox))
            } else if socket == -ECONNABORTED || socket == -EINTR {
                continue
            } else {
                // Without a pause, the thread would call accept continuously while no descriptor is free.
                let isWaiting = socket == -EAGAIN || socket == -EWOULDBLOCK
                if !isWaiting { acceptsFrom = .now + .milliseconds(10) }
                return
            }
        }
    }

    private func perform(_ command: OriginMailbox.Command, _ stops: inout [OriginMailbox.Command]) {
        switch command {
        case .advance(let number): connections.first { $0.number == number && !$0.isClosed }?.advance()
        case .closeConnections:
            for connection in connections { connection.close() }
            connections = []
            OriginMailbox.resume(command)
        case .stop:
            isStopping = true
            stops.append(command)
        }
    }
}

/// The properties of an origin that its connections use.
struct OriginService: Sendable {
    let log: OriginLog
    let rejectsOtherProtocols: Bool
    let respond: @Sendable (OriginRequest) -> OriginAction
}
