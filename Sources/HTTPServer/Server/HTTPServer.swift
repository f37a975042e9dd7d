import CPlatformImageUV
import Synchronization

/// An HTTP/1.1 server: loops with their threads, listeners and connections. Docs/http-server.md lists its rules.
package final class HTTPServer: Sendable {
    /// Ports of the listeners, in their order; 0 for Unix sockets.
    package let ports: [Int]
    private let paths: [String]
    private let census: ConnectionCensus
    private let end = ServerEnd()
    private let hasSocketFiles = Atomic(true)

    /// Number of open connections.
    package var connectionCount: Int { census.count }

    /// Bytes of the bodies that clients have not received completely; bodies that responses share count once.
    package var queuedBytes: Int { census.queuedBodies.byteCount }

    /// True while more bytes are queued than `ConnectionLimits.maxQueuedBytes`.
    package var isQueueFull: Bool { census.queuedBodies.isOverMaximum }

    /// Starts a server. When this returns, it accepts connections, until ``drain()`` or ``stop()``.
    ///
    /// - Throws: `ServerError` when a listener cannot be bound or the system has no resources for the loops; the
    ///   message is for the operator.
    package static func start(
        _ configuration: ServerConfiguration, handler: any RequestHandler
    ) async throws(ServerError) -> HTTPServer {
        let loops = min(max(configuration.loops, 1), 1_024)
        var bound: [ListeningSockets] = []
        for listener in configuration.listeners { bound.append(try ListeningSockets(listener, loops: loops)) }
        let server = HTTPServer(configuration, bound, loops)
        let settings = ConnectionSettings(
            message: configuration.message, time: configuration.time, serverName: configuration.serverName)
        let handovers = (0..<loops).map { index in SocketHandover(bound.map { $0.sockets[index] }) }
        bound = []
        for (index, sockets) in handovers.enumerated() {
            if let error = await server.startLoop(index, sockets, handler, settings) {
                await server.stop()
                throw ServerError("cannot start an event loop", "\(error)")
            }
        }
        return server
    }

    private init(_ configuration: ServerConfiguration, _ bound: [ListeningSockets], _ loops: Int) {
        ports = bound.map(\.port)
        paths = configuration.listeners.compactMap { if case .unix(let path) = $0 { path } else { nil } }
        let loads = (0..<loops).map { _ in LoopLoad(Mailbox(LoopWaker())) }
        census = ConnectionCensus(configuration.connections, loads)
    }

    /// Starts the thread of a loop and waits until the loop accepts connections.
    private func startLoop(
        _ index: Int, _ sockets: SocketHandover, _ handler: any RequestHandler, _ settings: ConnectionSettings
    ) async -> SystemError? {
        let (census, end) = (census, end)
        end.loopStarts()
        return await withCheckedContinuation { (started: CheckedContinuation<SystemError?, Never>) in
            do throws(SystemError) {
                try LoopThread.start {
                    do throws(SystemError) {
                        let worker = try Worker(
                            index: index, census: census, listeners: sockets.take(), handler: handler,
                            settings: settings)
                        started.resume(returning: nil)
                        worker.loop.run()
                        worker.end()
                    } catch {
                        started.resume(returning: error)
                    }
                    end.loopEnded()
                }
            } catch {
                end.loopEnded()
                started.resume(returning: error)
            }
        }
    }

    /// Ends the server gracefully: closes the listeners and the idle connections, and every other connection after the
    /// response to its request. Time limits for clients apply, but not for responses.
    ///
    /// Returns when all connections are closed, or ``stop()`` was called. More calls wait, too.
    package func drain() async {
        removeSocketFiles()
        for load in census.loads { load.mailbox.post(.drain) }
        await end.wait()
    }

    /// Ends the server at once: closes all connections and cancels the tasks of their requests, without waiting for
    /// these tasks. Returns when all connections are closed.
    package func stop() async {
        removeSocketFiles()
        for load in census.loads { load.mailbox.post(.stop) }
        await end.wait()
    }

    /// Removes the files of Unix sockets, once and before the sockets are closed: afterwards, another process may
    /// listen at the same path.
    private func removeSocketFiles() {
        guard hasSocketFiles.exchange(false, ordering: .relaxed) else { return }
        for path in paths { unsafe piuv_remove_socket(path) }
    }
}

/// Listening sockets on the way to their thread. The loop must have the only references, because a drain closes them.
private final class SocketHandover: Sendable {
    private let sockets: Mutex<[Socket]>

    init(_ sockets: [Socket]) { self.sockets = Mutex(sockets) }

    func take() -> [Socket] {
        sockets.locked(in: self) { sockets in
            defer { sockets = [] }
            return sockets
        }
    }
}

/// Counts the loops of a server, and resumes tasks when all have ended.
private final class ServerEnd: Sendable {
    private struct State: Sendable {
        var running = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func loopStarts() { state.locked(in: self) { $0.running += 1 } }

    func loopEnded() {
        let waiters = state.locked(in: self) { state -> [CheckedContinuation<Void, Never>] in
            state.running -= 1
            guard state.running == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.locked(in: self) { state in
                guard state.running > 0 else { return true }
                state.waiters.append(continuation)
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }
}
