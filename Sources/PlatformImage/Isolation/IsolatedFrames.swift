/// The frames of an animation in a worker process of their own; see ``ImageFrames``.
final class IsolatedFrames: FrameSource {
    let header: ImageHeader
    private(set) var status = DecodeStatus.complete

    private let decoder: IsolatedDecoder
    private let request: WorkerRequest
    /// Nil after a failure of the worker; ``failure`` is then not nil.
    private var worker: WorkerProcess?
    private var failure: DecodeError?
    /// The frame that ``advance()`` returned last; nil before the first one.
    private var frame: FrameInfo?
    private var frameCount = 0
    private var isAtEnd = false
    /// For the report of a crash.
    private let bytes: [UInt8]

    init(_ decoder: IsolatedDecoder, _ bytes: Span<UInt8>) throws(DecodeError) {
        try decoder.throwIfRefused(bytes)
        try decoder.flag?.poll()
        let (worker, opened) = try Self.open(decoder, bytes)
        decoder.workers.refusedFiles.noteCompletion(of: Self.openingAttempt(decoder), bytes)
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

    /// Opens the animation in a worker; uses another one when a worker had ended before the request.
    private static func open(
        _ decoder: IsolatedDecoder, _ bytes: Span<UInt8>
    ) throws(DecodeError) -> (WorkerProcess, Result<(WorkerRequest, ImageHeader), DecodeError>) {
        for _ in 0..<4 {
            let worker = try decoder.workers.supply.acquireSession()
            do throws(WorkerProcess.Failure) {
                return (worker, try open(decoder, bytes, worker))
            } catch {
                let end = decoder.workers.supply.discard(worker, isSession: true)
                guard case .wasEnded = error else {
                    throw decoder.error(error, end: end, worker, bytes, openingAttempt(decoder))
                }
                decoder.workers.supply.count(.killed)
            }
        }
        throw decoder.workersEndedWhileIdle
    }

    private static func openingAttempt(_ decoder: IsolatedDecoder) -> WorkerAttempt {
        WorkerAttempt(.frames, decoder.options, .operation)
    }

    private static func open(
        _ decoder: IsolatedDecoder, _ bytes: Span<UInt8>, _ worker: WorkerProcess
    ) throws(WorkerProcess.Failure) -> Result<(WorkerRequest, ImageHeader), DecodeError> {
        let opened: Result<(WorkerRequest, ImageHeader), DecodeError>
        let request = try worker.send(.frames, bytes, of: decoder)
        let end = ContinuousClock.now.advanced(by: decoder.workers.configuration.timeLimit)
        switch try worker.receive(request, until: end, decoder.flag) {
        case .finished(request.number, .frames(let header)):
            guard decoder.isPlausible(header) else { throw .violatedProtocol }
            opened = .success((request, header))
        case .finished(request.number, .failure(let error)): opened = .failure(decoder.converted(error))
        default: throw .violatedProtocol
        }
        // The worker has copied the bytes.
        worker.clearSlab()
        return opened
    }

    deinit {
        if let worker { decoder.workers.supply.endSession(worker) }
    }

    /// As ``ImageFrames/advance()``.
    func advance() throws(DecodeError) -> FrameInfo? {
        let result = try step(.advance, outputBytes: 0) { (result, _) throws(WorkerProcess.Failure) in
            guard case .frame(let frame, let status) = result else { throw .violatedProtocol }
            if case .success(let info?) = frame {
                guard isNext(info) else { throw .violatedProtocol }
                frameCount &+= 1
                self.frame = info
            } else {
                isAtEnd = true
            }
            return (frame, status)
        }
        status = result.1
        return try result.0.get()
    }

    /// False for a frame that a correct worker would not return: after the end of the animation, over a limit, or with
    /// values that the format cannot contain.
    private func isNext(_ info: FrameInfo) -> Bool {
        let pixels = FileNumber(header.width).timesClamped(FileNumber(header.height))
            .timesClamped(FileNumber(frameCount &+ 1))
        return !isAtEnd && decoder.isPlausible(info, index: frameCount)
            && (!header.format.isAnimatable
                || pixels <= FileNumber(decoder.options.limits.maxTotalPixels ?? .max))
    }

    /// As ``ImageFrames/composed()``.
    func composed() throws(DecodeError) -> Bitmap {
        let canvas = WorkerImage(offset: 0, width: header.width, height: header.height)
        let bitmap = try pixels(.compose, outputBytes: canvas.byteCount ?? .max) { [decoder, header] place in
            decoder.isUpright(place, of: header)
        }
        guard let bitmap else {
            throw DecodeError(.internal, format: header.format, "the worker returned no canvas")
        }
        return bitmap
    }

    /// As ``ImageFrames/raw()``.
    func raw() throws(DecodeError) -> Bitmap? {
        let frame = frame
        let place = WorkerImage(offset: 0, width: frame?.width ?? 0, height: frame?.height ?? 0)
        return try pixels(.raw, outputBytes: place.byteCount ?? .max) {
            $0.width == place.width && $0.height == place.height
        }
    }

    /// - Parameter isExpected: False for an image of another size than that of the request.
    private func pixels(
        _ kind: FrameStep, outputBytes: Int, isExpected: (WorkerImage) -> Bool
    ) throws(DecodeError) -> Bitmap? {
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
                guard isExpected(place) else { throw .violatedProtocol }
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
        let part = WorkerAttempt.Part.step(kind, frameCount: frameCount)
        let bytes = bytes
        do throws(WorkerProcess.Failure) {
            try worker.step(kind, of: request, outputBytes: outputBytes, decoder.flag)
            let end = ContinuousClock.now.advanced(by: decoder.workers.configuration.timeLimit)
            guard case .finished(request.number, let result) = try worker.receive(request, until: end, decoder.flag)
            else { throw .violatedProtocol }
            let value = try convert(result, worker)
            worker.clearSlab()
            decoder.workers.refusedFiles.noteCompletion(
                of: WorkerAttempt(.frames, decoder.options, part), bytes.span)
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
            let attempt = WorkerAttempt(.frames, decoder.options, part)
            let error = decoder.error(error, end: end, worker, bytes.span, attempt)
            failure = error
            throw error
        }
    }
}
