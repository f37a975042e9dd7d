/// The configuration of an ``HTTPServer``.
package struct ServerConfiguration: Sendable {
    /// An address on which a server listens.
    package enum Listener: Hashable, Sendable {
        /// An IP address or a host name, whose first address is used, and a port; port 0 selects a free one.
        case tcp(host: String, port: Int)
        /// The path of a Unix socket, below 108 bytes. A socket file on which no process listens is replaced. The file
        /// is removed when the server ends.
        case unix(path: String)
    }

    /// At least one address.
    package var listeners: [Listener]
    /// Number of loops, each with a thread, 1 to 1,024.
    package var loops = 1
    /// Limits for the parts of requests.
    package var message = MessageLimits()
    /// Time limits for clients.
    package var time = TimeLimits()
    /// Limits for the number of connections.
    package var connections = ConnectionLimits()
    /// Value of the Server field of responses; nil for no such field.
    package var serverName: String?

    /// Creates a configuration with the default limits and one loop.
    package init(listeners: [Listener]) { self.listeners = listeners }
}

/// An error at the start of a server.
package struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What failed, such as `cannot listen on 127.0.0.1:80`.
    package let operation: String
    /// The reason, such as `address already in use`.
    package let reason: String

    /// Operation and reason, for the operator.
    package var description: String { "\(operation): \(reason)" }

    init(_ operation: String, _ reason: String) { (self.operation, self.reason) = (operation, reason) }
}
