#if os(Linux)
import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// A worker whose codec is under the control of an attacker ends without the effect of the attack; the parent throws a
/// typed error, and the next decode succeeds. `Docs/isolation.md` has the table of the attempts.
@Suite struct AttackTests {
    /// The error of a header, a decode and an animation of a file with the marker of an action.
    private func errors(
        of action: String, _ change: (inout DecodeWorkers.Configuration) -> Void = { _ in }
    ) throws -> [String] {
        let workers = try TestWorkers.start(program: "PlatformImagePlantedDecoder") {
            $0.workerCount = 1
            // Each operation reaches the worker.
            $0.refusalTime = .zero
            change(&$0)
        }
        var decoder = ImageDecoder()
        decoder.isolation = DecodeIsolation(workers)
        let clean = try Fixture.file("gif/disposal-1.gif")
        let planted = clean + Array("planted:\(action);".utf8)
        let expected = try ImageDecoder().decode(clean).bitmap
        var errors: [String] = []
        let operations: [() throws -> Void] = [
            { _ = try decoder.header(of: planted) }, { _ = try decoder.decode(planted) },
            { _ = try decoder.frames(of: planted).next() },
        ]
        for operation in operations {
            do {
                try operation()
                errors.append("none")
            } catch {
                let error = try #require(error as? DecodeError)
                errors.append("\(error.code)\(error.detail.map { "(\($0))" } ?? "")")
            }
            #expect(try decoder.decode(clean).bitmap == expected, "the decode after \(action)")
        }
        return errors
    }

    private func expectForbidden(_ action: String) throws {
        #expect(try errors(of: action) == [String](repeating: "crashed(SIGSYS)", count: 3))
    }

    private func expectViolation(_ action: String) throws {
        #expect(try errors(of: action) == [String](repeating: "crashed(protocol)", count: 3))
    }

    @Test func workerThatOpensAFileEndsWithSIGSYS() throws { try expectForbidden("openFile") }
    @Test func workerThatConnectsEndsWithSIGSYS() throws { try expectForbidden("connect") }
    @Test func workerThatForksEndsWithSIGSYS() throws { try expectForbidden("fork") }
    @Test func workerThatExecutesAProgramEndsWithSIGSYS() throws { try expectForbidden("execute") }
    @Test func workerThatTracesEndsWithSIGSYS() throws { try expectForbidden("trace") }
    @Test func workerThatSignalsItsParentEndsWithSIGSYS() throws { try expectForbidden("signalParent") }
    @Test func workerThatShrinksItsSlabEndsWithSIGSYS() throws { try expectForbidden("shrinkSlab") }

    @Test func workerThatOverwritesItsHeapEndsWithASignal() throws {
        for error in try errors(of: "overwriteHeap") {
            #expect(["crashed(SIGABRT)", "crashed(SIGSEGV)", "crashed(SIGSYS)"].contains(error), "\(error)")
        }
    }

    @Test func workerThatWritesToAnInvalidAddressEndsWithSIGSEGV() throws {
        #expect(try errors(of: "writeToNull") == [String](repeating: "crashed(SIGSEGV)", count: 3))
    }

    @Test func workerThatAbortsEndsWithSIGABRT() throws {
        #expect(try errors(of: "abort") == [String](repeating: "crashed(SIGABRT)", count: 3))
    }

    @Test func workerThatExitsIsReportedAsAnExit() throws {
        #expect(try errors(of: "exit") == [String](repeating: "crashed(exit)", count: 3))
    }

