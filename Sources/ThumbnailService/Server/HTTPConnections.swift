import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The HTTP/1.1 connections of a listener. A connection that is accepted and never handled is closed.
///
/// When the task of a listener is cancelled, Hummingbird releases the accepted connections that it does not handle yet
/// without closing them. `NIOAsyncChannel` ends the process when that happens to an open connection ("Deinited
/// NIOAsyncWriter without calling finish()").
struct HTTPConnections: ServerChildChannel {
    private let channels: HTTP1Channel

    init(_ channels: HTTP1Channel) { self.channels = channels }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        channels.setup(channel: channel, logger: logger).map { AcceptedConnection($0) }
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        await channels.handle(value: value.beginHandling(), logger: logger)
    }
}

/// An accepted connection, which is closed when it is released without having been handled.
final class AcceptedConnection: ServerChildChannelValue {
    private let connection: HTTP1Channel.Value
    private let isHandled = Atomic(false)

    init(_ connection: HTTP1Channel.Value) { self.connection = connection }

    var channel: any Channel { connection.channel }

    /// Returns the connection to a caller who closes it.
    func beginHandling() -> HTTP1Channel.Value {
        isHandled.store(true, ordering: .relaxed)
        return connection
    }

    deinit {
        if isHandled.load(ordering: .relaxed) { return }
        let connection = connection
        // Fails only when the connection is already closed.
        Task { try? await connection.executeThenClose { _, _ in } }
    }
}

extension HTTPServerBuilder {
    /// Creates the HTTP/1.1 server of a listener.
    static func connections(_ configuration: HTTP1Channel.Configuration) -> HTTPServerBuilder {
        HTTPServerBuilder { HTTPConnections(HTTP1Channel(responder: $0, configuration: configuration)) }
    }
}
