/// The transfers to one host, and the exchanges that wait for a connection to it in order of arrival.
///
/// libcurl has such a limit too, but version 8.14 counts the wait as time to connect.
final class CurlHost {
    /// Maximum concurrent streams on an HTTP/2 connection; also libcurl's default.
    private static let maxStreams = 100

    private let connections: Int
    /// Number of transfers.
    var active = 0
    /// True if the last response was received over HTTP/2.
    var isHTTP2 = false
    var waiting: [CurlExchange] = []

    /// - Parameter connections: Maximum number of HTTP/1.1 connections, 1 or more.
    init(connections: Int) { self.connections = connections }

    /// True if another transfer may be started.
    var hasConnection: Bool { active < (isHTTP2 ? max(connections, Self.maxStreams) : connections) }
    /// True if nothing is lost when the host is forgotten.
    var isUnused: Bool { active == 0 && waiting.isEmpty }
}
