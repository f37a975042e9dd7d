import Foundation
import PlatformImageToolSupport
import Synchronization
import Testing

/// One answer of `imagetool worker`.
struct WorkerAnswerLine {
    /// The members, as parsed.
    let json: JSON
    /// Bytes after the line; empty unless the result is inline.
    let body: [UInt8]

    var id: String { json["id"].map(\.text) ?? "null" }
    var status: String { json["status"]?.string ?? "" }
    var code: String? { json["code"]?.string }

    /// Parses all answers in the output of a worker.
    static func all(_ output: [UInt8]) throws -> [Self] {
        var rest = output[...]
        var answers: [Self] = []
        while !rest.isEmpty {
            let end = try #require(rest.firstIndex(of: UInt8(ascii: "\n")), "the last line has no newline")
            let answer = try Self(line: Array(rest[..<end]))
            rest = rest[(end + 1)...]
            let body = rest.prefix(answer.bodyCount)
            try #require(body.count == answer.bodyCount, "the last result is truncated")
            answers.append(Self(json: answer.json, body: Array(body)))
            rest = rest.dropFirst(body.count)
        }
        return answers
    }

    fileprivate init(json: JSON, body: [UInt8]) {
        self.json = json
        self.body = body
    }

    fileprivate init(line: [UInt8]) throws {
        var reader = JSONReader(line)
        self.init(json: try reader.document(), body: [])
    }

    fileprivate var bodyCount: Int { json["output"]?.string == "inline" ? json["bytes"]?.integer ?? 0 : 0 }
}

/// A running `imagetool worker`; reading blocks. One thread may write while another one reads.
final class WorkerDriver: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// Bytes of stdout that `next()` has not returned.
    private let received = Mutex<[UInt8]>([])

    init(_ arguments: [String] = []) throws {
        // Writing to a process that has ended must not end the test process.
        signal(SIGPIPE, SIG_IGN)
        process.executableURL = ToolRun.executable
        process.arguments = ["worker"] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try output.fileHandleForWriting.close()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    var processIdentifier: Int32 { process.processIdentifier }

    /// Writes a line and the bytes after it.
    func send(_ line: String, _ bytes: [UInt8] = []) { write(Array((line + "\n").utf8) + bytes) }

    func write(_ bytes: [UInt8]) { try? input.fileHandleForWriting.write(contentsOf: Data(bytes)) }

    /// Reads the next answer; `nil` at the end of stdout.
    func next() throws -> WorkerAnswerLine? { try received.withLock { try next(&$0) } }

    private func next(_ received: inout [UInt8]) throws -> WorkerAnswerLine? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let answer = try WorkerAnswerLine(line: Array(received[..<end]))
                let count = answer.bodyCount
                if received.count - end - 1 >= count {
                    let body = Array(received[(end + 1)...].prefix(count))
                    received.removeFirst(end + 1 + count)
                    return WorkerAnswerLine(json: answer.json, body: body)
                }
            }
            let bytes = output.fileHandleForReading.readAvailable()
            if bytes.isEmpty { return nil }
            received += bytes
        }
    }

    func closeInput() throws { try input.fileHandleForWriting.close() }
    func closeOutput() throws { try output.fileHandleForReading.close() }
    func send(signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the exit code; the negative number of the signal that ended the process.
    func exitCode() -> Int32 {
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }
}
