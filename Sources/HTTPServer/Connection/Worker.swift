import CPlatformImageUV
import Synchronization

/// The settings of the connections of a server.
struct ConnectionSettings: Sendable {
    let message: MessageLimits
    let clock: RequestClock.Limits
    let stalledMilliseconds: UInt64
    let stalledMillisecondsOverMaximum: UInt64
    let lingerMilliseconds: UInt64
    let serverName: String?

    init(message: MessageLimits, time: TimeLimits, serverName: String?) {
        self.message = message
        clock = RequestClock.Limits(time)
        stalledMilliseconds = time.milliseconds(\.stalledResponse)
        stalledMillisecondsOverMaximum = min(stalledMilliseconds, time.milliseconds(\.stalledResponseOverMaximum))
        lingerMilliseconds = time.milliseconds(\.linger)
        self.serverName = serverName
    }
}

/// One loop of a server with its listeners and connections. Used by the thread of the loop only.
final class Worker: EventLoopOwner {
    let loop: EventLoop
    let handler: any RequestHandler
    let settings: ConnectionSettings
    let mailbox: Mailbox<WorkerMessage>
    private(set) var isDraining = false

    /// Memory that all connections share, because they are handled one after the other.
    var receiveBuffer = [UInt8](repeating: 0, count: 65_536)
    var scratch: [UInt8] = []
    private(set) var responseHead: ResponseHead

    /// Number of the loop.
    let index: Int
    private let census: ConnectionCensus
    private let acceptor: Acceptor
    private var connections: [Connection?] = []
    private var generations: [UInt32] = []
    private var freeSlots: [Int] = []
    private var limits = [SlotList](repeating: SlotList(), count: TimeLimitKind.allCases.count)
    private var idle = SlotList()
    private var lastIdleKey: UInt64 = 0
    private var timerTime: UInt64?

    /// - Parameters:
    ///   - index: Number of the loop in the census.
    ///   - listeners: Listening sockets of this loop.
    init(
        index: Int, census: ConnectionCensus, listeners: [Socket], handler: any RequestHandler,
        settings: ConnectionSettings
    ) throws(SystemError) {
        mailbox = census.loads[index].mailbox
        loop = try EventLoop(mailbox.waker)
        (self.index, self.census) = (index, census)
        (self.handler, self.settings) = (handler, settings)
        responseHead = ResponseHead(serverName: settings.serverName)
        acceptor = Acceptor(listeners, census, index: index)
        try acceptor.start(loop)
        loop.setOwner(self)
    }

    /// Ends all connections and tasks; called when the loop has stopped.
    func end() {
        acceptor.stop()
        for connection in connections { connection?.close(self) }
        for message in mailbox.close() { discard(message) }
        loop.setOwner(nil)
    }

    private func discard(_ message: WorkerMessage) {
        switch message {
        case .streamBytes(_, _, let continuation): continuation.resume(returning: false)
        case .adopt(_, _, let client): forget(client)
        case .closeLongestIdle: census.closeEnded()
        default: break
        }
    }

    private func forget(_ client: ClientEntry?) {
        if let client { census.remove(client) }
        census.release()
        census.loads[index].connections.subtract(1, ordering: .relaxed)
    }

    func updateDate() { responseHead.updateDate(now: loop.now) { piuv_wall_clock() } }

    // MARK: - Events

    func ready(_ number: UInt64, _ events: LoopEvents) {
        if let listener = Acceptor.listener(number) {
            acceptor.accept(listener, at: loop.now) { adopt($0, $1, $2) }
            if let retry = acceptor.retryTime { startTimer(at: retry) }
        } else if let connection = find(ConnectionID(number: number)) {
            connection.ready(events, self)
        }
    }

    private func find(_ id: ConnectionID) -> Connection? {
        guard connections.indices.contains(id.slot), let connection = connections[id.slot], connection.id == id else {
            return nil
        }
        return connection
    }

    var hasMessages: Bool { !mailbox.isEmpty }

    func handleMessages() {
        for message in mailbox.take() { handle(message) }
    }

    private func handle(_ message: WorkerMessage) {
        switch message {
        case .response(let id, let response): find(id.connection)?.taskEnded(id, response, self)
        case .bodyWanted(let id): find(id.connection)?.bodyWanted(id, self)
        case .streamBytes(let id, let bytes, let continuation):
            guard let connection = find(id.connection) else { return continuation.resume(returning: false) }
            connection.streamBytes(id, bytes, continuation, self)
        case .streamEnd(let id, let isComplete): find(id.connection)?.streamEnded(id, isComplete: isComplete, self)
        case .resume(let id): find(id)?.resume(self)
        case .adopt(let socket, let peer, let client): adopt(socket, peer, client)
        case .closeIfIdle(let id): find(id)?.closeIfIdle(self)
        case .closeLongestIdle: closeLongestIdle()
        case .closeStalled: closeStalled()
        case .resumeAccepting: acceptor.resume()
        case .drain: drain()
        case .stop: loop.stop()
        }
    }

    private func closeLongestIdle() {
        defer { census.closeEnded() }
        let count = connections.count - freeSlots.count
        // A connection whose request has arrived is not idle any more.
        for _ in 0..<16 {
            guard let slot = idle.front?.slot else { return }
            connections[slot]?.closeIfIdle(self)
            if connections.count - freeSlots.count < count { return }
        }
    }

