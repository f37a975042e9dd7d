/// Reading: from bytes to requests.
extension Connection {
    /// Requests that are answered before other connections have their turn.
    private static let maxRequestsPerTurn = 32

    /// Reads once from the socket.
    func readInput(_ worker: Worker) {
        guard wantsInput else {
            // Reading stops only when there is something to read: most clients wait for their response, and the change
            // of a watch costs a system call.
            isReadingPaused = true
            return
        }
        switch socket.receive(into: &worker.receiveBuffer) {
        case .count(0): inputEnded(worker)
        case .count(let count): received(count, worker)
        case .wouldBlock: break
        case .broken: close(worker)
        }
    }

    private var wantsInput: Bool {
        switch phase {
        case .head: !isDeferred
        case .body: !isBodyPaused
        case .lingering: true
        case .answering, .sending, .closed: false
        }
    }

    private func received(_ count: Int, _ worker: Worker) {
        if phase == .lingering { return }
        guard pendingStart == pending.count else {
            if pendingStart > 0 {
                pending.removeFirst(pendingStart)
                pendingStart = 0
            }
            pending.append(contentsOf: worker.receiveBuffer[..<count])
            return processPending(worker)
        }
        // The buffer of the loop is used without a copy; what is left is copied.
        let bytes = worker.receiveBuffer
        let used = process(bytes.span.extracting(0..<count), worker)
        guard used < count, phase != .closed else { return }
        pending = Array(bytes[used..<count])
        pendingStart = 0
    }

    private func processPending(_ worker: Worker) {
        guard pendingStart < pending.count else { return }
        let bytes = pending
        let used = process(bytes.span.extracting(pendingStart..<bytes.count), worker)
        pendingStart = min(pendingStart + used, pending.count)
        if pendingStart == pending.count {
            pending = []
            pendingStart = 0
        }
    }

    /// Processes input that was received, and permits reading again.
    func continueInput(_ worker: Worker) {
        guard wantsInput else { return }
        isReadingPaused = false
        processPending(worker)
        if isInputClosed { inputEnded(worker) }
    }

    /// The rest of the input, after other connections had their turn.
    func resume(_ worker: Worker) {
        guard isDeferred else { return }
        isDeferred = false
        continueInput(worker)
        settle(worker)
    }

    /// The client has closed its sending side and everything was read.
    private func inputEnded(_ worker: Worker) {
        isInputClosed = true
        disconnectSeen()
        switch phase {
        case .head: if !isDeferred { close(worker) }
        case .body: if !isBodyPaused { close(worker) }
        case .lingering: close(worker)
        case .answering, .sending, .closed: break
        }
    }

    /// Processes input.
    ///
    /// - Returns: The number of bytes that were used; the others are processed later.
    private func process(_ bytes: Span<UInt8>, _ worker: Worker) -> Int {
        var offset = 0
        var requests = 0
        while true {
            switch phase {
            case .head:
                guard offset < bytes.count, !isDeferred else { return offset }
                guard requests < Self.maxRequestsPerTurn else {
                    isDeferred = true
                    worker.mailbox.post(.resume(id))
                    return offset
                }
                let rest = bytes.extracting(offset..<bytes.count)
                do throws(RequestRejection) {
                    guard let length = try parser.parse(rest, worker.settings.message) else {
                        clock.headBegan(at: worker.loop.now, worker.settings.clock)
                        return offset
                    }
                    let head = parser.take(rest.extracting(0..<length))
                    offset += length
                    requests += 1
                    begin(head, worker)
                } catch {
                    reject(error, rest, worker)
                    return bytes.count
                }
            case .body:
                guard !isBodyPaused, let active else { return offset }
                do throws(RequestRejection) {
                    switch try active.decoder.next(bytes, from: offset) {
                    case .data(let range):
                        offset = range.upperBound
                        deliver(bytes.extracting(range), active, worker)
                    case .end(let position):
                        offset = position
                        bodyEnded(active, worker)
                    case .needsMore: return bytes.count
                    }
                } catch {
                    active.cancel(.malformed)
                    self.active = nil
                    reject(error, nil, worker)
                    return bytes.count
                }
            case .answering, .sending: return offset
            case .lingering, .closed: return bytes.count
            }
        }
    }

    /// Responds to a request that does not follow the rules.
    ///
    /// - Parameter bytes: The bytes of its head; nil for a request with a malformed body.
    private func reject(_ reason: RequestRejection, _ bytes: Span<UInt8>?, _ worker: Worker) {
        var rejected = RejectedRequest(reason: reason, method: nil, target: nil, peer: peer)
        if let bytes, let line = parser.requestLine(bytes, refusedFor: reason, worker.settings.message) {
            rejected = RejectedRequest(reason: reason, method: line.method, target: line.target, peer: peer)
            isHeadRequest = line.method == .head
        } else if bytes != nil {
            isHeadRequest = false
        }
        (isHTTP10, keepsAlive) = (false, false)
        clock.requestEnded()
        phase = .answering
        respond(worker.handler.response(to: rejected), worker)
    }

    // MARK: - Bodies

    private func deliver(_ bytes: Span<UInt8>, _ active: ActiveRequest, _ worker: Worker) {
        if let response = active.heldResponse {
            active.discardedBytes += bytes.count
            if active.discardedBytes > Self.maxDiscardedBytes { respond(response, worker) }
        } else if let body = active.exchange?.body {
            isBodyPaused = !body.deliver(bytes.array)
        }
    }

    private func bodyEnded(_ active: ActiveRequest, _ worker: Worker) {
        clock.requestEnded()
        phase = .answering
        if let response = active.heldResponse {
            respond(response, worker)
        } else {
            active.exchange?.body.finish()
        }
    }

    /// A task reads the body of the request.
    func bodyWanted(_ id: ExchangeID, _ worker: Worker) {
        guard phase == .body, let active, active.id == id else { return }
        if active.expectsContinue {
            active.expectsContinue = false
            output.append(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            sendOutput(worker)
            guard phase != .closed else { return }
        }
        isBodyPaused = false
        continueInput(worker)
        settle(worker)
    }
}
