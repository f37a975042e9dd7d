import Foundation
import Synchronization
import Testing

/// A running `imagetool pipe`: writes request lines, reads response lines, and matches them by id.
final class PipeDriver: Sendable {
    /// A response; missing members are nil.
    struct Response: Decodable, Sendable {
        var ok: Bool?
        var error: String?
        var unsupported: Bool?
        var status: Int?
        var source: String?
        var headers: [[String]]?
        var bodyBase64: String?
        var capabilities: [String]?
        var ignoredConfig: [String]?
        var entries: Int?
        var bytes: Int?
        var count: Int?

        var body: [UInt8]? { bodyBase64.flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) } }
        /// Status and source as text: `200 network`.
        var outcome: String { "\(status ?? -1) \(source ?? "-")" }

        /// The values of a field, in order.
        func values(_ name: String) -> [String] {
            (headers ?? []).filter { $0[0].lowercased() == name.lowercased() }.map { $0[1] }
        }
    }

    struct ProcessEnded: Error {}

    private struct State {
        /// Responses that the test has not read yet; the key is the JSON text of the id, also in `waiters`.
        var answers: [String: [Response]] = [:]
        var waiters: [String: [CheckedContinuation<Response?, Never>]] = [:]
        var lines: [String] = []
        var exitCode: Int32?
        var exitWaiters: [CheckedContinuation<Int32, Never>] = []
        var lastID = 0
        var errors: [UInt8] = []
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()
    private let state = Mutex(State())

    /// Long time limits, so that on a busy machine the pipe ends only after all responses.
    static let longTimeouts = ["--grace-milliseconds", "86400000", "--longest-end-milliseconds", "86400000"]

    init(_ arguments: [String] = PipeDriver.longTimeouts, environment: [String: String] = [:]) throws {
        // Writing to a killed process must not end the test process.
        signal(SIGPIPE, SIG_IGN)
        process.executableURL = ToolRun.executable
        process.arguments = ["pipe"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let (output, errors) = (output.fileHandleForReading, errors.fileHandleForReading)
        Thread.detachNewThread { [self] in
            var received: [UInt8] = []
            while case let bytes = output.readAvailable(), !bytes.isEmpty {
                received += bytes
                while let newline = received.firstIndex(of: 0x0A) {
                    receive(Array(received[..<newline]))
                    received.removeFirst(newline + 1)
                }
            }
            var messages: [UInt8] = []
            while case let bytes = errors.readAvailable(), !bytes.isEmpty { messages += bytes }
            process.waitUntilExit()
            let code = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
            processEnded(code, errors: messages)
        }
    }

    /// Runs a pipe for a test and closes its input; the pipe must exit with 0 and an empty stderr.
    static func run(
        _ arguments: [String] = PipeDriver.longTimeouts, _ body: (PipeDriver) async throws -> Void
    ) async throws {
        let pipe = try PipeDriver(arguments)
        do {
            try await body(pipe)
        } catch {
            pipe.send(SIGKILL)
            _ = await pipe.exit()
            throw error
        }
        pipe.closeInput()
        #expect(await pipe.exit() == 0)
        #expect(pipe.errorText.isEmpty)
    }

    private func receive(_ line: [UInt8]) {
        struct Key: Decodable { let id: JSONText? }
        let text = String(decoding: line, as: UTF8.self)
        let id = (try? JSONDecoder().decode(Key.self, from: Data(line)))?.id?.text ?? "null"
        let answer = try? JSONDecoder().decode(Response.self, from: Data(line))
        let waiter: CheckedContinuation<Response?, Never>? = state.withLock { state in
            state.lines.append(text)
            guard let answer else { return nil }
            if state.waiters[id]?.isEmpty == false { return state.waiters[id]?.removeFirst() }
            state.answers[id, default: []].append(answer)
            return nil
        }
        waiter?.resume(returning: answer)
    }

    private func processEnded(_ code: Int32, errors: [UInt8]) {
        let (waiters, exitWaiters) = state.withLock { state in
            defer {
                state.waiters = [:]
                state.exitWaiters = []
            }
            state.exitCode = code
            state.errors = errors
            return (state.waiters.values.flatMap(\.self), state.exitWaiters)
        }
        for waiter in waiters { waiter.resume(returning: nil) }
        for waiter in exitWaiters { waiter.resume(returning: code) }
    }

    /// Writes bytes unchanged.
    func write(_ bytes: [UInt8]) { try? input.fileHandleForWriting.write(contentsOf: Data(bytes)) }

    /// Writes a line.
    func write(line: String) { write(Array((line + "\n").utf8)) }

    /// Waits for the response with this id. `id` is JSON text; `null` for a response without an id. Each response is
    /// returned once.
    ///
    /// Throws when the process ends without this response. Cancelling the test kills the process.
    func response(to id: String) async throws -> Response {
        let answer: Response? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: Response?? = state.withLock { state in
                    if state.answers[id]?.isEmpty == false { return state.answers[id]?.removeFirst() }
                    if state.exitCode != nil { return .some(nil) }
                    state.waiters[id, default: []].append(continuation)
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            send(SIGKILL)
        }
        guard let answer else { throw ProcessEnded() }
        return answer
    }

    /// Sends an operation and waits for its response; `members` are JSON members without braces.
    func call(_ operation: String, _ members: String = "", loader: String = "main") async throws -> Response {
        let id = begin(operation, members, loader: loader)
        return try await response(to: id)
    }

    /// Sends an operation; returns its id as JSON text.
    func begin(_ operation: String, _ members: String = "", loader: String = "main") -> String {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let rest = members.isEmpty ? "" : "," + members
        write(line: "{\"id\":\(id),\"op\":\"\(operation)\",\"loader\":\"\(loader)\"\(rest)}")
        return String(id)
    }

    /// Opens a loader in a folder; `config` are JSON members without braces.
    @discardableResult
    func open(_ folder: String?, _ config: String = "", loader: String = "main") async throws -> Response {
        let directory = folder.map { "\"directory\":\"\($0)\"," } ?? ""
        return try await call("open", "\(directory)\"config\":{\(config)}", loader: loader)
    }

    /// Loads a URL; `members` are JSON members without braces.
    func load(_ url: String, _ members: String = "", loader: String = "main") async throws -> Response {
        try await call("load", "\"url\":\"\(url)\"" + (members.isEmpty ? "" : "," + members), loader: loader)
    }

    /// All received lines, unchanged.
    var lines: [String] { state.withLock { $0.lines } }
    /// The text on stderr; available when the process has ended.
    var errorText: String { state.withLock { String(decoding: $0.errors, as: UTF8.self) } }

    func closeInput() { try? input.fileHandleForWriting.close() }
    func send(_ signal: Int32) { if process.isRunning { kill(process.processIdentifier, signal) } }

    /// Waits for the exit code, or the negative signal number. Cancelling the test kills the process.
    func exit() async -> Int32 {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let code = state.withLock { state in
                    if state.exitCode == nil { state.exitWaiters.append(continuation) }
                    return state.exitCode
                }
                if let code { continuation.resume(returning: code) }
            }
        } onCancel: {
            send(SIGKILL)
        }
    }
}

/// The JSON text of an integer or a string; `other` for any other value.
private struct JSONText: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            text = String(number)
        } else if let string = try? container.decode(String.self) {
            text = "\"\(string)\""
        } else {
            text = "other"
        }
    }
}
