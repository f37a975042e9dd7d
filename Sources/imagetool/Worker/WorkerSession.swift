import PlatformImage
import PlatformImageToolSupport
import Synchronization

/// State of one `imagetool worker` process: requests that run concurrently, with one answer each.
final class WorkerSession: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var isCancelled = false
    }

    /// A request that was read, with the bytes that followed it.
    private struct Job: Sendable {
        let sequence: Int
        let id: String
        /// Bytes of the line.
        let lineBytes: Int
        let bytes: [UInt8]
        let readTime = ContinuousClock.now
    }

    private let decoder: ImageDecoder
    private let recipes: WorkerRecipes
    private let files: WorkerFiles
    private let sources: WorkerSources?
    private let queue: DecodeQueue
    private let admission: WorkerAdmission
    private let output: WorkerOutput
    private let state = Mutex(State())

    /// - Parameters:
    ///   - sources: Loads URLs; `nil` refuses them.
    ///   - jobs: Number of threads, 1 or more; 0 for one per core.
    ///   - maxInFlight: `nil` for four per thread.
    init(
        isolation: DecodeIsolation, files: WorkerFiles, sources: WorkerSources?, output: WorkerOutput, jobs: Int,
        maxInFlight: Int?, maxBytes: Int
    ) {
        var decoder = ImageDecoder()
        decoder.isolation = isolation
        self.decoder = decoder
        recipes = WorkerRecipes(isolation: isolation)
        self.files = files
        self.sources = sources
        self.output = output
        queue = DecodeQueue(width: jobs)
        admission = WorkerAdmission(maxRequests: maxInFlight ?? queue.width * 4, maxBytes: maxBytes)
    }

    /// Reads and answers requests until the input ends and all requests are answered; blocks.
    func run(_ input: LineInput) {
        var sequence = 0
        while true {
            admission.waitForRequest()
            guard !output.isClosed, let item = input.nextBlocking() else { break }
            switch item {
            case .tooLong:
                let failure = Failure(.usage, "lineTooLong: the line has more than \(input.maxLineBytes) bytes")
                refuse(Job(sequence: sequence, id: "null", lineBytes: 0, bytes: []), failure)
            case .line(let line):
                guard line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") }) else { continue }
                accept(WorkerRequest(line, recipes: recipes), lineBytes: line.count, input, sequence)
            }
            sequence += 1
        }
        if input.end == .output || output.isClosed { cancel() }
        admission.waitUntilIdle()
    }

    /// Reads the bytes that a request announced, and starts it.
    private func accept(_ request: WorkerRequest, lineBytes: Int, _ input: LineInput, _ sequence: Int) {
        var content = request.content
        var bytes: [UInt8] = []
        if request.announcedBytes > 0 {
            let limit = decoder.options.limits.maxInputBytes ?? .max
            if case .success = content, request.announcedBytes > limit {
                content = .failure(
                    Failure(
                        .refused,
                        "limitExceeded(maxInputBytes): bytes is \(request.announcedBytes), the limit is \(limit)"
                    ))
            }
            let isRefused = if case .failure = content { true } else { false }
            if !isRefused { admission.waitForBytes(request.announcedBytes) }
            switch input.bytesBlocking(request.announcedBytes, isDiscarded: isRefused) {
            case .complete(let received): bytes = received
            case .ended where isRefused: break
            case .ended(let count):
                let message = "the input ended after \(count) of \(request.announcedBytes) bytes"
                let code = input.end == .input ? "inputTooShort" : "cancelled"
                content = .failure(Failure(.dataError, "\(code): \(message)"))
            }
        }
        let job = Job(sequence: sequence, id: request.id, lineBytes: lineBytes, bytes: bytes)
        switch content {
        case .failure(let failure): refuse(job, failure)
        case .success(let content): start(job, content)
        }
    }

    private func refuse(_ job: Job, _ failure: Failure) {
        admission.begin(byteCount: 0)
        deliver(.failed(failure), job, duration: .zero, byteCount: 0)
    }

    private func start(_ job: Job, _ content: WorkerRequest.Content) {
        admission.begin(byteCount: job.lineBytes + job.bytes.count)
        state.locked(in: self) { state in
            state.tasks[job.sequence] = Task { [self] in
                await answer(job, content)
                self.state.locked(in: self) { $0.tasks[job.sequence] = nil }
            }
            if state.isCancelled { state.tasks[job.sequence]?.cancel() }
        }
    }

    /// Cancels all requests; they are answered with `cancelled`.
    private func cancel() {
        let tasks = state.locked(in: self) { state in
            state.isCancelled = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    private func answer(_ job: Job, _ content: WorkerRequest.Content) async {
        let start = ContinuousClock.now
        var inputCount = job.lineBytes + job.bytes.count
        do {
            var bytes: [UInt8]?
            var loadTime = Duration.zero
            if case .url(let url) = content.source {
                await admission.waitForStart(job.sequence)
                let start = ContinuousClock.now
                let body = try await load(url, deadline: content.deadline)
                admission.add(byteCount: body.count)
                inputCount += body.count
                bytes = body
                loadTime = .now - start
            }
            // The queue runs requests that were read before the limit of the bytes was reached.
            while try await !queue.run({ [self, bytes, inputCount, loadTime] flag in
                guard admission.mayStart(job.sequence) else { return false }
                let start = ContinuousClock.now
                let answer = result(of: job, content, loaded: bytes, flag)
                deliver(answer, job, duration: loadTime + (.now - start), byteCount: inputCount)
                return true
            }) {
                await admission.waitForStart(job.sequence)
            }
        } catch {
            let failure = (error as? DecodeError).map { Failure($0) } ?? (error as? Failure) ?? .unexpected(error)
            deliver(.failed(failure), job, duration: .now - start, byteCount: inputCount)
        }
    }

    /// - Parameter byteCount: Bytes of the request and its input, which is not needed any more.
    private func deliver(_ answer: WorkerAnswer, _ job: Job, duration: Duration, byteCount: Int) {
        let line = answer.line(id: job.id, duration: duration)
        let resultBytes = line.count + (answer.body?.byteCount ?? 0)
        admission.replace(byteCount, by: resultBytes)
        output.write(line, answer.body, sequence: job.sequence) { [admission] in
            admission.end(job.sequence, byteCount: resultBytes)
        }
        if output.isClosed { cancel() }
    }

    private func load(_ url: String, deadline: Duration?) async throws -> [UInt8] {
        guard let sources else { throw Failure(.usage, "urlNotAllowed: the worker was started without --allow-url") }
        return try await sources.load(url, deadline: deadline)
    }

    /// Decodes and encodes; blocks.
    private func result(
        of job: Job, _ content: WorkerRequest.Content, loaded: [UInt8]?, _ flag: CancellationFlag
    ) -> WorkerAnswer {
        if let deadline = content.deadline { flag.setDeadline(job.readTime + deadline) }
        do {
            return try convertingDecodeError {
                try flag.poll()
                let bytes: [UInt8] =
                    if case .path(let path) = content.source {
                        try files.read(path, limit: decoder.options.limits.maxInputBytes)
                    } else {
                        loaded ?? job.bytes
                    }
                return try result(content.operation, bytes, output: content.output, flag)
            }
        } catch let failure as Failure {
            return .failed(failure)
        } catch {
            return .failed(.unexpected(error))
        }
    }

    private func result(
        _ operation: WorkerRequest.Operation, _ bytes: [UInt8], output: String?, _ flag: CancellationFlag
    ) throws -> WorkerAnswer {
        switch operation {
        case .info:
            let header = try ImageFacts.header(of: bytes, decoder, cancellation: flag)
            return .info(header, ImageFacts.exif(of: bytes, decoder))
        case .decode(let decode):
            var decoder = decoder
            decoder.options = decode.options
            let image = try SelectedImage(bytes, frame: decode.frame, decoder: decoder, cancellation: flag)
            let body: WorkerAnswer.Body =
                decode.format == .png
                ? .file(try PixelFileFormat.pngFile(of: image.bitmap))
                : .pixels(image.bitmap, decode.format, isPremultiplied: decode.isPremultiplied)
            if let output { try files.write(output) { try body.write(to: $0) } }
            return .result(
                body, format: decode.format.rawValue, width: image.bitmap.width, height: image.bitmap.height,
                status: image.status, output: output)
        case .thumb(let recipe):
            let thumb = try recipe.makeThumbnail(bytes, cancellation: flag)
            let body = WorkerAnswer.Body.file(thumb.file)
            if let output { try files.write(output) { try body.write(to: $0) } }
            return .result(
                body, format: thumb.format.rawValue, width: thumb.width, height: thumb.height, status: thumb.status,
                output: output)
        }
    }
}

extension Failure {
    fileprivate static func unexpected(_ error: any Error) -> Self { Self(.software, "internal: \(error)") }
}
