import Dispatch
import PlatformImage
import PlatformImageToolSupport

/// Thumbnails of many inputs: decoded and encoded in parallel, written and reported in input order.
final class ThumbBatch {
    /// An input that is being processed; the result is `nil` for a deferred input.
    private struct RunningInput: Sendable {
        let path: String
        let result: Task<ThumbJob.JobResult?, Never>
    }

    private let job: ThumbJob
    private let manifest: ThumbManifest?
    private let rows: Output?
    private let interrupt: Interrupt
    private let files: ThumbFiles
    private var firstFailure: Failure?
    private var (createdCount, skippedCount, failedCount) = (0, 0, 0)

    /// - Parameters:
    ///   - rows: Output for one JSON line per input; `nil` for no JSON output.
    ///   - files: Outputs of the run.
    init(_ job: ThumbJob, files: ThumbFiles, manifest: ThumbManifest?, rows: Output?, interrupt: Interrupt) {
        self.job = job
        self.files = files
        self.manifest = manifest
        self.rows = rows
        self.interrupt = interrupt
    }

    /// Processes all inputs and returns the exit code.
    ///
    /// - Parameters:
    ///   - threads: Number of threads; 0 for one per core. A single input is processed on the calling thread.
    ///   - severalInputs: Called before the second input is processed.
    /// - Throws: ``OutputFailure``, which ends the batch, and the error of `severalInputs`.
    func run(_ inputs: ThumbInputs, threads: Int, severalInputs: () throws -> Void) async throws -> Int32 {
        for path in inputs.arguments { files.add(input: path) }
        if inputs.count == 1, let path = inputs.nextBlocking() {
            try record(path, manifest?.output(of: path).map { .skipped(output: $0) } ?? job.result(of: path))
        } else {
            try await runAll(inputs, threads: threads, severalInputs)
        }
        guard let firstFailure else { return 0 }
        return createdCount + skippedCount + failedCount == 1 ? firstFailure.exit.rawValue : 1
    }

    private func runAll(_ inputs: ThumbInputs, threads: Int, _ severalInputs: () throws -> Void) async throws {
        let queue = DecodeQueue(width: threads)
        // Up to four inputs per thread are in progress, so that the threads stay busy while the result of a slow input
        // is awaited.
        // Dispatch traps when a semaphore is released with a lower value than its initial one, hence 0.
        let permits = DispatchSemaphore(value: 0)
        for _ in 0..<queue.width * 4 { permits.signal() }
        let outputs = PendingOutputs()
        let (running, continuation) = AsyncStream.makeStream(of: RunningInput.self)
        DispatchQueue(label: "imagetool.thumb.inputs").async { [job, manifest, files] in
            while true {
                permits.wait()
                guard let path = inputs.nextBlocking() else { return continuation.finish() }
                files.add(input: path)
                let isDeferred =
                    job.knownOutput(for: path).map { !outputs.insert($0) || files.conflict(at: $0) != nil } ?? false
                let skipped = isDeferred ? nil : manifest?.output(of: path)
                // Starts immediately, so that the inputs enter the queue in their order.
                let result = Task<ThumbJob.JobResult?, Never>.immediate {
                    if isDeferred { return nil }
                    if let skipped { return .skipped(output: skipped) }
                    return await ThumbBatch.result(of: path, job, on: queue)
                }
                continuation.yield(RunningInput(path: path, result: result))
            }
        }
        var progress = Progress("thumbnails", total: inputs.count)
        let start = ContinuousClock.now
        var doneCount = 0
        progress.show(0)
        for await input in running {
            if doneCount == 1 { try severalInputs() }
            let finished = await input.result.value
            let result = if let finished { finished } else { await deferredResult(of: input.path, on: queue) }
            if case .failed = result { progress.clear() }
            try record(input.path, result)
            if let output = job.knownOutput(for: input.path) { outputs.remove(output) }
            doneCount += 1
            progress.show(doneCount, detail(since: start, total: inputs.count))
            permits.signal()
        }
        progress.clear()
    }

