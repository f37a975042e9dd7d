#if os(Linux)
import Foundation
import PlatformImageTestSupport
import Synchronization
import Testing

@testable import PlatformImage

/// Start, replacement and limits of worker processes.
@Suite struct DecodeWorkersTests {
    private func decoder(_ workers: DecodeWorkers, _ options: DecodeOptions = DecodeOptions()) -> ImageDecoder {
        var decoder = ImageDecoder(options: options)
        decoder.isolation = DecodeIsolation(workers)
        return decoder
    }

    private static let image = Result { try Fixture.file("demo/window.png") }

    @Test(
        arguments: [
            ("/nonexistent/imagetool-decoder", "executableMissing"), ("/etc/passwd", "executableNotPermitted"),
            ("/bin/true", "system"),
        ])
    func programThatIsNoWorkerThrowsWorkerUnavailable(_ path: String, _ detail: String) throws {
        let error = #expect(throws: DecodeError.self) { try TestWorkers.start { $0.executable = path } }
        #expect(error?.code == .workerUnavailable)
        #expect(error?.detail == detail)
    }

    @Test func numberOutOfItsRangeThrowsInvalidArgument() {
        let changes: [(String, (inout DecodeWorkers.Configuration) -> Void)] = [
            ("workerCount", { $0.workerCount = -1 }), ("requestsPerWorker", { $0.requestsPerWorker = 0 }),
            ("idleSlabBytes", { $0.idleSlabBytes = -1 }), ("addressSpaceBytes", { $0.addressSpaceBytes = 1 }),
            ("niceness", { $0.niceness = 20 }), ("timeLimit", { $0.timeLimit = .zero }),
        ]
        for (name, change) in changes {
            let error = #expect(throws: DecodeError.self) { try TestWorkers.start { change(&$0) } }
            #expect(error?.code == .invalidArgument)
            #expect(error?.detail == name)
        }
    }