    private func drain() {
        guard !isDraining else { return }
        isDraining = true
        // Clients that the operating system has connected get an answer.
        acceptor.acceptAll { adopt($0, $1, $2) }
        acceptor.stop()
        for connection in connections { connection?.drain(self) }
        stopIfDrained()
    }

    private func stopIfDrained() {
        if isDraining, freeSlots.count == connections.count { loop.stop() }
    }

    // MARK: - Connections

    /// Adds a connection that is counted already.
    func adopt(_ socket: Socket, _ peer: PeerAddress, _ client: ClientEntry?) {
        let slot = freeSlots.popLast() ?? connections.count
        if slot == connections.count {
            connections.append(nil)
            generations.append(0)
        }
        generations[slot] &+= 1
        let id = ConnectionID(slot: slot, generation: generations[slot])
        let clock = RequestClock(openedAt: loop.now, settings.clock)
        let connection = Connection(id, socket, peer, client, clock)
        do throws(SystemError) {
            connection.watch = try loop.watch(socket, number: id.number, [.readable, .disconnected])
        } catch {
            freeSlots.append(slot)
            return forget(client)
        }
        connections[slot] = connection
        client?.setLocation(loop: index, id)
        connection.settle(self)
    }

    /// Called by a connection that was closed.
    func remove(_ connection: Connection) {
        let slot = connection.id.slot
        connections[slot] = nil
        freeSlots.append(slot)
        if let scheduled = connection.scheduled { limits[scheduled.kind.rawValue].remove(slot) }
        limits[TimeLimitKind.stalledResponse.rawValue].remove(slot)
        idle.remove(slot)
        publishIdle()
        forget(connection.client)
        // A place and a descriptor are free.
        if acceptor.retryTime != nil { acceptor.resume() }
        stopIfDrained()
    }

    /// A connection has no request any more: it is the last of the idle connections.
    func connectionIsIdle(_ connection: Connection) {
        lastIdleKey = max(lastIdleKey + 1, loop.now << 20)
        idle.insert(connection.id.slot, key: lastIdleKey)
        connection.client?.idleSince.store(lastIdleKey, ordering: .relaxed)
        publishIdle()
    }

    /// Closes the connection that has been idle longest, by a message to its worker, if the maximum of connections is
    /// reached.
    func makeRoom() { census.makeRoom() }

    func connectionIsBusy(_ connection: Connection) {
        idle.remove(connection.id.slot)
        connection.client?.idleSince.store(LoopLoad.none, ordering: .relaxed)
        publishIdle()
    }

    private func publishIdle() {
        census.loads[index].longestIdle.store(idle.front?.key ?? LoopLoad.none, ordering: .relaxed)
    }

    // MARK: - Time limits

    /// Replaces the time limit for reading of a connection.
    func schedule(_ slot: Int, _ deadline: RequestClock.Deadline?, instead old: RequestClock.Deadline?) {
        if let old, old.kind != deadline?.kind { limits[old.kind.rawValue].remove(slot) }
        guard let deadline else { return }
        limits[deadline.kind.rawValue].insert(slot, key: deadline.time)
        startTimer(at: deadline.time)
    }

    /// Replaces the time limit for writing of a connection.
    func scheduleStall(_ slot: Int, since: UInt64?) {
        let kind = TimeLimitKind.stalledResponse.rawValue
        guard let since else {
            limits[kind].remove(slot)
            return
        }
        let time = since &+ settings.stalledMilliseconds
        if limits[kind].key(of: slot) != time { limits[kind].insert(slot, key: time) }
        startTimer(at: time)
    }

    /// Counts a body, or a part of one, that a client has not received.
    func bodyIsQueued(_ body: [UInt8]) -> QueuedBodies.Entry? {
        guard let entry = census.queuedBodies.add(body) else { return nil }
        if census.queuedBodies.isOverMaximum { census.closeStalled() }
        return entry
    }

    /// Closes the connections whose clients read nothing, in the order of their last progress, while too many bytes are
    /// queued.
    private func closeStalled() {
        let kind = TimeLimitKind.stalledResponse
        while census.queuedBodies.isOverMaximum, let (slot, time) = limits[kind.rawValue].front {
            let since = time &- settings.stalledMilliseconds
            let end = since &+ settings.stalledMillisecondsOverMaximum
            guard end <= loop.now else { return startTimer(at: end) }
            limits[kind.rawValue].remove(slot)
            connections[slot]?.timeLimitReached(kind, self)
        }
    }

    /// Starts the timer of the loop unless it fires before. Times are rounded up to 16 ms, so that many limits need few
    /// iterations.
    private func startTimer(at time: UInt64) {
        let time = time | 15
        if let timerTime, timerTime <= time { return }
        timerTime = time
        let now = loop.now
        loop.startTimer(milliseconds: time > now ? time - now : 1)
    }

    func timerFired() {
        timerTime = nil
        let now = loop.now
        for kind in TimeLimitKind.allCases {
            while let (slot, time) = limits[kind.rawValue].front, time <= now {
                limits[kind.rawValue].remove(slot)
                connections[slot]?.timeLimitReached(kind, self)
            }
        }
        closeStalled()
        if let retry = acceptor.retryTime {
            if retry <= now { acceptor.resume() } else { startTimer(at: retry) }
        }
        if let next = limits.compactMap(\.front?.key).min() { startTimer(at: next) }
    }
}
