import Dispatch
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader
@testable import PlatformImageService

/// A source whose decode exceeded the deadline is not decoded again immediately.
@Suite(.timeLimit(.minutes(30))) struct SlowSourceTests {
    /// Returns the same bytes for every URL, except for URLs that end in `other`.
    private struct FixedSource: SourceReading {
        let bytes, other: [UInt8]

        func read(_ source: SourceName) async throws(ServiceError) -> SourceBytes {
            guard case .url(let url) = source else { return SourceBytes(bytes) }
            // The digest depends on the URL, as for a source with a strong entity tag. Equal bytes of different URLs
            // have different digests, so the engine must compare the bytes.
            return SourceBytes(url.hasSuffix("other") ? other : bytes, digest: String(repeating: "0", count: 32) + url)
        }

        func flush() async {}
    }

    /// Blocks its first caller until ``release()``.
    private final class Hold: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        private let isHeld = Locked(false)

        var isHolding: Bool { isHeld.value }

        func wait() {
            guard !isHeld.value else { return }
            isHeld.update { $0 = true }
            gate.wait()
        }

        func release() { gate.signal() }
    }

    /// An engine with one thread and a deadline of one hour. Its first decode is blocked at the start.
    private final class BlockedEngine: Sendable {
        let engine: ThumbnailEngine
        /// Blocks the render thread when the decode has begun.
        private let hold = Hold()
        private let time = Locked(WallTime(seconds: 1_000_000))

        init() throws {
            let file = try Bitmap.landscape(64, 48).png()
            var configuration = ServiceConfiguration()
            configuration.limits.threads = 1
            configuration.limits.queueWait = .seconds(3_600)
            configuration.server.deadline = .seconds(3_600)
            let time = self.time
            // Equal lengths; decoders ignore the byte after the end of the PNG.
            let sources = FixedSource(bytes: file + [0], other: file + [1])
            let hold = self.hold
            engine = ThumbnailEngine(configuration, sources: sources, clock: { time.value }) { hold.wait() }
        }

        func advanceClock(seconds: Int64) { time.update { $0 = $0.adding(milliseconds: seconds * 1_000) } }

        /// The error of a request for an image that fits a square of `side` pixels; nil for success.
        func failure(_ path: String, side: Int) async -> ServiceError? {
            do throws(ServiceError) {
                _ = try await engine.result(for: Self.request(path, side))
                return nil
            } catch {
                return error
            }
        }

        /// Begins a render, advances the clock and cancels the render.
        func cancelRender(afterSeconds seconds: Int64) async {
            let render = Task { try? await engine.result(for: Self.request("a", 20)) }
            await yieldUntil { hold.isHolding }
            advanceClock(seconds: seconds)
            render.cancel()
            _ = await render.value
            await yieldUntil { engine.renders.runningCount == 0 }
            hold.release()
            await yieldUntil { engine.queue.budget.grantedBytes == 0 }
        }

        private static func request(_ path: String, _ side: Int) -> ThumbnailRequest {
            var request = ThumbnailRequest.fit(side, side)
            request.source = .url("http://a.example/\(path)")
            return request
        }
    }

    @Test(.requirement("X4")) func sourceBytesWithASlowDecodeAreRefusedUnderEveryURL() async throws {
        let held = try BlockedEngine()
        await held.cancelRender(afterSeconds: 1_800)
        let decodeCount = held.engine.counters.decodeCount

        for (path, side) in [("a", 20), ("a", 30), ("b", 20), ("c", 40)] {
            let error = await held.failure(path, side: side)
            #expect(error?.reason == .deadline)
            #expect(error?.retryAfter == 10)
        }
        #expect(held.engine.counters.decodeCount == decodeCount)
        #expect(await held.failure("other", side: 20) == nil)

        held.advanceClock(seconds: 10)
        #expect(await held.failure("b", side: 20) == nil)
        // After the delay, the request for `b` was the probe: the one request that may decode slow bytes. Its
        // decode ended in time, which clears the failures of the bytes.
        #expect(await held.failure("a", side: 30) == nil)
    }

    @Test(.requirement("X4")) func clientDisconnectBeforeHalfTheDeadlineIsNotCountedAsASlowDecode() async throws {
        let held = try BlockedEngine()

        await held.cancelRender(afterSeconds: 1_799)

        #expect(await held.failure("b", side: 20) == nil)
    }

    @Test(.requirement("X4")) func slowSourceBytesAreDecodedAgainAfter10Seconds1MinuteAnd10Minutes() {
        let sources = SlowSources()
        let bytes = Array("slow".utf8)
        var now = WallTime(seconds: 1_000_000)
        for seconds in [10, 60, 600, 600] {
            sources.record(bytes, now: now)
            #expect(sources.failure(of: bytes, now: now)?.retryAfter == seconds)
            #expect(sources.failure(of: Array("fast".utf8), now: now) == nil)
            now = now.adding(milliseconds: Int64(seconds) * 1_000)
            #expect(sources.failure(of: bytes, now: now) == nil)
            #expect(sources.failure(of: bytes, now: now)?.retryAfter == 20)
        }
        sources.remove(bytes)
        #expect(sources.failure(of: bytes, now: now) == nil)
        #expect(sources.failure(of: bytes, now: now) == nil)
    }
}
