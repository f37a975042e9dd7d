/// The operations of an ``ImageDecoder`` on one file, in a worker process.
struct IsolatedDecoder: Sendable {
    let workers: DecodeWorkers
    let options: DecodeOptions
    let format: ImageFormat
    let contentType: ContentType?
    let flag: CancellationFlag?
    /// The array of the file; nil when the bytes are not known to be in one.
    var input: RetainedInput?

    /// An operation with pixels whose memory is known.
    struct Measured: Sendable {
        let operation: ImageOperation
        /// Memory of the worker and of the result in this process, in bytes.
        let byteCount: Int
        fileprivate let outputBytes: Int
        fileprivate let request: WorkerRequest
        fileprivate let worker: WorkerProcess
    }

    /// Runs an operation without pixels.
    func result(of operation: WorkerOperation, _ bytes: Span<UInt8>) throws(DecodeError) -> WorkerResult {
        try converse(bytes, operation, .operation) { (worker, _, end) throws(WorkerProcess.Failure) in
            let request = try worker.send(operation, bytes, of: self)
            guard case .finished(request.number, let result) = try worker.receive(request, until: end, flag) else {
                throw .violatedProtocol
            }
            worker.endRequest(keepsInput: true)
            return (try checked(result), nil)
        }
    }

    /// A worker has no memory left when it reaches its limit.
    func converted(_ error: DecodeError) -> DecodeError {
        guard error.code == .outOfMemory else { return error }
        let limit = workers.configuration.addressSpaceBytes
        return DecodeError(
            .limitExceeded, format: error.format, detail: "workerMemory",
            "a worker process with \(limit) bytes of address space is out of memory: \(error.message)")
    }

    /// Reads the header and computes the memory of an operation with pixels.
    func measure(_ operation: ImageOperation, _ bytes: Span<UInt8>) throws(DecodeError) -> Measured {
        try converse(bytes, .images(operation), .measure) {
            (worker, _, end) throws(WorkerProcess.Failure) -> (Result<Measured, DecodeError>, UInt64?) in
            switch try measure(operation, bytes, worker, end) {
            case .success(let measured): return (.success(measured), measured.request.number)
            case .failure(let error):
                worker.endRequest()
                return (.failure(error), nil)
            }
        }.get()
    }

    /// Makes the images of a measured operation. `bytes` must be the bytes that were measured.
    ///
    /// The worker that measured continues, unless another request uses it or it has ended.
    func images(_ measured: Measured, _ bytes: Span<UInt8>) throws(DecodeError) -> ThumbnailResults {
        let isFree = workers.supply.resume(measured.worker, number: measured.request.number)
        return try converse(bytes, .images(measured.operation), .images, resumed: isFree ? measured.worker : nil) {
            (worker, isResumed, end) throws(WorkerProcess.Failure) in
            if isResumed { return (try images(measured, worker, end), nil) }
            return (try images(measured.operation, bytes, worker, end, maxOutputBytes: measured.outputBytes), nil)
        }.get()
    }

    /// Makes the images of an operation.
    func images(_ operation: ImageOperation, _ bytes: Span<UInt8>) throws(DecodeError) -> ThumbnailResults {
        try converse(bytes, .images(operation), .images) { (worker, _, end) throws(WorkerProcess.Failure) in
            (try images(operation, bytes, worker, end, maxOutputBytes: .max), nil)
        }.get()
    }

    private func images(
        _ operation: ImageOperation, _ bytes: Span<UInt8>, _ worker: WorkerProcess, _ end: ContinuousClock.Instant,
        maxOutputBytes: Int
    ) throws(WorkerProcess.Failure) -> Result<ThumbnailResults, DecodeError> {
        let command = WorkerOperation.images(operation)
        let request = try worker.send(
            command, bytes, of: self, outputBytes: command.expectedOutputBytes.map { min($0, maxOutputBytes) })
        switch try worker.receive(request, until: end, flag) {
        case .finished(request.number, .failure(let error)):
            worker.endRequest()
            return .failure(converted(error))
        case .finished(request.number, let result):
            guard let place = request.output else { throw .violatedProtocol }
            return .success(try images(result, of: operation, worker, place))
        case let report:
            let measured = try measured(operation, request, report, worker)
            guard measured.outputBytes <= maxOutputBytes else { throw .violatedProtocol }
            return try images(measured, worker, end)
        }
    }

