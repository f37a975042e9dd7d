import Foundation
import PlatformImageTestSupport

/// One run of the built `imagetool` or `imagetool-bench`.
struct ToolRun {
    let exitCode: Int32
    let output: [UInt8]
    /// The text on stderr.
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }

    /// Lines on stderr without the summary of `thumb`.
    var errorLines: [Substring] { errors.split(separator: "\n").filter { !$0.hasPrefix("imagetool: ") } }

    /// Time limit of a run, long enough for a busy machine.
    private static let longest = DispatchTimeInterval.seconds(600)

    struct TimedOut: Error { let arguments: [String], output: String, errors: String }

    /// The executables in the folder of the test bundle.
    static let executable = built("imagetool")
    private static let benchExecutable = built("imagetool-bench")

    private static func built(_ name: String) -> URL { URL(filePath: BuiltProgram.path(of: name)) }

    init(_ arguments: String..., input: [UInt8] = []) throws { try self.init(arguments, input: input) }

    init(_ arguments: [String], input: [UInt8] = []) throws {
        try self.init(Self.executable, arguments, input: input)
    }

    /// Runs `imagetool-bench`.
    init(bench arguments: String..., input: [UInt8] = []) throws {
        try self.init(Self.benchExecutable, arguments, input: input)
    }

    /// Runs a command line of `sh`; `$TOOL` is `imagetool` and `$BENCH` is `imagetool-bench`.
    init(shell line: String) throws {
        let environment = ProcessInfo.processInfo.environment.merging(
            ["TOOL": Self.executable.path(), "BENCH": Self.benchExecutable.path()]) { $1 }
        try self.init(URL(filePath: "/bin/sh"), ["-c", line], environment: environment)
    }

    /// The streams are files, so that the tool cannot block on a full pipe.
    private init(
        _ program: URL, _ arguments: [String], input: [UInt8] = [], environment: [String: String]? = nil
    ) throws {
        let folder = try TemporaryFolder()
        let streams = try ["in", "out", "err"].map { name in
            try folder.write(name == "in" ? input : [], to: name)
            return try FileHandle(forUpdating: folder.url.appending(path: name))
        }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        if let environment { process.environment = environment }
        process.standardInput = streams[0]
        process.standardOutput = streams[1]
        process.standardError = streams[2]
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        if ended.wait(timeout: .now() + Self.longest) == .timedOut {
            // Foundation starts the command in a new process group, so this signal also ends the children of a shell.
            kill(-process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let said = try ["out", "err"].map { String(decoding: try folder.read($0).prefix(2_000), as: UTF8.self) }
            throw TimedOut(arguments: arguments, output: said[0], errors: said[1])
        }
        process.waitUntilExit()
        // A negative exit code is the number of the signal that ended the process.
        exitCode = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        output = try folder.read("out")
        errors = String(decoding: try folder.read("err"), as: UTF8.self)
    }
}

extension FileHandle {
    /// Reads up to 64 KiB; empty at the end of the file. `FileHandle.availableData` traps when a signal interrupts the
    /// read (`EINTR`).
    func readAvailable() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            var size = -1
            repeat {
                size = readOnce(fileDescriptor, buffer.baseAddress, buffer.count)
            } while size < 0 && errno == EINTR
            count = max(size, 0)
        }
    }
}

/// The system's `read`, which the methods of `FileHandle` shadow.
private func readOnce(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

/// A temporary folder; `deinit` removes it.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "imagetool-\(UUID().uuidString)")
        // Under umask 002 the folder would be writable for the group, which the disk cache rejects.
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var path: String { url.path() }

    func path(_ name: String) -> String { url.appending(path: name).path() }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: url.appending(path: name))
        return path(name)
    }

    func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url.appending(path: name))) }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path()).sorted() }
    }
}

func fixturePath(_ name: String) -> String { Fixture.folder.appending(path: name).path() }
