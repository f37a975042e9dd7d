import Dispatch
import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Reading the header of a source image before a render: on queue threads, cancellable, and once per source.
@Suite(.timeLimit(.minutes(30))) struct HeaderCostTests {
    /// A GIF with `frames` frames of 1 x 1 pixel, 15 bytes each.
    static func gif(frames: Int) -> [UInt8] {
        var bytes = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        // An image descriptor, code size 2, and the codes clear, 0 and end in one block.
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0]
        bytes.reserveCapacity(bytes.count + frame.count * frames + 1)
        for _ in 0..<frames { bytes += frame }
        return bytes + [0x3B]
    }

    private static func engine(_ change: (inout ServiceConfiguration) -> Void = { _ in }) throws -> ThumbnailEngine {
        var configuration = ServiceConfiguration()
        configuration.limits.threads = 1
        change(&configuration)
        return ThumbnailEngine(configuration, sources: NoSources())
    }

    private struct NoSources: SourceReading {
        func read(_ source: SourceName) async throws(ServiceError) -> SourceBytes {
            throw ServiceError(.notFound, "this reader has no sources")
        }

        func flush() async {}
    }

    @Test(.requirement("X5")) func readingASourceHeaderWaitsForAQueueThreadAndCanBeCancelled() async throws {
        let engine = try Self.engine()
        let queue = engine.preparation.queue
        let (gate, end) = await block(queue)
        defer { gate.signal() }
        let isAnswered = Locked(false)
        let request = Task { () -> ServiceError? in
            defer { isAnswered.update { $0 = true } }
            do throws(ServiceError) {
                _ = try await engine.result(for: .cover(8, 8), body: [1, 2, 3])
                return nil
            } catch {
                return error
            }
        }

        await yieldUntil { queue.waitingCount == 1 || isAnswered.value }
        #expect(!isAnswered.value)
        request.cancel()

        #expect(await request.value?.reason == .deadline)
        #expect(queue.waitingCount == 0)
        gate.signal()
        await end.value
        #expect(engine.preparation.headerCount == 0)
    }

    @Test(.requirement("X5")) func healthIsServedWhileAllThreadsThatReadSourceHeadersAreBusy() async throws {
        let origin = try await LoopbackOrigin { _ in .ok((try? Bitmap.landscape(40, 30).png()) ?? []) }
        try await withService(origin: origin) {
            $0.limits.threads = 1
        } _: { service in
            let queue = service.engine.preparation.queue
            let (gate, end) = await block(queue)
            defer { gate.signal() }
            let target = "/unsafe/20x10/127.0.0.1:\(origin.port)/a.png"
            async let waiting = service.send(target)
            await yieldUntil { queue.waitingCount == 1 }

            let health = try await service.send("/health/live")
            #expect(health.status == 200)

            gate.signal()
            await end.value
            let thumbnail = try await waiting
            #expect(thumbnail.status == 200)
        }
        await origin.stop()
    }

    @Test(.requirement("X5")) func countingFramesStopsOneFrameAfterTheLimit() throws {
        let bytes = Self.gif(frames: 5_000)
        let flag = CancellationFlag()

        let error = #expect(throws: ServiceError.self) {
            try Renderer(maxFrames: 10).header(of: bytes, cancellation: flag)
        }

        #expect(error?.reason == .limit)
        // One poll of the flag per frame, and one for the profile.
        #expect(flag.pollCount < 20)
        #expect(try Renderer(maxFrames: 5_000).header(of: bytes).frameCount == 5_000)
        #expect(try Renderer().header(of: bytes).frameCount == 5_000)
    }

    @Test(.requirement("X5")) func countingFramesWithoutALimitStopsAt65536() throws {
        let bytes = Self.gif(frames: 100_000)
        let flag = CancellationFlag()

        let header = try Renderer().header(of: bytes, cancellation: flag)

        #expect(header.frameCount == 65_536)
        #expect(flag.pollCount < 66_000)
    }

    @Test(.requirement("X5")) func tiffWithAnUnknownPageCountIsOverTheFrameLimit() throws {
        let bytes = try Fixture.file("tiff/bomb-5000-ifds.tif")
        #expect(try Renderer().header(of: bytes).frameCount == nil)
        let error = #expect(throws: ServiceError.self) { try Renderer(maxFrames: 100).header(of: bytes) }
        #expect(error?.reason == .limit)
    }

    @Test(.requirement("X5")) func headerOfASourceIsReadOnceAndCached() async throws {
        let engine = try Self.engine()
        let source = SourceBytes(Self.gif(frames: 300))
        // Invalid bytes with the same digest: only a cached header can be returned.
        let unreadable = SourceBytes([1, 2, 3], digest: source.digest)

        let first = try await engine.preparation.header(of: source)
        let second = try await engine.preparation.header(of: unreadable)

        #expect(first.frameCount == 300)
        #expect(second.frameCount == 300)
        #expect(engine.preparation.headerCount == 1)
    }

    @Test(.requirement("X5")) func numberOfCachedSourceHeadersIsLimited() async throws {
        let engine = try Self.engine()
        let bytes = Self.gif(frames: 1)
        for number in 0..<(RenderPreparation.maxHeaders + 100) {
            _ = try await engine.preparation.header(of: SourceBytes(bytes, digest: "\(number)"))
        }
        #expect(engine.preparation.headerCount <= RenderPreparation.maxHeaders)
        #expect(engine.preparation.headerCount >= RenderPreparation.maxHeaders / 2)
    }

    @Test(.requirement("X5")) func cancellationAtAnyPollEndsTheRenderPreparation() throws {
        for path in ["gif/blocks-of-1.gif", "demo/letter-g4.tif", "demo/window.png", "demo/aurora-progressive.jpg"] {
            let bytes = try Fixture.file(path)
            let whole = CancellationFlag()
            _ = try Renderer().prepare(bytes, for: .cover(8, 8), cancellation: whole)
            for polls in 0..<whole.pollCount {
                let flag = CancellationFlag()
                flag.cancelAfter(polls: polls)
                let error = #expect(throws: ServiceError.self) {
                    try Renderer().prepare(bytes, for: .cover(8, 8), cancellation: flag)
                }
                #expect(error?.reason == .deadline, "\(path)")
            }
        }
    }

    @Test(.requirement("X5")) func invalidSourceBytesAreASourceDefectAndAMissingPageIsNot() async throws {
        let engine = try Self.engine()
        var paged = ThumbnailRequest.cover(8, 8)
        paged.operations.page = 9
        let tiff = SourceBytes(try Fixture.file("demo/letter-g4.tif"))
        let missing = try await engine.preparation.prepare(paged, tiff)
        let junk = try await engine.preparation.prepare(.cover(8, 8), SourceBytes([1, 2, 3]))
        let empty = try await engine.preparation.prepare(.cover(8, 8), SourceBytes([]))
        let large = try await engine.preparation.prepare(.cover(9_000, 9_000), tiff)

        #expect(!missing.isSourceDefect)
        #expect(junk.isSourceDefect)
        #expect(empty.isSourceDefect)
        #expect(!large.isSourceDefect)
        #expect(throws: ServiceError.self) { try missing.render.get() }
        #expect(throws: ServiceError.self) { try large.render.get() }
    }
}
