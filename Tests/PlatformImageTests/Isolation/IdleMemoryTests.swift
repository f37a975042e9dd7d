#if os(Linux)
import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Memory that idle worker processes return to the system.
@Suite struct IdleMemoryTests {
    /// 6 megapixels: 18 MB of coefficients at 4:2:0.
    private static let progressive = Result {
        var size = ThumbnailOptions(width: 3000, height: 2000, fit: .cover)
        size.allowsUpscaling = true
        let image = try ImageDecoder().thumbnail(of: Fixture.file("demo/mountains.jpg"), options: size)
        var options = EncodeOptions()
        options.jpeg.isProgressive = true
        return try ImageEncoder(options: options).encode(image.bitmap, as: .jpeg)
    }

    @Test func idleWorkerAfterAProgressiveJPEGHasLessMemoryThanBefore() throws {
        let single = try SingleWorker()
        let bytes = try Self.progressive.get()
        let worker = try single.workers.supply.acquire(nil)
        #expect(worker === single.worker)
        try single.decode(bytes)
        let before = try single.anonymousBytes()

        single.workers.supply.release(worker)
        single.workers.supply.releaseIdleMemory(now: .now + .seconds(4))
        _ = try single.workers.supply.acquire(nil)
        // The answer follows the release, because the worker reads its messages in order.
        guard case .header? = try single.result(of: .header, bytes) else {
            Issue.record("no header")
            return
        }
        let after = try single.anonymousBytes()

        #expect(after < before - (8 << 20), "before \(before), after \(after)")
        try single.decode(bytes)
        #expect(single.workers.statistics.endedWorkers.isEmpty)
        single.workers.supply.release(worker)
    }

    @Test func releaseBeforeEachRequestChangesNoResult() throws {
        let single = try SingleWorker()
        _ = try single.workers.supply.acquire(nil)
        let bytes = try Fixture.file("demo/mountains.jpg")
        for _ in 0..<20 {
            single.worker.releaseMemory()
            try single.decode(bytes)
            single.worker.releaseMemory()
            single.worker.releaseMemory()
            guard case .header? = try single.result(of: .header, bytes) else {
                Issue.record("no header")
                return
            }
        }
    }

    @Test func releaseEndsAMeasuredRequestAndTheNextRequestSucceeds() throws {
        let single = try SingleWorker()
        _ = try single.workers.supply.acquire(nil)
        let bytes = try Fixture.file("demo/mountains.jpg")
        _ = try single.measure(bytes)
        single.worker.releaseMemory()
        try single.decode(bytes)
    }

    @Test func releaseWithAnotherNumberKeepsAMeasuredRequest() throws {
        let single = try SingleWorker()
        _ = try single.workers.supply.acquire(nil)
        let (request, outputBytes) = try single.measure(Fixture.file("demo/mountains.jpg"))
        single.worker.releaseMemory(after: request.number - 1)
        _ = try single.worker.proceed(request, outputBytes: outputBytes, nil)
        guard case .finished(request.number, .images) = try single.receive(request) else {
            Issue.record("no image")
            return
        }
    }

    @Test func releaseWithAnotherNumberKeepsAnAnimationAndWithItsNumberEndsIt() throws {
        let single = try SingleWorker()
        _ = try single.workers.supply.acquire(nil)
        let bytes = try Fixture.file("gif/disposal-1.gif")
        let request = try single.worker.send(.frames, bytes.span, of: single.decoder)
        guard case .finished(request.number, .frames) = try single.receive(request) else {
            Issue.record("no animation")
            return
        }
        for index in 0..<2 {
            single.worker.releaseMemory(after: request.number - 1)
            try single.worker.step(.advance, of: request, outputBytes: 0, nil)
            guard case .finished(request.number, .frame(.success(let frame?), _)) = try single.receive(request) else {
                Issue.record("no frame \(index)")
                return
            }
            #expect(frame.index == index)
        }
        single.worker.releaseMemory()
        guard case .header? = try single.result(of: .header, bytes) else {
            Issue.record("no header")
            return
        }
    }

    @Test(arguments: [
        (WorkerProcess.maxKeptInputBytes, true, true), (WorkerProcess.maxKeptInputBytes + 1, true, false),
        (1000, true, true), (1000, false, false),
    ])
    func inputRemainsAfterARequestWithoutPixelsUpToItsMaximumSize(
        _ byteCount: Int, _ keepsInput: Bool, _ remains: Bool
    ) throws {
        let single = try SingleWorker()
        _ = try single.workers.supply.acquire(nil)
        var bytes = try Fixture.file("gif/disposal-1.gif")
        bytes += [UInt8](repeating: 0, count: max(0, byteCount - bytes.count))
        var decoder = single.decoder
        decoder.input = RetainedInput(bytes)
        let request = try single.worker.send(.header, bytes.span, of: decoder)
        _ = try single.receive(request)
        #expect(single.worker.input != nil)
        single.worker.endRequest(keepsInput: keepsInput)
        #expect((single.worker.input != nil) == remains)
    }

    /// The worker is stopped and reads nothing, so that the buffer of its socket is full.
    @Test func releaseToAWorkerThatDoesNotReadReturns() throws {
        let single = try SingleWorker()
        _ = try single.workers.supply.acquire(nil)
        let process = single.worker.processIdentifier
        kill(process, SIGSTOP)
        for _ in 0..<10_000 { single.worker.releaseMemory() }
        kill(process, SIGCONT)
        try single.decode(Fixture.file("demo/mountains.jpg"))
    }

    @Test func releaseToAWorkerThatHasEndedFailsNoLaterRequest() throws {
        let single = try SingleWorker()
        let worker = try single.workers.supply.acquire(nil)
        _ = worker.stop()
        worker.releaseMemory()
        #expect(throws: WorkerProcess.Failure.self) {
            try worker.send(.header, [UInt8](repeating: 0, count: 8).span, of: single.decoder)
        }
    }
}
#endif
