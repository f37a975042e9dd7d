/// Answering: from requests to bytes.
extension Connection {
    /// Bytes of a body without a reader that are read so that the connection can be used again.
    static let maxDiscardedBytes = 65_536
    private static let none: [UInt8] = []

    /// A request whose head is complete.
    func begin(_ head: RequestHead, _ worker: Worker) {
        isHeadRequest = head.method == .head
        (isHTTP10, keepsAlive) = (head.isHTTP10, head.keepsAlive)
        closesAfterResponse = false
        let hasBody = head.framing != .none
        clock.headEnded(at: worker.loop.now, hasBody: hasBody, worker.settings.clock)
        switch worker.handler.answer(to: Request(head: head, peer: peer, loop: worker.index)) {
        case .response(let response):
            guard hasBody else {
                phase = .answering
                return respond(response, worker)
            }
            let active = beginActive(head)
            phase = .body
            responseKnown(response, active, worker)
        case .task(let work):
            let active = beginActive(head)
            phase = hasBody ? .body : .answering
            start(work, active, worker)
        }
    }

    private func beginActive(_ head: RequestHead) -> ActiveRequest {
        sequence &+= 1
        isBodyPaused = false
        let active = ActiveRequest(ExchangeID(connection: id, sequence: sequence), head)
        self.active = active
        return active
    }

    private func start(
        _ work: @escaping @Sendable (Exchange) async -> Response, _ active: ActiveRequest, _ worker: Worker
    ) {
        let (id, mailbox) = (active.id, worker.mailbox)
        let exchange = Exchange(body: RequestBody { mailbox.post(.bodyWanted(id)) })
        if phase == .answering { exchange.body.finish() }
        active.exchange = exchange
        active.task = Task(executorPreference: worker.loop.executor) {
            let response = await work(exchange)
            mailbox.post(.response(id, response))
        }
        if isDisconnectSeen { endTaskOfDisconnectedClient() }
    }

    /// The task of a request has ended.
    func taskEnded(_ id: ExchangeID, _ response: Response, _ worker: Worker) {
        guard phase == .body || phase == .answering, let active, active.id == id, active.stream == nil,
            active.heldResponse == nil
        else { return }
        if phase == .answering {
            respond(response, worker)
        } else {
            responseKnown(response, active, worker)
        }
        continueInput(worker)
        settle(worker)
    }

    /// The response to a request whose body is not complete. It is sent when the body was read and discarded. An error
    /// is sent at once, and so is the response to a request whose body is large or whose client waits before it sends
    /// the body; then the connection is closed.
    private func responseKnown(_ response: Response, _ active: ActiveRequest, _ worker: Worker) {
        active.exchange = nil
        active.task = nil
        let waits =
            response.status < 400 && !response.closesConnection && !active.expectsContinue
            && active.decoder.remainingLength <= Self.maxDiscardedBytes
        if waits {
            active.heldResponse = response
            isBodyPaused = false
        } else {
            respond(response, worker)
        }
    }

    /// Sends a response.
    func respond(_ response: Response, _ worker: Worker) {
        if phase == .body {
            // The rest of the body is not read.
            closesAfterResponse = true
            clock.requestEnded()
        }
        if response.closesConnection || !keepsAlive || worker.isDraining { closesAfterResponse = true }
        let hasNoLength = response.status == 204 || response.status == 304
        let hasBody = !hasNoLength && !isHeadRequest
        let length: ResponseHead.Length
        switch response.body {
        case _ where hasNoLength: length = .none
        case .bytes(let bytes): length = .bytes(bytes.count)
        case .file(let file): length = .bytes(file.length)
        case .stream(let stream):
            if let count = stream.length {
                length = .bytes(count)
            } else if isHTTP10 {
                length = .untilClose
                closesAfterResponse = true
            } else {
                length = .chunked
            }
        }
        worker.scratch.removeAll(keepingCapacity: true)
        worker.updateDate()
        worker.responseHead.append(
            status: response.status, response.fields, response.ownFields, length,
            closesAfterResponse ? .close : isHTTP10 ? .keepAlive10 : .http11, to: &worker.scratch)
        if case .bytes(let bytes) = response.body, hasBody {
            send(worker.scratch, bytes, worker)
        } else {
            send(worker.scratch, Self.none, worker)
        }
        guard phase != .closed else { return }
        phase = .sending
        if hasBody {
            switch response.body {
            case .bytes: break
            case .file(let file):
                output.append(file)
                sendOutput(worker)
            case .stream(let stream): return start(stream, isChunked: length == .chunked, worker)
            }
        }
        if phase == .sending, output.isEmpty { responseEnded(worker) }
    }