    private func measure(
        _ operation: ImageOperation, _ bytes: Span<UInt8>, _ worker: WorkerProcess, _ end: ContinuousClock.Instant
    ) throws(WorkerProcess.Failure) -> Result<Measured, DecodeError> {
        let request = try worker.send(.images(operation), bytes, of: self)
        let report = try worker.receive(request, until: end, flag)
        if case .finished(request.number, .failure(let error)) = report { return .failure(converted(error)) }
        return .success(try measured(operation, request, report, worker))
    }

    /// Checks the sizes that a worker reports before it makes the pixels.
    private func measured(
        _ operation: ImageOperation, _ request: WorkerRequest, _ report: WorkerReport, _ worker: WorkerProcess
    ) throws(WorkerProcess.Failure) -> Measured {
        guard case .measured(request.number, let byteCount, let outputBytes) = report else { throw .violatedProtocol }
        guard outputBytes <= maxOutputBytes(operation) else { throw .exceededMemory(outputBytes) }
        return Measured(
            operation: operation, byteCount: max(1, byteCount.addingClamped(outputBytes)),
            outputBytes: outputBytes, request: request, worker: worker)
    }

    private func images(
        _ measured: Measured, _ worker: WorkerProcess, _ end: ContinuousClock.Instant
    ) throws(WorkerProcess.Failure) -> Result<ThumbnailResults, DecodeError> {
        let outputBytes = measured.outputBytes
        let start = try worker.proceed(measured.request, outputBytes: outputBytes, flag)
        guard
            case .finished(measured.request.number, let result) = try worker.receive(measured.request, until: end, flag)
        else { throw .violatedProtocol }
        if case .failure(let error) = result {
            worker.endRequest()
            return .failure(converted(error))
        }
        let place = WorkerOutputPlace(start: start, byteCount: outputBytes)
        return .success(try images(result, of: measured.operation, worker, place))
    }

    /// Copies the images of a result out of the slab.
    private func images(
        _ result: WorkerResult, of operation: ImageOperation, _ worker: WorkerProcess, _ place: WorkerOutputPlace
    ) throws(WorkerProcess.Failure) -> ThumbnailResults {
        guard case .images(let parts, let positions, let decodeCount) = result,
            decodeCount <= max(1, positions.count)
        else { throw .violatedProtocol }
        for (position, index) in positions.enumerated() {
            guard case .success(let index) = index else { continue }
            guard parts.indices.contains(index) else { throw .violatedProtocol }
            let part = parts[index]  // trap-free: compared before
            guard isRequested(part, at: position, of: operation) else { throw .violatedProtocol }
        }
        var images: [DecodedImage] = []
        // Images of a correct worker do not overlap, so that all copies together have at most the measured size.
        var remainingBytes = place.byteCount
        for part in parts {
            guard isWithinLimits(part.place), isPlausible(part.header), let byteCount = part.place.byteCount,
                byteCount <= remainingBytes
            else { throw .violatedProtocol }
            remainingBytes &-= byteCount
            let bitmap = try worker.take(part.place, from: place)
            images.append(DecodedImage(bitmap: bitmap, header: part.header, status: part.status))
        }
        // A correct worker has written only the pixels of the images.
        worker.outputIsCleared(from: place.start)
        worker.endRequest()
        return ThumbnailResults(
            results: positions.map { position in position.map { images[$0] } },  // trap-free: compared above
            decodeCount: decodeCount)
    }

    /// True for the size of an image that a correct worker can return.
    private func isWithinLimits(_ place: WorkerImage) -> Bool {
        do throws(DecodeError) {
            try options.limits.checkBitmap(width: place.width, height: place.height)
            return true
        } catch {
            return false
        }
    }

    /// Bytes of the largest output that a correct worker can announce; an image is rounded up to whole pages.
    private func maxOutputBytes(_ operation: ImageOperation) -> Int {
        let count: Int
        var total = options.limits.maxMemory ?? .max
        switch operation {
        case .thumbnails(let all, _): count = all.count
        case .thumbnailsByPlan(let all):
            count = all.count
            total = FileNumber(total).timesClamped(FileNumber(max(1, count))).clamped(to: 0 ... .max)
        case .decode, .thumbnail: count = 1
        }
        return min(workers.configuration.addressSpaceBytes, total.addingClamped(count &* 131_072))
    }

    /// The error of an output that is larger than ``maxOutputBytes(_:)``: it names the limit that is exceeded.
    private func exceededMemory(_ outputBytes: Int) -> DecodeError {
        let limit = workers.configuration.addressSpaceBytes
        if outputBytes <= limit, let maxMemory = options.limits.maxMemory {
            return DecodeError(
                .limitExceeded, format: format, detail: "maxMemory",
                "\(outputBytes) bytes of pixels, announced by a worker process, exceed the limit of \(maxMemory) bytes")
        }
        return DecodeError(
            .limitExceeded, format: format, detail: "workerMemory",
            "\(outputBytes) bytes of pixels exceed the limit of \(limit) bytes of a worker process")
    }

