import Dispatch
import PlatformImage
import PlatformImageToolSupport

/// Thumbnails of many inputs: decoded and encoded in parallel, written and reported in input order.
final class ThumbBatch {
    /// An input that is being processed; the results are `nil` for a deferred input.
    private struct RunningInput: Sendable {
        let path: String
        let results: Task<[ThumbJob.JobResult]?, Never>
    }

    private let job: ThumbJob
    private let manifest: ThumbManifest?
    private let rows: Output?
    /// Output for the lines of `--dry-run`.
    private let plans: Output
    private let interrupt: Interrupt
    private let files: ThumbFiles
    private let showsProgress: Bool
    private var firstFailure: Failure?
    private(set) var summary: ThumbSummary

    /// - Parameters:
    ///   - rows: Output for one JSON line per input; `nil` for no JSON output.
    ///   - files: Outputs of the run.
    ///   - showsProgress: Draws a progress bar when stderr is a terminal.
    init(
        _ job: ThumbJob, files: ThumbFiles, manifest: ThumbManifest?, rows: Output?, interrupt: Interrupt,
        showsProgress: Bool
    ) throws {
        plans = try rows ?? Output()
        self.showsProgress = showsProgress
        summary = ThumbSummary(isDryRun: job.isDryRun)
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
        var inputCount = 1
        if inputs.count == 1, let path = inputs.nextBlocking() {
            try record(path, job.results(of: path, finished: finished(path)))
        } else {
            inputCount = try await runAll(inputs, threads: threads, severalInputs)
        }
        guard let firstFailure else { return 0 }
        return inputCount == 1 ? firstFailure.exit.rawValue : 1
    }

    /// For each recipe, the output of an earlier run that is still valid.
    private func finished(_ path: String) -> [String?] { Self.finished(path, job, manifest) }

    private static func finished(_ path: String, _ job: ThumbJob, _ manifest: ThumbManifest?) -> [String?] {
        manifest?.outputs(of: path) ?? job.recipes.map { _ in nil }
    }

