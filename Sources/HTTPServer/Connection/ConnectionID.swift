/// The identity of a connection in its loop: a slot, and the number of connections that the slot had before.
struct ConnectionID: Hashable, Sendable {
    let slot: Int
    let generation: UInt32

    init(slot: Int, generation: UInt32) { (self.slot, self.generation) = (slot, generation) }

    /// The identity as one number, which is below 2^63.
    var number: UInt64 { UInt64(slot) << 32 | UInt64(generation) }

    init(number: UInt64) {
        slot = Int(number >> 32)
        generation = UInt32(truncatingIfNeeded: number)
    }
}

/// The identity of a request on a connection.
struct ExchangeID: Hashable, Sendable {
    let connection: ConnectionID
    /// Number of the request on its connection.
    let sequence: UInt64
}

/// Messages to the loop of a connection.
enum WorkerMessage: Sendable {
    /// A task has computed the response of a request.
    case response(ExchangeID, Response)
    /// A task reads the body of a request.
    case bodyWanted(ExchangeID)
    /// A task writes a part of a body.
    case streamBytes(ExchangeID, [UInt8], CheckedContinuation<Bool, Never>)
    /// A task has written a body, or has failed.
    case streamEnd(ExchangeID, isComplete: Bool)
    /// Input that was received is processed further.
    case resume(ConnectionID)
    /// A connection that another loop has accepted.
    case adopt(Socket, PeerAddress, ClientEntry?)
    /// A connection is closed if it is idle.
    case closeIfIdle(ConnectionID)
    /// The connection that has been idle longest is closed.
    case closeLongestIdle
    /// Too many bytes are queued for clients that do not read.
    case closeStalled
    /// The number of connections is below the maximum again.
    case resumeAccepting
    case drain
    case stop
}
