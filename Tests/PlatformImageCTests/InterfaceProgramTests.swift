import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

#if os(Linux)
/// Runs the C program of `Tests/CInterfaceTests` with the shared library of this build: every invalid argument, every
/// capacity, cuts of files at every byte, and 8 threads.
@Suite struct InterfaceProgramTests {
    @Test(.timeLimit(.minutes(10)), .enabled(if: EncodedFormat.webp.isAvailable))
    func cTestProgramOfTheInterfaceExitsWithStatusZero() throws {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appending(path: "c-interface-tests-\(UUID().uuidString)")
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? manager.removeItem(at: folder) }
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let process = Process()
        process.executableURL = Fixture.folder.deletingLastPathComponent().appending(path: "Tests/CInterfaceTests/run")
        process.arguments = [BuiltProgram.path(of: "libPlatformImageC.so"), folder.path()]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: log)
        process.standardError = process.standardOutput

        try process.run()
        process.waitUntilExit()

        let output = try String(contentsOf: log, encoding: .utf8)
        #expect(process.terminationReason == .exit && process.terminationStatus == 0, "\(output)")
        #expect(output.contains(", 0 failures"), "\(output)")
    }
}
#endif