    /// Processes all inputs in parallel and returns their number.
    private func runAll(
        _ inputs: ThumbInputs, threads: Int, _ severalInputs: () throws -> Void
    ) async throws -> Int {
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
                let known = job.knownOutputs(for: path)
                // Every path is inserted, also after a conflict: it is removed when the input is done.
                let isDeferred = known.map { !outputs.insert($0) || files.conflict(at: $0) != nil }.contains(true)
                let finished = isDeferred ? [] : Self.finished(path, job, manifest)
                // Starts immediately, so that the inputs enter the queue in their order.
                let results = Task<[ThumbJob.JobResult]?, Never>.immediate {
                    if isDeferred { return nil }
                    if finished.allSatisfy({ $0 != nil }) { return job.results(of: path, finished: finished) }
                    return await ThumbBatch.results(of: path, finished, job, on: queue)
                }
                continuation.yield(RunningInput(path: path, results: results))
            }
        }
        var progress = Progress(
            "thumbnails", total: inputs.count, isVisible: showsProgress && Terminal.isError)
        let start = ContinuousClock.now
        var doneCount = 0
        progress.show(0)
        for await input in running {
            if doneCount == 1 { try severalInputs() }
            let made = await input.results.value
            let results = if let made { made } else { await deferredResults(of: input.path, on: queue) }
            if results.contains(where: { if case .failed = $0 { true } else { job.isDryRun } }) { progress.clear() }
            try record(input.path, results)
            for output in job.knownOutputs(for: input.path) { outputs.remove(output) }
            doneCount += 1
            progress.show(doneCount, detail(since: start, doneCount, total: inputs.count))
            permits.signal()
        }
        progress.clear()
        return doneCount
    }

    private static func results(
        of path: String, _ finished: [String?], _ job: ThumbJob, on queue: DecodeQueue
    ) async -> [ThumbJob.JobResult] {
        let results = try? await queue.run { _ in job.results(of: path, finished: finished) }
        // `results` is `nil` only in a cancelled task, and the tasks are never cancelled.
        return results ?? [.failed(Failure(.software, "internal: the thumbnail was cancelled"))]
    }

    /// The results of an input whose output path an earlier input has too: it is rendered only if that input failed.
    private func deferredResults(of path: String, on queue: DecodeQueue) async -> [ThumbJob.JobResult] {
        for output in job.knownOutputs(for: path) {
            if let failure = files.conflict(at: output) { return [.failed(failure)] }
        }
        return await ThumbBatch.results(of: path, finished(path), job, on: queue)
    }

    /// Writes the thumbnails that were created, and reports the results for the input.
    private func record(_ input: String, _ results: [ThumbJob.JobResult]) throws {
        // Files of the outputs of this input; `nil` for an output that was not made in this run. Two sizes of a small
        // image can have the same path: both are then the image itself.
        var outputs: [String: [UInt8]?] = [:]
        var isWarned = false
        for result in results {
            do {
                switch result {
                case .created(let thumb, let facts, let recipe):
                    let path = job.output(for: input, thumb, recipe: recipe)
                    if let other = outputs[path], other == nil || other == thumb.file {
                        try skip(input, path, .sameImage)
                        continue
                    }
                    try write(thumb, of: input, facts, recipe, to: path)
                    if job.recipes.count > 1 { outputs[path] = thumb.file }
                    if let warning = warning(for: thumb.status), !isWarned {
                        printError("\(input): \(warning)")
                        isWarned = true
                    }
                    try rows?.write(ThumbRow.created(thumb, of: input, at: path).text + "\n")
                    summary.writtenCount += 1
                case .planned(let thumb):
                    guard outputs.updateValue(nil, forKey: thumb.output) == nil else {
                        summary.addSkipped(ThumbJob.SkipReason.sameImage.rawValue)
                        continue
                    }
                    if thumb.output != "-" { try files.check(thumb.output, for: input) }
                    let line = rows == nil ? "\(input) -> \(thumb.output)" : ThumbRow.planned(thumb, of: input).text
                    try plans.write(line + "\n")
                    summary.writtenCount += 1
                case .skipped(let output, let reason):
                    if outputs.updateValue(nil, forKey: output) == nil { try files.reserve(output, for: input) }
                    try skip(input, output, reason)
                case .failed(let failure): try fail(input, failure)
                }
            } catch let failure as Failure {
                try fail(input, failure)
            }
        }
    }

    private func skip(_ input: String, _ output: String, _ reason: ThumbJob.SkipReason) throws {
        try rows?.write(ThumbRow.skipped(input, output).text + "\n")
        summary.addSkipped(reason.rawValue)
    }

    /// Writes a file and its manifest line; a single SIGINT does not end the process between the two writes.
    private func write(_ thumb: Thumb, of input: String, _ facts: FileFacts?, _ recipe: Int, to path: String) throws {
        guard path != "-" else { return try files.write(thumb, of: input, to: path) }
        try interrupt.deferringInterrupt {
            try files.write(thumb, of: input, to: path)
            if let facts { try manifest?.append(input, facts, recipe: recipe, output: path) }
        }
    }

    private func fail(_ input: String, _ failure: Failure) throws {
        printError("\(input): \(failure.reason)")
        try rows?.write(ThumbRow.failed(input, failure).text + "\n")
        firstFailure = firstFailure ?? failure
        summary.addFailed(failure.code)
    }

    /// Files per second, remaining time (minutes and seconds), if the number of inputs is known, and number of
    /// failures, such as `35.2/s, 0:12 left, 2 failed`.
    private func detail(since start: ContinuousClock.Instant, _ doneCount: Int, total: Int?) -> String {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let skippedCount = summary.skippedCount / job.recipes.count
        let done = doneCount - skippedCount
        guard seconds > 0, done > 0 else { return "" }
        let rate = Double(done) / seconds
        var parts = ["\(fixed(rate, digits: 1))/s"]
        if let total {
            let left = Int((Double(total - done - skippedCount) / rate).rounded(.up))
            parts.append(
                "\(left / 60):\(padded(String(left % 60), to: 2, .right).replacing(" ", with: "0")) left")
        }
        if summary.failedCount > 0 { parts.append("\(summary.failedCount) failed") }
        return parts.joined(separator: ", ")
    }
}

/// JSON objects that `--ndjson` prints.
private enum ThumbRow {
    static func created(_ thumb: Thumb, of input: String, at output: String) -> JSON {
        .object([
            JSON.path("input", input), ("result", .string("made")), JSON.path("output", output),
            ("format", .string(thumb.format.rawValue)), ("width", .integer(thumb.width)),
            ("height", .integer(thumb.height)), ("bytes", .integer(thumb.file.count)),
            ("sourceFormat", .string(thumb.header.format.rawValue)), ("sourceWidth", .integer(thumb.header.width)),
            ("sourceHeight", .integer(thumb.header.height)), ("status", .string(thumb.status.name)),
        ])
    }

    static func planned(_ thumb: PlannedThumb, of input: String) -> JSON {
        .object([
            JSON.path("input", input), ("result", .string("planned")), JSON.path("output", thumb.output),
            ("format", .string(thumb.format.rawValue)), ("width", .integer(thumb.width)),
            ("height", .integer(thumb.height)), ("sourceFormat", .string(thumb.header.format.rawValue)),
            ("sourceWidth", .integer(thumb.header.width)), ("sourceHeight", .integer(thumb.header.height)),
        ])
    }

    static func skipped(_ input: String, _ output: String) -> JSON {
        .object([JSON.path("input", input), ("result", .string("skipped")), JSON.path("output", output)])
    }

    static func failed(_ input: String, _ failure: Failure) -> JSON {
        .object([JSON.path("input", input), ("result", .string("failed")), ("error", .string(failure.reason))])
    }
}
