import Synchronization

/// Answers the requests of a server.
package protocol RequestHandler: Sendable {
    /// Decides about a request whose head is complete. Called on the thread of the request's loop, which serves no
    /// other request meanwhile: it must not wait.
    func answer(to request: Request) -> Answer

    /// Returns the response to a request that the server refuses. The connection is closed after it.
    func response(to rejected: RejectedRequest) -> Response
}

extension RequestHandler {
    /// A response of one line of text.
    package func response(to rejected: RejectedRequest) -> Response {
        Response(status: rejected.reason.status, text: rejected.reason.message)
    }
}

/// A request whose head is complete.
package struct Request: Sendable {
    /// Request line and fields.
    package let head: RequestHead
    /// Remote address of the connection.
    package let peer: PeerAddress
    /// Number of the loop that has the connection, from 0. Requests of one loop are answered one after the other.
    package let loop: Int
}

/// A request that does not follow the rules of the server.
package struct RejectedRequest: Sendable {
    /// The rule that it does not follow.
    package let reason: RequestRejection
    /// The method; nil for an unknown one, and if the request line is malformed.
    package let method: RequestMethod?
    /// The target, of a target that is too long its first bytes; nil if the request line is malformed.
    package let target: String?
    /// Remote address of the connection.
    package let peer: PeerAddress
}

/// The way in which a request is answered.
package enum Answer: Sendable {
    /// The response is sent at once. A body of the request is read and discarded.
    case response(Response)
    /// A task on the loop of the request computes the response. It must not block its thread. It is cancelled when the
    /// client has left or the request is too slow, and its response is then discarded, unless the client has closed its
    /// sending side only.
    case task(@Sendable (Exchange) async -> Response)
}

/// A request that a task answers.
package final class Exchange: Sendable {
    /// The body of the request; empty if the request has none.
    package let body: RequestBody
    private let hasLeft = Atomic(false)

    init(body: RequestBody) { self.body = body }

    /// False when the client has left or has closed its sending side; the task is then cancelled.
    package var isClientConnected: Bool { !hasLeft.load(ordering: .acquiring) }

    func clientLeft() { hasLeft.store(true, ordering: .releasing) }
}