    /// Sends a head and a body with one call, unless output is queued; what the client does not take is queued.
    private func send(_ head: [UInt8], _ body: [UInt8], _ worker: Worker) {
        var sent = 0
        if output.isEmpty {
            switch socket.send(head, from: 0, body, from: 0) {
            case .count(let count): sent = count
            case .wouldBlock: break
            case .broken: return close(worker)
            }
            if sent == head.count + body.count { return }
        }
        stalledSince = worker.loop.now
        // The array of the loop is reused, so the rest of the head is copied; the body is not.
        if sent < head.count { output.append(Array(head[sent...])) }
        output.append(body, from: max(0, sent - head.count), counted: worker.bodyIsQueued(body))
    }

    /// The response was sent.
    func responseEnded(_ worker: Worker) {
        active = nil
        if closesAfterResponse { return linger(worker) }
        phase = .head
        if idleMark == .current { idleMark = .outdated }
        clock.responseEnded(at: worker.loop.now, worker.settings.clock)
    }

    // MARK: - Streams

    private func start(_ stream: StreamBody, isChunked: Bool, _ worker: Worker) {
        phase = .answering
        sequence &+= 1
        let id = ExchangeID(connection: id, sequence: sequence)
        let active = ActiveRequest(id, RequestHead.empty)
        self.active = active
        let mailbox = worker.mailbox
        let writer = StreamWriter { bytes in
            await withCheckedContinuation { continuation in
                let isPosted = mailbox.post(.streamBytes(id, bytes, continuation))
                if !isPosted { continuation.resume(returning: false) }
            }
        }
        let task = Task(executorPreference: worker.loop.executor) {
            do {
                try await stream.produce(writer)
                mailbox.post(.streamEnd(id, isComplete: true))
            } catch {
                mailbox.post(.streamEnd(id, isComplete: false))
            }
        }
        active.task = task
        active.stream = ResponseStream(isChunked: isChunked, length: stream.length, task: task)
        if isDisconnectSeen { endTaskOfDisconnectedClient() }
    }

    /// A part of a body.
    func streamBytes(
        _ id: ExchangeID, _ bytes: [UInt8], _ continuation: CheckedContinuation<Bool, Never>, _ worker: Worker
    ) {
        guard let active, active.id == id, active.stream != nil else { return continuation.resume(returning: false) }
        guard !bytes.isEmpty else { return continuation.resume(returning: true) }
        guard let parts = active.stream?.frame(bytes) else {
            continuation.resume(returning: false)
            return abort(worker)
        }
        for part in parts { output.append(part, counted: worker.bodyIsQueued(part)) }
        sendOutput(worker)
        if phase == .closed || output.isEmpty {
            continuation.resume(returning: phase != .closed)
        } else {
            active.stream?.wait(continuation)
        }
        settle(worker)
    }

    /// The end of a body.
    func streamEnded(_ id: ExchangeID, isComplete: Bool, _ worker: Worker) {
        guard let active, active.id == id, let stream = active.stream else { return }
        guard isComplete, stream.remaining ?? 0 == 0 else { return abort(worker) }
        active.stream?.resume(isOpen: true)
        if stream.isChunked { output.append(Array("0\r\n\r\n".utf8)) }
        phase = .sending
        sendOutput(worker)
        if phase == .sending, output.isEmpty {
            responseEnded(worker)
            continueInput(worker)
        }
        settle(worker)
    }

    /// Ends a response that cannot be completed, so that the client does not take it for complete.
    private func abort(_ worker: Worker) {
        close(worker, isReset: true)
    }
}