    private static func result(of path: String, _ job: ThumbJob, on queue: DecodeQueue) async -> ThumbJob.JobResult {
        let result = try? await queue.run { _ in job.result(of: path) }
        // `result` is `nil` only in a cancelled task, and the tasks are never cancelled.
        return result ?? .failed(Failure(.software, "internal: the thumbnail was cancelled"))
    }

    /// The result of an input whose output path an earlier input has too: it is rendered only if that input failed.
    private func deferredResult(of path: String, on queue: DecodeQueue) async -> ThumbJob.JobResult {
        if let output = job.knownOutput(for: path), let failure = files.conflict(at: output) { return .failed(failure) }
        if let output = manifest?.output(of: path) { return .skipped(output: output) }
        return await ThumbBatch.result(of: path, job, on: queue)
    }

    /// Writes the thumbnail, if one was created, and reports the result for the input.
    private func record(_ input: String, _ result: ThumbJob.JobResult) throws {
        switch result {
        case .created(let thumb, let facts):
            let path = job.output(for: input, thumb)
            do {
                try write(thumb, of: input, facts, to: path)
            } catch let failure as Failure {
                return try fail(input, failure)
            }
            if let warning = warning(for: thumb.status) { printError("\(input): \(warning)") }
            try rows?.write(ThumbRow.created(thumb, of: input, at: path).text + "\n")
            createdCount += 1
        case .skipped(let output):
            do {
                try files.reserve(output, for: input)
            } catch {
                return try fail(input, error)
            }
            try rows?.write(ThumbRow.skipped(input, output).text + "\n")
            skippedCount += 1
        case .failed(let failure): try fail(input, failure)
        }
    }

    /// Writes a file and its manifest line; a single SIGINT does not end the process between the two writes.
    private func write(_ thumb: Thumb, of input: String, _ facts: FileFacts?, to path: String) throws {
        guard path != "-" else { return try files.write(thumb, of: input, to: path) }
        try interrupt.deferringInterrupt {
            try files.write(thumb, of: input, to: path)
            if let facts { try manifest?.append(input, facts, output: path) }
        }
    }

    private func fail(_ input: String, _ failure: Failure) throws {
        printError("\(input): \(failure.reason)")
        try rows?.write(ThumbRow.failed(input, failure).text + "\n")
        firstFailure = firstFailure ?? failure
        failedCount += 1
    }

    /// Files per second, remaining time (minutes and seconds), if the number of inputs is known, and number of
    /// failures, such as `35.2/s, 0:12 left, 2 failed`.
    private func detail(since start: ContinuousClock.Instant, total: Int?) -> String {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let done = createdCount + failedCount
        guard seconds > 0, done > 0 else { return "" }
        let rate = Double(done) / seconds
        var parts = ["\(fixed(rate, digits: 1))/s"]
        if let total {
            let left = Int((Double(total - done - skippedCount) / rate).rounded(.up))
            parts.append(
                "\(left / 60):\(padded(String(left % 60), to: 2, .right).replacing(" ", with: "0")) left")
        }
        if failedCount > 0 { parts.append("\(failedCount) failed") }
        return parts.joined(separator: ", ")
    }
}

/// JSON objects that `--ndjson` prints.
private enum ThumbRow {
    static func created(_ thumb: Thumb, of input: String, at output: String) -> JSON {
        .object([
            ("input", .string(input)), ("result", .string("made")), ("output", .string(output)),
            ("format", .string(thumb.format.rawValue)), ("width", .integer(thumb.width)),
            ("height", .integer(thumb.height)), ("bytes", .integer(thumb.file.count)),
            ("sourceFormat", .string(thumb.header.format.rawValue)), ("sourceWidth", .integer(thumb.header.width)),
            ("sourceHeight", .integer(thumb.header.height)), ("status", .string(thumb.status.name)),
        ])
    }

    static func skipped(_ input: String, _ output: String) -> JSON {
        .object([("input", .string(input)), ("result", .string("skipped")), ("output", .string(output))])
    }

    static func failed(_ input: String, _ failure: Failure) -> JSON {
        .object([("input", .string(input)), ("result", .string("failed")), ("error", .string(failure.reason))])
    }
}
