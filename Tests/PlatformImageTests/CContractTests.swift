import Foundation
import PlatformImageTestSupport
import Testing

/// Runs the C test programs: `Tests/CImageCodecsTests` (header contract, and vector kernels against scalar ones) and
/// `Tests/CSandboxTests` (processes, shared memory, messages, and every forbidden system call).
@Suite struct CContractTests {
    @Test(.timeLimit(.minutes(30))) func cTestProgramOfTheCodecLibraryExitsWithStatusZero() async throws {
        try await expectSuccess(of: "Tests/CImageCodecsTests/run", groups: ["constants and sizes: ", "jpeg blocks: "])
    }

    #if os(Linux)
    @Test(.timeLimit(.minutes(30))) func cTestProgramOfTheSandboxExitsWithStatusZero() async throws {
        try await expectSuccess(of: "Tests/CSandboxTests/run", groups: ["confinement: ", "forbidden calls: "])
    }
    #endif

    private func expectSuccess(of script: String, groups: [String]) async throws {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appending(path: "c-tests-\(UUID().uuidString)")
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? manager.removeItem(at: folder) }
        // A log file instead of a pipe: a full pipe would block the program.
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let root = Fixture.folder.deletingLastPathComponent()
        let process = Process()
        process.executableURL = root.appending(path: script)
        process.arguments = [folder.path()]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: log)
        process.standardError = process.standardOutput
        let (ends, continuation) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { ended in
            // A termination by a signal must not look like an exit code.
            continuation.yield(ended.terminationReason == .exit ? ended.terminationStatus : -ended.terminationStatus)
        }

        try process.run()
        let code = await ends.first { _ in true }

        let output = try String(contentsOf: log, encoding: .utf8)
        #expect(code == 0, "\(output)")
        for group in groups { #expect(output.contains(group), "\(output)") }
    }
}