    @Test func workerThatLoopsIsEndedAfterTheTimeLimit() throws {
        #expect(
            try errors(of: "loop") { $0.timeLimit = .milliseconds(50) } == [String](repeating: "timedOut", count: 3))
    }

    @Test func workerThatNeverAnswersIsEndedAfterTheTimeLimit() throws {
        #expect(
            try errors(of: "neverAnswer") { $0.timeLimit = .milliseconds(50) }
                == [String](repeating: "timedOut", count: 3))
    }

    /// The action aborts when no memory is left, as a codec that does not expect it.
    @Test func workerThatAllocatesWithoutEndReachesItsLimit() throws {
        #expect(
            try errors(of: "allocate") { $0.addressSpaceBytes = 256 << 20 }
                == [String](repeating: "crashed(SIGABRT)", count: 3))
    }

    @Test func falseSizeOfTheOutputIsNotAllocated() throws {
        #expect(
            try errors(of: "sendFalseSize") == [
                "crashed(protocol)", "limitExceeded(workerMemory)", "crashed(protocol)",
            ])
    }

    @Test func falseSizeBelowTheAddressSpaceNamesTheLimitOfTheDecode() throws {
        #expect(
            try errors(of: "sendFalseSize") { $0.addressSpaceBytes = 1 << 42 } == [
                "crashed(protocol)",
                // A memory limit of the cgroup lowers the address space.
                AvailableMemory().cgroupLimit == nil ? "limitExceeded(maxMemory)" : "limitExceeded(workerMemory)",
                "crashed(protocol)",
            ])
    }

    @Test func headerThatNoImageHasIsAProtocolViolation() throws { try expectViolation("sendFalseHeader") }
    @Test func answerToAnotherRequestIsAProtocolViolation() throws { try expectViolation("sendForeignNumber") }
    @Test func answerThatIsNoMessageIsAProtocolViolation() throws { try expectViolation("sendGarbage") }
    @Test func answerWithADescriptorIsAProtocolViolation() throws { try expectViolation("sendDescriptor") }

    /// Neither the input nor the pixels of a request are in the slab when the next request starts.
    @Test func slabHasNoBytesOfEarlierRequests() throws {
        let workers = try TestWorkers.start(program: "PlatformImagePlantedDecoder") { $0.workerCount = 1 }
        var decoder = ImageDecoder()
        decoder.isolation = DecodeIsolation(workers)
        let probe = try Fixture.file("gif/disposal-1.gif") + Array("planted:readSlab;".utf8)
        let size = ThumbnailOptions(width: 100, height: 100)
        for path in ["demo/mountains.jpg", "demo/window.png", "bad/png-truncated.png"] {
            let bytes = (try? Fixture.file(path)) ?? []
            _ = try? decoder.decode(bytes)
            #expect(throws: Never.self) { try decoder.header(of: probe) }
            _ = try? decoder.thumbnails(of: bytes, options: [size, ThumbnailOptions(width: 10)])
            #expect(throws: Never.self) { try decoder.decode(probe) }
            _ = try? decoder.frames(of: bytes).next()
            #expect(throws: Never.self) { try decoder.frames(of: probe).next() }
        }
        #expect(workers.statistics.endedWorkers.isEmpty)
    }

    /// The same actions have their effect in a process without a sandbox.
    @Test(
        arguments: [
            ("openFile", "done\n", 0), ("connect", "done\n", 0), ("fork", "done\n", 0), ("execute", "", 0),
            ("trace", "done\n", 0), ("signalParent", "done\n", 0), ("overwriteHeap", nil, nil),
            ("writeToNull", "", SIGSEGV), ("abort", "", SIGABRT), ("exit", "", 0),
        ] as [(String, String?, Int32?)])
    func actionInAProcessWithoutASandboxHasItsEffect(_ action: String, _ output: String?, _ code: Int32?) async throws {
        let process = Process()
        process.executableURL = URL(filePath: TestWorkers.path(of: "PlatformImagePlantedDecoder"))
        process.arguments = ["in-process", action]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        let (ends, continuation) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { continuation.yield($0.terminationStatus) }
        try process.run()
        let status = await ends.first { _ in true }
        let printed = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        if let output { #expect(printed == output) }
        if let code { #expect(status == code) }
    }
}
#endif
