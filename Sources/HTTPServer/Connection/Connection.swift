/// A connection of a client: reads requests, one at a time, and sends their responses in order.
///
/// All functions are called on the thread of its loop. `worker` is the loop with all its connections. A
/// function that an event calls ends with ``settle(_:)``, unless it has closed the connection.
final class Connection {
    enum Phase {
        /// No request, or an incomplete head.
        case head
        /// The head is complete, the body is not.
        case body
        /// The request is complete, its response is not known or not complete.
        case answering
        /// The response is complete and not sent.
        case sending
        /// The response was sent, and the connection ends when the client closes its side.
        case lingering
        case closed
    }

    let id: ConnectionID
    let socket: Socket
    let peer: PeerAddress
    /// Nil if no limit per client applies.
    let client: ClientEntry?
    var watch: Watch?

    var phase = Phase.head
    var parser = RequestParser()
    /// Input that is not consumed, from `pendingStart` on.
    var pending: [UInt8] = []
    var pendingStart = 0
    var output = OutputQueue()
    var active: ActiveRequest?
    var sequence: UInt64 = 0

    /// Properties of the current request that its response depends on.
    var isHeadRequest = false
    var isHTTP10 = false
    var keepsAlive = true
    var closesAfterResponse = false

    /// The client has closed its sending side, and all its bytes were read.
    var isInputClosed = false
    /// The client has closed its sending side; bytes may be unread.
    var isDisconnectSeen = false
    var isReadingPaused = false
    var isBodyPaused = false
    /// The rest of the input is processed after other connections had their turn.
    var isDeferred = false

    var clock: RequestClock
    /// The time limits in the lists of the loop.
    var scheduled: RequestClock.Deadline?
    var stalledSince: UInt64?
    var lingerDeadline: RequestClock.Deadline?
    var idleMark = IdleMark.new

    /// The place of the connection among the idle connections.
    enum IdleMark {
        /// The connection is new.
        case new
        /// The connection is not among the idle connections.
        case none
        case current
        /// The connection has answered a request since; ``settle(_:)`` makes it the last of the idle connections.
        case outdated
    }

    init(_ id: ConnectionID, _ socket: Socket, _ peer: PeerAddress, _ client: ClientEntry?, _ clock: RequestClock) {
        (self.id, self.socket, self.peer, self.client, self.clock) = (id, socket, peer, client, clock)
    }

    var isIdle: Bool { phase == .head || phase == .lingering }

    // MARK: - Events

    func ready(_ events: LoopEvents, _ worker: Worker) {
        if events.contains(.failed) { return close(worker) }
        if events.contains(.writable) { flush(worker) }
        if events.contains(.readable) { readInput(worker) }
        if events.contains(.disconnected) { disconnectSeen() }
        settle(worker)
    }

    /// A time limit has passed.
    func timeLimitReached(_ kind: TimeLimitKind, _ worker: Worker) {
        // Output that the client does not read is discarded.
        close(worker, isReset: kind == .stalledResponse)
    }

    /// Sends what the client has not received.
    private func flush(_ worker: Worker) {
        guard !output.isEmpty else { return }
        sendOutput(worker)
        guard phase != .closed, output.isEmpty else { return }
        if phase == .sending {
            responseEnded(worker)
            continueInput(worker)
        } else {
            active?.stream?.resume(isOpen: true)
        }
    }

    /// Sends queued output, as much as the client takes now.
    func sendOutput(_ worker: Worker) {
        let (progress, sent) = output.flush(socket)
        switch progress {
        case .broken: close(worker)
        case .done: stalledSince = nil
        case .blocked: if sent > 0 || stalledSince == nil { stalledSince = worker.loop.now }
        }
    }

    /// The client has closed its sending side. As in nginx, it has then no interest in a response that takes time.
    func disconnectSeen() {
        guard !isDisconnectSeen else { return }
        isDisconnectSeen = true
        endTaskOfDisconnectedClient()
    }

    func endTaskOfDisconnectedClient() {
        guard let active, phase == .body || phase == .answering else { return }
        active.exchange?.clientLeft()
        active.task?.cancel()
    }

    /// Closes the connection at once.
    ///
    /// - Parameter isReset: True if the client must see a reset instead of the end of the output.
    func close(_ worker: Worker, isReset: Bool = false) {
        guard phase != .closed else { return }
        phase = .closed
        // A process that is being started has copies of all descriptors until it runs its program. A close alone would
        // reach the client only then.
        if isReset { socket.resetOnClose() } else { socket.shutDownOutput() }
        watch = nil
        active?.exchange?.clientLeft()
        active?.cancel(.disconnected)
        active = nil
        output = OutputQueue()
        pending = []
        worker.remove(self)
    }

    /// Ends the output and discards the input until the client closes its side.
    func linger(_ worker: Worker) {
        active = nil
        pending = []
        pendingStart = 0
        if isInputClosed { return close(worker) }
        socket.shutDownOutput()
        phase = .lingering
        isReadingPaused = false
        let milliseconds = worker.settings.lingerMilliseconds
        lingerDeadline = .init(kind: .linger, time: worker.loop.now &+ milliseconds)
    }

    /// Begins the end of the connection: a request that has arrived is served.
    func drain(_ worker: Worker) {
        guard phase == .head, !isDeferred else { return }
        readInput(worker)
        if phase == .head, pendingStart == pending.count { return close(worker) }
        settle(worker)
    }

    /// Closes the connection if it is idle and no request has arrived.
    func closeIfIdle(_ worker: Worker) {
        if phase == .lingering { return close(worker) }
        guard phase == .head else { return }
        let mark = idleMark
        // A request may have arrived before its connection had its turn.
        if !isDeferred { readInput(worker) }
        if phase == .head, idleMark == mark, !isDeferred { return close(worker) }
        settle(worker)
    }

    // MARK: - End of an event

    /// Updates the watched events, the time limits and the order of the idle connections.
    func settle(_ worker: Worker) {
        guard phase != .closed else { return }
        // A new connection, or one whose response began before the drain: it has no `Connection: close`.
        if worker.isDraining, phase == .head, !isDeferred, pendingStart == pending.count { return drain(worker) }
        var events: LoopEvents = []
        if !isReadingPaused, !isInputClosed { events.insert(.readable) }
        if !output.isEmpty { events.insert(.writable) }
        if !isDisconnectSeen { events.insert(.disconnected) }
        watch?.change(to: events)

        let deadline = phase == .lingering ? lingerDeadline : clock.deadline
        if deadline != scheduled {
            worker.schedule(id.slot, deadline, instead: scheduled)
            scheduled = deadline
        }
        worker.scheduleStall(id.slot, since: stalledSince)

        if !isIdle {
            if idleMark != .none { worker.connectionIsBusy(self) }
            idleMark = .none
        } else if idleMark != .current {
            worker.connectionIsIdle(self)
            // A new connection does not make room for others: it may be the only idle one.
            if idleMark != .new { worker.makeRoom() }
            idleMark = .current
        }
    }
}