    // MARK: Conversations

    /// Calls `body` with a worker, true when it is `resumed`, and the end of the time limit. Releases the worker, or
    /// ends it when `body` throws. Repeats this when the worker had ended before the request, because then the file is
    /// not the cause, and when a worker that has served other requests has no memory left.
    ///
    /// - Parameter body: Returns the result, and the number of a request that can be continued.
    private func converse<Value>(
        _ bytes: Span<UInt8>, _ operation: WorkerOperation, _ part: WorkerAttempt.Part,
        resumed: WorkerProcess? = nil,
        _ body: (WorkerProcess, Bool, ContinuousClock.Instant) throws(WorkerProcess.Failure) -> (Value, UInt64?)
    ) throws(DecodeError) -> Value {
        if resumed == nil { try throwIfRefused(bytes) }
        try flag?.poll(format: format)
        var next = resumed
        var exhausted: Value?
        for _ in 0..<4 {
            let isResumed = next != nil
            let worker: WorkerProcess
            if let resumed = next { worker = resumed } else { worker = try workers.supply.acquire(flag, for: input) }
            next = nil
            do throws(WorkerProcess.Failure) {
                let (value, measured) = try body(worker, isResumed, .now.advanced(by: workers.configuration.timeLimit))
                workers.supply.release(worker, measured: measured)
                // The supply ends it. Earlier requests can be the reason why the worker has no memory left.
                if worker.isExhausted, worker.number > 1 {
                    exhausted = value
                    continue
                }
                workers.refusedFiles.noteCompletion(of: WorkerAttempt(operation, options, part), bytes)
                return value
            } catch {
                if case .stopped(let stop) = error {
                    workers.supply.discardLater(worker)
                    workers.supply.count(.cancelled)
                    throw stop
                }
                let end = workers.supply.discard(worker)
                guard case .wasEnded = error else {
                    throw self.error(error, end: end, worker, bytes, WorkerAttempt(operation, options, part))
                }
                workers.supply.count(.killed)
            }
        }
        guard let exhausted else { throw workersEndedWhileIdle }
        return exhausted
    }

    var workersEndedWhileIdle: DecodeError {
        DecodeError(.workerUnavailable, format: format, detail: "system", "four workers ended while idle")
    }

    func throwIfRefused(_ bytes: Span<UInt8>) throws(DecodeError) {
        guard workers.refusedFiles.contains(bytes) else { return }
        throw DecodeError(
            .crashed, format: format, detail: "refused", "the file ended decode workers before and is refused")
    }

    /// Converts the failure of a conversation, whose worker is ended, and reports it.
    ///
    /// - Parameter end: The name of the signal that ended the worker, or `exit`.
    func error(
        _ failure: WorkerProcess.Failure, end: String, _ worker: WorkerProcess, _ bytes: Span<UInt8>,
        _ attempt: WorkerAttempt
    ) -> DecodeError {
        let reason: DecodeWorkers.EndReason
        let error: DecodeError
        switch failure {
        case .stopped(let stop):
            workers.supply.count(.cancelled)
            return stop
        case .outOfMemory:
            workers.supply.count(.cancelled)
            return DecodeError(.outOfMemory, format: format, "out of memory: shared pixels of a decode worker")
        case .exceededMemory(let outputBytes):
            workers.supply.count(.cancelled)
            return exceededMemory(outputBytes)
        case .wasEnded, .ended:
            error = DecodeError(.crashed, format: format, detail: end, "the decode worker ended: \(end)")
            reason = error.isUnrelatedToInput ? .killed : .crashed
        case .violatedProtocol:
            error = DecodeError(
                .crashed, format: format, detail: "protocol", "the decode worker sent an answer that is not valid")
            reason = .protocolViolation
        case .exceededTimeLimit:
            let limit = workers.configuration.timeLimit
            error = DecodeError(.timedOut, format: format, "the decode did not end within \(limit)")
            reason = .timedOut
        }
        workers.supply.count(reason)
        if reason == .killed {
            // By another program or the OOM killer, or by this program after the worker had closed its socket.
            workers.refusedFiles.noteKill(attempt, bytes)
        } else {
            workers.refusedFiles.insert(bytes)
        }
        workers.configuration.onFailure?(
            DecodeWorkers.Failure(reason: reason, error: error, processIdentifier: worker.processIdentifier), bytes)
        return error
    }
}
