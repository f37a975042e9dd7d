import Foundation
import PlatformImageTestSupport
import Testing

/// The C core's own tests, `Tests/CImageCodecsTests`: the contract of its header, and vector kernels against plain ones.
@Suite struct CContractTests {
    @Test(.timeLimit(.minutes(30))) func contractAndKernelsPassTheirCProgram() async throws {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appending(path: "c-tests-\(UUID().uuidString)")
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? manager.removeItem(at: folder) }
        // A file: a full pipe could block the program.
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let root = Fixture.folder.deletingLastPathComponent()
        let process = Process()
        process.executableURL = root.appending(path: "Tests/CImageCodecsTests/run")
        process.arguments = [folder.path()]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: log)
        process.standardError = process.standardOutput
        let (ends, continuation) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { ended in
            // Death by a signal must not look like an exit code.
            continuation.yield(ended.terminationReason == .exit ? ended.terminationStatus : -ended.terminationStatus)
        }

        try process.run()
        let code = await ends.first { _ in true }

        let output = try String(contentsOf: log, encoding: .utf8)
        #expect(code == 0, "\(output)")
        #expect(output.contains("constants and sizes: ") && output.contains("jpeg blocks: "), "\(output)")
    }
}