    @Test func workerIsConfinedAndHasNothingOfItsParent() throws {
        let workers = try TestWorkers.start { $0.niceness = 3 }
        _ = try decoder(workers).decode(Self.image.get())
        let process = try #require(workers.processIdentifiers.first)
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        #expect(status.contains("Seccomp:\t2"))
        #expect(status.contains("NoNewPrivs:\t1"))
        #expect(status.contains("CapEff:\t0000000000000000"))
        #expect(try Data(contentsOf: URL(filePath: "/proc/\(process)/environ")).isEmpty)
        let folder = "/proc/\(process)/fd"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
            #expect(target.hasPrefix("socket:") || target.hasPrefix("/memfd:"), "descriptor \(name): \(target)")
        }
        let fields = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).split(separator: " ")
        #expect(fields[18] == "3", "niceness")
    }

    /// Sends SIGKILL, and returns after the process has ended; the supply waits for it.
    private func killAndWait(_ process: Int32) {
        kill(process, SIGKILL)
        while !hasEnded(process) { sched_yield() }
    }

    @Test func workerKilledWhileItIsIdleFailsNoRequest() throws {
        let workers = try TestWorkers.start { $0.workerCount = 1 }
        let decoder = decoder(workers)
        let expected = try ImageDecoder().decode(Self.image.get()).bitmap
        for _ in 0..<20 {
            for process in workers.processIdentifiers { killAndWait(process) }
            #expect(try decoder.decode(Self.image.get()).bitmap == expected)
        }
        #expect(workers.statistics.endedWorkers[.crashed] == nil)
    }

    @Test func fileThatCrashedAWorkerIsRefusedAndOthersAreNot() throws {
        let workers = try TestWorkers.start(program: "PlatformImagePlantedDecoder")
        let decoder = decoder(workers)
        let clean = try Self.image.get()
        let planted = clean + Array("planted:abort;".utf8)
        for detail in ["SIGABRT", "refused", "refused"] {
            let error = #expect(throws: DecodeError.self) { try decoder.decode(planted) }
            #expect(error?.code == .crashed)
            #expect(error?.detail == detail)
            #expect(throws: Never.self) { try decoder.decode(clean) }
        }
        #expect(workers.statistics.endedWorkers == [.crashed: 1])
        #expect(workers.statistics.refusedFiles == 2)
    }

    @Test func failureHandlerReceivesTheErrorAndTheBytes() throws {
        let received = Mutex<[(String, Int)]>([])
        let bytes = try Self.image.get() + Array("planted:writeToNull;".utf8)
        let workers = try TestWorkers.start(program: "PlatformImagePlantedDecoder") {
            $0.onFailure = { failure, bytes in
                received.withLock { $0.append(("\(failure.reason) \(failure.error.detail ?? "")", bytes.count)) }
            }
        }
        #expect(throws: DecodeError.self) { try decoder(workers).decode(bytes) }
        let reports = received.withLock { $0 }
        #expect(reports.map(\.0) == ["crashed SIGSEGV"])
        #expect(reports.map(\.1) == [bytes.count])
    }

    @Test(arguments: [1, 2, 7]) func workerIsReplacedAfterItsNumberOfRequests(_ count: Int) throws {
        let workers = try TestWorkers.start {
            $0.requestsPerWorker = count
            $0.workerCount = 1
        }
        let decoder = decoder(workers)
        for _ in 0..<21 { _ = try decoder.header(of: Self.image.get()) }
        #expect(workers.statistics.endedWorkers[.retired] ?? 0 >= 21 / count - 2)
    }

    @Test func cancelledDecodeInAnEndlessLoopOfACodecEnds() async throws {
        let workers = try TestWorkers.start(program: "PlatformImagePlantedDecoder")
        let decoder = decoder(workers)
        let bytes = try Self.image.get() + Array("planted:loop;".utf8)
        let queue = DecodeQueue(width: 1)
        let task = Task { try await queue.decode(bytes, with: decoder) }
        while workers.statistics.busyWorkers == 0 { await Task.yield() }
        task.cancel()
        await #expect(throws: DecodeError(.cancelled, "")) { try await task.value }
        #expect(workers.statistics.endedWorkers == [.cancelled: 1])
        #expect(try decoder.decode(Self.image.get()).bitmap == ImageDecoder().decode(Self.image.get()).bitmap)
    }

    /// The request is larger than the buffer of the socket, and the worker is stopped and reads nothing.
    @Test func cancellationWhileTheWorkerDoesNotReadTheRequestThrowsCancelled() throws {
        let workers = try TestWorkers.start { $0.workerCount = 1 }
        let flag = CancellationFlag()
        flag.cancelAfter(polls: 3)
        let decoder = IsolatedDecoder(
            workers: workers, options: DecodeOptions(), format: .png, contentType: nil, flag: flag)
        let sizes = [ThumbnailOptions](repeating: ThumbnailOptions(width: 1), count: WorkerOperation.maxThumbnails)
        let bytes = try Self.image.get()
        // The spare worker would be used otherwise.
        while workers.statistics.aliveWorkers < 2 { sched_yield() }
        for process in workers.processIdentifiers { kill(process, SIGSTOP) }
        #expect(throws: DecodeError(.cancelled, "")) {
            try decoder.images(.thumbnails(sizes, isComplete: false), bytes.span)
        }
        #expect(workers.statistics.endedWorkers == [.cancelled: 1])
    }

    @Test func deadlineInAnEndlessLoopOfACodecThrowsItsError() throws {
        let workers = try TestWorkers.start(program: "PlatformImagePlantedDecoder")
        let flag = CancellationFlag()
        flag.setDeadline(.now.advanced(by: .milliseconds(20)))
        let error = #expect(throws: DecodeError.self) {
            try decoder(workers).decode(Self.image.get() + Array("planted:loop;".utf8), cancellation: flag)
        }
        #expect(error?.code == .limitExceeded)
        #expect(error?.detail == "deadline")
    }

    @Test func everyCancelPointOfADecodeGivesCancelledOrTheImage() throws {
        let workers = try TestWorkers.start()
        let decoder = decoder(workers)
        let bytes = try Fixture.file("gif/disposal-1.gif")
        let expected = try ImageDecoder().decode(bytes).bitmap
        for polls in 0..<8 {
            let flag = CancellationFlag()
            flag.cancelAfter(polls: polls)
            do throws(DecodeError) {
                #expect(try decoder.decode(bytes, cancellation: flag).bitmap == expected)
            } catch {
                #expect(error.code == .cancelled)
            }
        }
        #expect(try decoder.decode(bytes).bitmap == expected)
    }

    @Test func requestWaitsForAWorkerThatAnotherThreadUses() async throws {
        let workers = try TestWorkers.start { $0.workerCount = 1 }
        let decoder = decoder(workers)
        let bytes = try Fixture.file("demo/mountains.jpg")
        let expected = try ImageDecoder().decode(bytes).bitmap
        let queue = DecodeQueue(width: 4)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 { group.addTask { try await queue.decode(bytes, with: decoder).bitmap == expected } }
            for try await isEqual in group { #expect(isEqual) }
        }
        #expect(workers.statistics.busyWorkers == 0)
        #expect(workers.statistics.aliveWorkers <= 2)
        #expect(queue.budget.grantedBytes == 0)
    }

    @Test func imageThatNeedsMoreThanTheAddressSpaceThrowsLimitExceeded() throws {
        let workers = try TestWorkers.start { $0.addressSpaceBytes = 256 << 20 }
        // 9,000 x 9,000 pixels have 324 MB.
        let error = #expect(throws: DecodeError.self) {
            try decoder(workers).decode(try Fixture.file("bad/tiff-bomb-strip-of-9000x9000.tif"))
        }
        #expect(error?.code == .limitExceeded)
        #expect(throws: Never.self) { try decoder(workers).decode(Self.image.get()) }
    }

    @Test func budgetCountsTheSharedMemoryAndTheCopy() async throws {
        let workers = try TestWorkers.start()
        let isolated = decoder(workers)
        let bytes = try Self.image.get()
        let pixels = try ImageDecoder().decode(bytes).bitmap.byteCount
        let prepared = try isolated.work(.decode, bytes.span, nil)
        #expect(prepared.byteCount >= 2 * pixels)
        let queue = DecodeQueue(width: 1, budget: DecodeBudget(maxBytes: prepared.byteCount - 1))
        let error = await #expect(throws: DecodeError.self) { try await queue.decode(bytes, with: isolated) }
        #expect(error?.detail == "decodeBudget")
    }

    @Test func framesHaveAWorkerOfTheirOwnAndReturnIt() throws {
        let workers = try TestWorkers.start { $0.workerCount = 1 }
        let decoder = decoder(workers)
        let bytes = try Fixture.file("gif/disposal-1.gif")
        do {
            let first = try decoder.frames(of: bytes)
            let second = try decoder.frames(of: bytes)
            #expect(try first.next() != nil)
            #expect(try decoder.decode(bytes).bitmap == ImageDecoder().decode(bytes).bitmap)
            #expect(try second.next()?.bitmap == ImageDecoder().frames(of: bytes).next()?.bitmap)
            #expect(workers.statistics.busyWorkers == 2)
        }
        #expect(workers.statistics.busyWorkers == 0)
    }

    @Test func framesAfterTheEndOfTheirWorkerThrowItsError() throws {
        let workers = try TestWorkers.start { $0.workerCount = 1 }
        let frames = try decoder(workers).frames(of: Fixture.file("gif/disposal-1.gif"))
        for process in workers.processIdentifiers { killAndWait(process) }
        for _ in 0..<3 {
            let error = #expect(throws: DecodeError.self) { try frames.next() }
            #expect(error?.code == .crashed)
            #expect(error?.isUnrelatedToInput == true)
        }
        #expect(workers.statistics.busyWorkers == 0)
    }

    @Test func openAnimationsAboveTheMaximumAreRefused() throws {
        let workers = try TestWorkers.start { $0.workerCount = 1 }
        let decoder = decoder(workers)
        let bytes = try Fixture.file("gif/disposal-1.gif")
        var frames: [ImageFrames] = []
        for _ in 0..<WorkerSupply.maxSessions { frames.append(try decoder.frames(of: bytes)) }
        let error = #expect(throws: DecodeError.self) { try decoder.frames(of: bytes) }
        #expect(error?.code == .workerUnavailable)
        #expect(error?.detail == "busy")
        frames.removeLast()
        #expect(throws: Never.self) { try decoder.frames(of: bytes) }
    }

    /// A worker still has the input of its last request; an array that was changed in place has the same address.
    @Test func changedArrayIsCopiedAgain() throws {
        let workers = try TestWorkers.start { $0.workerCount = 1 }
        let decoder = decoder(workers)
        var bytes = try Fixture.file("gif/disposal-1.gif")
        let other = try Fixture.file("demo/window.png")
        for round in 0..<6 {
            #expect(try decoder.header(of: bytes) == ImageDecoder().header(of: bytes))
            #expect(try decoder.decode(bytes).bitmap == ImageDecoder().decode(bytes).bitmap)
            // The last byte of the global colour table.
            bytes[15] &+= UInt8(round + 1)
            if round.isMultiple(of: 2) { #expect(try decoder.header(of: other).format == .png) }
        }
    }

    @Test func formatsOutsideOfThePolicyAreDecodedInProcess() throws {
        let workers = try TestWorkers.start()
        var decoder = ImageDecoder()
        decoder.isolation = DecodeIsolation(workers, formats: [.gif])
        _ = try decoder.decode(Self.image.get())
        #expect(workers.statistics.requests == 0)
        _ = try decoder.decode(Fixture.file("gif/disposal-1.gif"))
        #expect(workers.statistics.requests == 1)
    }

    @Test func releasedWorkersEnd() throws {
        var processes: [Int32] = []
        do {
            let workers = try TestWorkers.start { $0.workerCount = 1 }
            _ = try decoder(workers).decode(Self.image.get())
            processes = workers.processIdentifiers
        }
        // They are waited for, so no process with these numbers is a child any more.
        for process in processes {
            var status: Int32 = 0
            #expect(waitpid(process, &status, WNOHANG) == -1)
        }
    }
}
#endif
