import PlatformImage
import PlatformImageToolSupport

/// Thumbnails of many inputs: decoded and encoded in parallel, written and reported in input order.
final class ThumbBatch {
    private let job: ThumbJob
    private let manifest: ThumbManifest?
    private let rows: Output?
    private let total: Int
    private let interrupt: Interrupt
    private var files = ThumbFiles(inputs: [])
    private var failures: [Failure] = []
    private var (createdCount, skippedCount) = (0, 0)

    /// - Parameters:
    ///   - rows: Output for one JSON line per input; `nil` for no JSON output.
    ///   - total: Number of inputs.
    init(_ job: ThumbJob, manifest: ThumbManifest?, rows: Output?, total: Int, interrupt: Interrupt) {
        self.job = job
        self.manifest = manifest
        self.rows = rows
        self.total = total
        self.interrupt = interrupt
    }

    /// Processes all inputs and returns the exit code.
    ///
    /// - Parameter threads: Number of threads; 0 for one per core. A single input is processed on the calling thread.
    /// - Throws: ``OutputFailure``, which ends the batch.
    func run(_ paths: [String], threads: Int) async throws -> Int32 {
        files = ThumbFiles(inputs: paths)
        if paths.count == 1 {
            let path = paths[0]
            try record(
                path,
                manifest?.output(of: path).map { .skipped(output: $0) }
                    ?? job.result(of: path))
        } else if paths.count > 1 {
            try await runAll(paths, threads: threads)
        }
        guard let first = failures.first else { return 0 }
        return total == 1 ? first.exit.rawValue : 1
    }

    private func runAll(_ paths: [String], threads: Int) async throws {
        let queue = DecodeQueue(width: threads)
        let inputs = prepared(paths)
        let job = job
        // Up to four inputs per thread are in progress, so that the threads stay busy while the result of a slow input
        // is awaited.
        let results = OrderedConcurrentMap(inputs, width: queue.width * 4) { input in
            let result: ThumbJob.JobResult? =
                switch input.state {
                case .skipped(let output): .skipped(output: output)
                case .deferred: nil
                case .new: await ThumbBatch.result(of: input.path, job, on: queue)
                }
            return (input.path, result)
        }
        var progress = Progress("thumbnails", total: total)
        let start = ContinuousClock.now
        progress.show(0)
        for await (path, finished) in results {
            let result = if let finished { finished } else { await deferredResult(of: path, on: queue) }
            if case .failed = result { progress.clear() }
            try record(path, result)
            progress.show(createdCount + skippedCount + failures.count, detail(since: start))
        }
        progress.clear()
    }

    /// An input before it is read.
    private struct PreparedInput: Sendable {
        enum State: Sendable {
            case new
            /// The manifest contains the output.
            case skipped(output: String)
            /// An earlier input has the same output path: whether this one is read depends on the result of that input.
            case deferred
        }

        let path: String
        let state: State
    }

    /// Finds the inputs whose output path is known before they are read, and equals that of an earlier input, as
    /// `{name}.jpg` does for `a.png` after `a.gif`.
    private func prepared(_ paths: [String]) -> [PreparedInput] {
        var outputs: Set<String> = []
        return paths.map { path in
            if let output = job.knownOutput(for: path), !outputs.insert(output).inserted {
                return PreparedInput(path: path, state: .deferred)
            }
            guard let output = manifest?.output(of: path) else { return PreparedInput(path: path, state: .new) }
            return PreparedInput(path: path, state: .skipped(output: output))
        }
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
        failures.append(failure)
    }

    /// Files per second, remaining time (minutes and seconds) and number of failures, such as
    /// `35.2/s, 0:12 left, 2 failed`.
    private func detail(since start: ContinuousClock.Instant) -> String {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let done = createdCount + failures.count
        guard seconds > 0, done > 0 else { return "" }
        let rate = Double(done) / seconds
        let left = Int((Double(total - done - skippedCount) / rate).rounded(.up))
        let minutes = "\(left / 60):\(padded(String(left % 60), to: 2, .right).replacing(" ", with: "0")) left"
        return "\(fixed(rate, digits: 1))/s, \(minutes)" + (failures.isEmpty ? "" : ", \(failures.count) failed")
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
            ("sourceHeight", .integer(thumb.header.height)), ("status", .string(name(of: thumb.status))),
        ])
    }

    static func skipped(_ input: String, _ output: String) -> JSON {
        .object([("input", .string(input)), ("result", .string("skipped")), ("output", .string(output))])
    }

    static func failed(_ input: String, _ failure: Failure) -> JSON {
        .object([("input", .string(input)), ("result", .string("failed")), ("error", .string(failure.reason))])
    }

    private static func name(of status: DecodeStatus) -> String {
        switch status {
        case .complete: "complete"
        case .truncated: "truncated"
        case .corrupt: "corrupt"
        }
    }
}
