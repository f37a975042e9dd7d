internal import CPlatformImageSandbox

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// One end of the connection between a program and a decode worker.
///
/// A message longer than a packet is sent in several packets; the first byte of each is 1 when another packet follows.
struct WorkerSocket {
    let descriptor: Int32

    enum Failure: Error {
        /// The peer has closed its end, or its process has ended.
        case closed
        case timedOut
        /// A packet or message that the protocol does not allow.
        case invalid
        case system(Int32)
    }

    /// Maximum bytes of a message: room for the profiles and thumbnails of every request.
    static let maxMessageBytes = 64 << 20
    private static let packetBytes = Int(PISB_MAX_MESSAGE)

    /// Sends a message, with at most one descriptor in its first packet.
    ///
    /// - Parameter milliseconds: Maximum time to wait for room in the socket's buffer; -1 for no limit.
    func send(_ message: [UInt8], descriptor file: Int32 = -1, milliseconds: Int32) throws(Failure) {
        var start = 0
        try send(message, from: &start, descriptor: file, milliseconds: milliseconds)
    }

    /// Sends the packets of a message from the byte `start` on, 0 for all. With an error, `start` is the first byte
    /// that was not sent; after `timedOut`, a call with this value continues.
    func send(
        _ message: [UInt8], from start: inout Int, descriptor file: Int32 = -1, milliseconds: Int32
    ) throws(Failure) {
        repeat {
            let count = min(message.count - start, Self.packetBytes - 1)
            let isLast = start + count == message.count
            let packet = [isLast ? 0 : 1] + message[start..<start + count]
            try check(unsafe pisb_send(descriptor, packet, packet.count, start == 0 ? file : -1, milliseconds))
            start += count
        } while start < message.count
    }

    /// A message that has arrived in part.
    struct Incoming {
        fileprivate var bytes: [UInt8] = []
        fileprivate var packet = [UInt8](repeating: 0, count: WorkerSocket.packetBytes)
    }

    /// Receives a message without descriptors; the packets of an incomplete message remain in `incoming`.
    ///
    /// - Parameter milliseconds: Maximum time to wait for one packet; -1 for no limit.
    /// - Throws: `timedOut` also after a packet that is not the last of its message.
    func receive(_ incoming: inout Incoming, milliseconds: Int32) throws(Failure) -> [UInt8] {
        var file: Int32 = -1
        return try receive(&incoming, milliseconds: milliseconds, acceptsDescriptor: false, &file)
    }

    /// Receives a message and at most one descriptor, -1 for none; the caller closes the descriptor.
    func receiveWithDescriptor(_ incoming: inout Incoming) throws(Failure) -> (message: [UInt8], descriptor: Int32) {
        var first: Int32 = -1
        let message = try receive(&incoming, milliseconds: -1, acceptsDescriptor: true, &first)
        return (message, first)
    }

    private func receive(
        _ incoming: inout Incoming, milliseconds: Int32, acceptsDescriptor: Bool, _ first: inout Int32
    ) throws(Failure) -> [UInt8] {
        while true {
            var count = 0
            var file: Int32 = -1
            let capacity = incoming.packet.count
            let status =
                acceptsDescriptor
                ? unsafe pisb_receive(descriptor, &incoming.packet, capacity, &count, &file, milliseconds)
                : unsafe pisb_receive(descriptor, &incoming.packet, capacity, &count, nil, milliseconds)
            try check(status)
            if file >= 0 { first = file }
            let isLast = incoming.packet[0] == 0
            guard count >= 1, incoming.packet[0] <= 1, isLast || count == Self.packetBytes,
                incoming.bytes.count + count <= Self.maxMessageBytes
            else { throw .invalid }
            incoming.bytes += incoming.packet[1..<count]
            if isLast {
                defer { incoming.bytes = [] }
                return incoming.bytes
            }
            // The caller checks its time limit between two packets: a worker may send them slowly.
            if milliseconds >= 0 { throw .timedOut }
        }
    }

    private func check(_ status: pisb_status) throws(Failure) {
        switch status {
        case PISB_OK: return
        case PISB_CLOSED: throw .closed
        case PISB_TIMED_OUT: throw .timedOut
        case PISB_INVALID: throw .invalid
        default: throw .system(errno)
        }
    }
}
