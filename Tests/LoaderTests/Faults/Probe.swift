#if os(Linux)
import Foundation
import PlatformImageTestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A process that runs `DiskCacheProbe` on the cache's folder. Tests send signals to stop, continue or kill it.
///
/// Uses `posix_spawn`, because each test starts dozens of probes and reads their output while they run. A probe that
/// hangs is ended by its alarm signal, which is visible in the exit code.
final class Probe: Sendable {
    private let id: pid_t
    private let output: Int32
    private let pending = Locked<[UInt8]>([])
    private let status = Locked<Int32?>(nil)

    /// The executable beside the test bundle.
    static let executable = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "PlatformImageDiskCacheProbe").path()

    struct CannotStart: Error { let errno: Int32 }

    /// Starts the probe.
    ///
    /// - Parameters:
    ///   - environment: Variables added to those of the test process.
    ///   - launcher: A program, with its arguments, that starts the probe.
    init(
        _ arguments: [String], environment: [String: String] = [:], launcher: [String] = [],
        program: String = Probe.executable
    ) throws {
        let words = launcher + [program] + arguments
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            .merging(["DISK_CACHE_PROBE": arguments.joined(separator: "\n")]) { $1 }.map { "\($0.key)=\($0.value)" }
        var ends: [Int32] = [-1, -1]
        // A socket pair, because it is created with close-on-exec in one call. A child process that another test starts
        // could inherit a pipe before close-on-exec is set.
        guard socketpair(AF_UNIX, Self.closedOnExec, 0, &ends) == 0 else { throw CannotStart(errno: errno) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { for word in argv + envp { free(word) } }
        var id: pid_t = 0
        let failure = posix_spawnp(&id, words[0], &actions, nil, &argv, &envp)
        close(ends[1])
        guard failure == 0 else {
            close(ends[0])
            throw CannotStart(errno: failure)
        }
        self.id = id
        output = ends[0]
    }

    deinit {
        if status.value == nil {
            kill(id, SIGKILL)
            _ = wait()
        }
        close(output)
    }

    #if canImport(Glibc)
    private static let closedOnExec = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #else
    private static let closedOnExec = SOCK_STREAM | SOCK_CLOEXEC
    #endif

    /// Waits for the next complete line; nil when the probe has ended or closed its output.
    func line() -> String? {
        while true {
            if let line = takeLine() { return line }
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let count = read(output, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return nil }
            pending.update { $0 += chunk[..<count] }
        }
    }

    private func takeLine() -> String? {
        let bytes = pending.value
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        pending.update { $0.removeSubrange(...end) }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// Reads all lines up to the end of the output.
    func remainingLines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }

    /// Sends a signal to the process. Does nothing after ``wait()``, because another process may have the process id by
    /// then.
    func send(_ signal: Int32) { if status.value == nil { kill(id, signal) } }

    /// Waits for the end and returns the exit code, or the negative number of the signal that ended it.
    func wait() -> Int32 {
        if let known = status.value { return known }
        var word: Int32 = 0
        while waitpid(id, &word, 0) < 0, errno == EINTR {}
        let signal = word & 0x7F
        let result = signal == 0 ? (word >> 8) & 0xFF : -signal
        status.update { $0 = result }
        return result
    }

    /// Runs a probe to its end.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], launcher: [String] = []
    ) throws -> (status: Int32, lines: [String]) {
        let probe = try Probe(arguments, environment: environment, launcher: launcher)
        let lines = probe.remainingLines()
        return (probe.wait(), lines)
    }
}

/// Runs `body`, which blocks, on a new thread, so that it does not block the cooperative thread pool.
func offPool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
#endif
