/// The frames of an animation in a worker process of their own; see ``ImageFrames``.
final class IsolatedFrames {
    let header: ImageHeader
    private(set) var status = DecodeStatus.complete

    private let decoder: IsolatedDecoder
    private let request: WorkerRequest
    /// Nil after a failure of the worker; ``failure`` is then not nil.
    private var worker: WorkerProcess?
    private var failure: DecodeError?
    /// Size of the frame that ``advance()`` returned last.
    private var frameBytes = 0
    /// For the report of a crash.
    private let bytes: [UInt8]

    init(_ decoder: IsolatedDecoder, _ bytes: Span<UInt8>) throws(DecodeError) {
        try decoder.throwIfRefused(bytes)
        try decoder.flag?.poll()
        let worker = try decoder.workers.supply.acquireSession()
        let opened: Result<(WorkerRequest, ImageHeader), DecodeError>
        do throws(WorkerProcess.Failure) {
            let request = try worker.send(.frames, bytes, of: decoder)
            let end = ContinuousClock.now + decoder.workers.configuration.timeLimit
            switch try worker.receive(request, until: end, decoder.flag) {
            case .finished(request.number, .frames(let header)):
                guard decoder.isPlausible(header) else { throw .violatedProtocol }
                opened = .success((request, header))
            case .finished(request.number, .failure(let error)): opened = .failure(decoder.converted(error))
            default: throw .violatedProtocol
            }
            // The worker has copied the bytes.
            worker.clearSlab()
        } catch {
            let end = decoder.workers.supply.discard(worker, isSession: true)
            throw decoder.error(error, end: end, worker, bytes)
        }
        switch opened {
        case .success((let request, let header)):
            self.bytes = [UInt8](bytes)
            self.decoder = decoder
            self.request = request
            self.header = header
            self.worker = worker
        case .failure(let error):
            decoder.workers.supply.endSession(worker)
            throw error
        }
    }

    deinit {
        if let worker { decoder.workers.supply.endSession(worker) }
    }

    /// As ``ImageFrames/advance()``.
    func advance() throws(DecodeError) -> FrameInfo? {
        let result = try step(.advance, outputBytes: 0) { (result, _) throws(WorkerProcess.Failure) in
            guard case .frame(let frame, let status) = result else { throw .violatedProtocol }
            return (frame, status)
        }
        status = result.1
        let info = try result.0.get()
        if let info {
            frameBytes = WorkerImage(offset: 0, width: info.width, height: info.height).byteCount ?? .max
        }
        return info
    }

    /// As ``ImageFrames/composed()``.
    func composed() throws(DecodeError) -> Bitmap {
        let canvas = WorkerImage(offset: 0, width: header.width, height: header.height)
        guard let bitmap = try pixels(.compose, outputBytes: canvas.byteCount ?? .max) else {
            throw DecodeError(.internal, format: header.format, "the worker returned no canvas")
        }
        return bitmap
    }

    /// As ``ImageFrames/raw()``.
    func raw() throws(DecodeError) -> Bitmap? { try pixels(.raw, outputBytes: frameBytes) }

    private func pixels(_ kind: FrameStep, outputBytes: Int) throws(DecodeError) -> Bitmap? {
        let limit = decoder.workers.configuration.addressSpaceBytes
        guard outputBytes <= limit else {
            throw DecodeError(
                .limitExceeded, format: header.format, detail: "workerMemory",
                "\(outputBytes) bytes of pixels exceed the limit of \(limit) bytes of a worker process")
        }
        // A correct worker returns an error for more pixels than the limit; a false size allocates no memory above it.
        let outputBytes = min(outputBytes, decoder.options.limits.maxMemory ?? .max)
        return try step(kind, outputBytes: outputBytes) { (result, worker) throws(WorkerProcess.Failure) in
            switch result {
            case .failure(let error): return Result<Bitmap?, DecodeError>.failure(decoder.converted(error))
            case .pixels(nil): return .success(nil)
            case .pixels(let place?):
                return .success(try worker.take(place, from: WorkerOutputPlace(start: 0, byteCount: outputBytes)))
            default: throw .violatedProtocol
            }
        }.get()
    }

    /// Runs a step in the worker. After a failure of the worker, every step throws its error.
    private func step<Value>(
        _ kind: FrameStep, outputBytes: Int,
        _ convert: (WorkerResult, WorkerProcess) throws(WorkerProcess.Failure) -> Value
    ) throws(DecodeError) -> Value {
        guard let worker else { throw failure ?? DecodeError(.internal, "the animation has no worker") }
        try decoder.flag?.poll(format: header.format)
        do throws(WorkerProcess.Failure) {
            try worker.step(kind, of: request, outputBytes: outputBytes, decoder.flag)
            let end = ContinuousClock.now + decoder.workers.configuration.timeLimit
            guard case .finished(request.number, let result) = try worker.receive(request, until: end, decoder.flag)
            else { throw .violatedProtocol }
            let value = try convert(result, worker)
            worker.clearSlab()
            return value
        } catch {
            self.worker = nil
            if case .stopped(let stop) = error {
                decoder.workers.supply.discardLater(worker, isSession: true)
                decoder.workers.supply.count(.cancelled)
                failure = stop
                throw stop
            }
            let end = decoder.workers.supply.discard(worker, isSession: true)
            let bytes = bytes
            let error = decoder.error(error, end: end, worker, bytes.span)
            failure = error
            throw error
        }
    }
}
