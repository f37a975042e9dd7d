internal import CPlatformImageOriginProtocols

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A protocol on a connection: HTTP/1.1 or HTTP/2. A connection is passed to each call.
protocol OriginProtocol {
    /// Handles received bytes.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, on connection: OriginConnection)
    /// Continues the responses as far as gates, pauses and the socket allow; called after each of them.
    mutating func advance(on connection: OriginConnection)
    /// The end of the next pause; nil when no response pauses.
    var deadline: ContinuousClock.Instant? { get }
}

/// The end of a connection.
enum OriginClosing {
    /// Over TLS, sends the alert close_notify (RFC 8446 §6.1) before the end, unless other bytes wait for the socket.
    case withAlert
    case withoutAlert
}

/// An accepted connection with the bytes that wait to be sent; used by the thread of its origin only.
final class OriginConnection {
    let number: Int
    let service: OriginService
    private let socket: Int32
    private let mailbox: OriginMailbox
    private let tls: OriginTLS?
    /// Nil until the end of the TLS handshake.
    private var http: (any OriginProtocol)?
    private(set) var isClosed = false
    /// Bytes for the socket; those before `sent` were sent.
    private var outgoing: [UInt8] = []
    private var sent = 0
    private var isYielding = false

    /// - Parameter socket: A connected socket, which this object closes.
    init(socket: Int32, service: OriginService, tls: OriginTLSContext?, mailbox: OriginMailbox) {
        number = service.log.accepted()
        self.service = service
        self.socket = socket
        self.mailbox = mailbox
        self.tls = tls.flatMap { OriginTLS($0) }
        if tls == nil {
            http = OriginHTTP1()
        } else if self.tls == nil {
            close()
        }
    }

    deinit { close() }

    var deadline: ContinuousClock.Instant? { http?.deadline }

    var pollRequest: pollfd {
        let events = isYielding || !outgoing.isEmpty ? POLLIN | POLLOUT : POLLIN
        return pollfd(fd: socket, events: Int16(events), revents: 0)
    }

    /// Receives once, at most as many bytes as the buffer holds. A connection that the client has closed, also for one
    /// direction, is closed.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) {
        guard !isClosed else { return }
        let count = piop_receive(socket, buffer.baseAddress, buffer.count)
        if count < 0 { return close(.withoutAlert) }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        guard let tls, count > 0 else {
            http?.receive(bytes, on: self)
            return
        }
        guard tls.add(received: bytes) else { return close(.withoutAlert) }
        decrypt(tls, buffer)
    }

    private func decrypt(_ tls: OriginTLS, _ buffer: UnsafeMutableRawBufferPointer) {
        while !isClosed {
            let count = tls.read(into: buffer)
            if http == nil, tls.isReady {
                http = tls.speaksHTTP2 ? OriginHTTP2() : OriginHTTP1()
                guard http != nil else { return close() }
                // Over HTTP/2, the origin sends its SETTINGS without waiting for the client.
                http?.advance(on: self)
            }
            if count > 0 {
                http?.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]), on: self)
                continue
            }
            // Bytes of the handshake, or the alert after a failure.
            tls.take(into: &outgoing)
            _ = flush()
            // After the client's close_notify, the origin sends its own too.
            if count < 0 { close() }
            return
        }
    }

    /// Sends waiting bytes and continues the responses.
    func advance() {
        isYielding = false
        guard !isClosed else { return }
        if http == nil { _ = flush() }
        http?.advance(on: self)
    }

    /// Continues in the next turn of the loop, so that a long body does not delay other connections.
    func yield() { isYielding = true }

    /// Continues when the gate is open.
    func advance(whenOpen gate: OriginGate) {
        gate.whenOpen { [weak mailbox, number] in mailbox?.post(.advance(connection: number)) }
    }

    /// Adds bytes to those that wait to be sent.
    func write(_ bytes: some Collection<UInt8>) {
        guard let tls else { return outgoing.append(contentsOf: bytes) }
        let isWritten = bytes.withContiguousStorageIfAvailable { tls.write(UnsafeRawBufferPointer($0)) }
        if isWritten == nil { _ = Array(bytes).withUnsafeBytes { tls.write($0) } }
        tls.take(into: &outgoing)
    }

    /// Sends waiting bytes. Returns true when none are left; otherwise the responses continue when the socket accepts
    /// more. A failed connection is closed.
    func flush() -> Bool {
        while !isClosed, sent < outgoing.count {
            let count = outgoing.withUnsafeBytes { bytes in
                piop_send(socket, bytes.baseAddress.map { $0 + sent }, bytes.count - sent)
            }
            if count == 0 { return false }
            if count < 0 { close(.withoutAlert) } else { sent += count }
        }
        outgoing.removeAll(keepingCapacity: true)
        sent = 0
        return !isClosed
    }

    /// Closes the connection; bytes that wait are not sent.
    func close(_ closing: OriginClosing = .withAlert) {
        guard !isClosed else { return }
        if let tls, closing == .withAlert, outgoing.isEmpty {
            tls.close()
            tls.take(into: &outgoing)
            _ = outgoing.withUnsafeBytes { piop_send(socket, $0.baseAddress, $0.count) }
        }
        isClosed = true
        _ = closeDescriptor(socket)
        service.log.closed()
    }
}

/// close(2), which the method of the same name hides.
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
