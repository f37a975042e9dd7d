#if os(Linux)
import Foundation
import Testing

@testable import PlatformImage

/// The only worker of `workers`, so that every request uses it.
struct SingleWorker {
    let worker: WorkerProcess
    let workers: DecodeWorkers
    let decoder: IsolatedDecoder

    init() throws {
        var configuration = DecodeWorkers.Configuration()
        configuration.workerCount = 1
        worker = try WorkerProcess(executable: TestWorkers.path(of: "imagetool-decoder"), configuration)
        workers = DecodeWorkers(first: worker, configuration) { () throws(DecodeError) in
            throw DecodeError(.workerUnavailable, detail: "system", "the test has one worker")
        }
        decoder = IsolatedDecoder(
            workers: workers, options: DecodeOptions(), format: .jpeg, contentType: nil, flag: nil)
    }

    func receive(_ request: WorkerRequest) throws -> WorkerReport {
        try worker.receive(request, until: .now + .seconds(60), nil)
    }

    /// Sends a request and returns its result.
    func result(of operation: WorkerOperation, _ bytes: [UInt8]) throws -> WorkerResult? {
        let request = try worker.send(operation, bytes.span, of: decoder)
        guard case .finished(request.number, let result) = try receive(request) else { return nil }
        return result
    }

    /// Reads the header and sends no permission to decode.
    func measure(_ bytes: [UInt8]) throws -> (request: WorkerRequest, outputBytes: Int) {
        let request = try worker.send(.images(.decode), bytes.span, of: decoder)
        guard case .measured(request.number, _, let outputBytes) = try receive(request) else {
            throw DecodeError(.internal, "the worker has not measured")
        }
        return (request, outputBytes)
    }

    /// Decodes while no other thread has the worker.
    func decode(_ bytes: [UInt8]) throws {
        let (request, outputBytes) = try measure(bytes)
        _ = try worker.proceed(request, outputBytes: outputBytes, nil)
        guard case .finished(request.number, .images) = try receive(request) else {
            throw DecodeError(.internal, "the worker has not decoded")
        }
    }

    /// Private memory of the worker without mapped files, in bytes.
    func anonymousBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(worker.processIdentifier)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
        return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) * 1024
    }
}
#endif
