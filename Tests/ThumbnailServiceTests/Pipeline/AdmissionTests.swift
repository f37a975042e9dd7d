import Dispatch
import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Admission to the render queue; the test sets the clock.
@Suite struct AdmissionTests {
    private let time = Locked(ContinuousClock.now)

    private func admission(
        threads: Int = 1, waiting: Int = 4, wait: Duration = .seconds(5), bytes: Int = 1_000
    ) -> Admission {
        let time = time
        return Admission(threads: threads, maxWaiting: waiting, maxWait: wait, maxWaitingBytes: bytes) { time.value }
    }

    private func advanceClock(_ duration: Duration) { time.update { $0 += duration } }

    private func work(megapixels: Double, bytes: Int = 10, _ format: ImageFormat = .png) -> Admission.Work {
        Admission.Work(format: format, pixels: Int(megapixels * 1_000_000), sourceBytes: bytes)
    }

    /// Records renders that take one second per megapixel.
    private func recordOneSecondPerMegapixel(_ admission: Admission) throws {
        for _ in 0..<RobustMean.sampleCount {
            let place = try admission.admitRender(work(megapixels: 1), remaining: .seconds(20))
            admission.markRunning(place)
            advanceClock(.seconds(1))
            admission.releaseRender(place, isDone: true)
        }
    }

    /// True when the durations differ by less than 1 µs, the rounding error of sums.
    private func isClose(_ a: Duration, _ b: Duration) -> Bool { abs((a - b) / .microseconds(1)) < 1 }

    private func refusal(_ body: () throws(ServiceError) -> Void) -> ServiceError? {
        do throws(ServiceError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test func expectedWaitIsTheQueuedRenderTimeDividedByTheThreadCount() throws {
        let admission = admission(threads: 2)
        try recordOneSecondPerMegapixel(admission)
        let first = try admission.admitRender(work(megapixels: 2), remaining: .seconds(20))
        #expect(admission.expectedWait == .zero)
        _ = try admission.admitRender(work(megapixels: 4), remaining: .seconds(20))
        #expect(isClose(admission.expectedWait, .seconds(3)))

        admission.markRunning(first)
        advanceClock(.seconds(1))
        #expect(isClose(admission.expectedWait, .milliseconds(2_500)))
        advanceClock(.seconds(100))
        #expect(isClose(admission.expectedWait, .seconds(2)))
        admission.releaseRender(first, isDone: false)

        #expect(admission.expectedWait == .zero)
        #expect(admission.waitingCount == 1)
    }

    @Test func renderWithAnExpectedWaitOverTheLimitIsRefusedWithRetryAfter() throws {
        let admission = admission()
        try recordOneSecondPerMegapixel(admission)
        _ = try admission.admitRender(work(megapixels: 4.5), remaining: .seconds(20))

        #expect(refusal { () throws(ServiceError) in try admission.check() } == nil)
        let late = refusal { () throws(ServiceError) in
            _ = try admission.admitRender(work(megapixels: 1), remaining: .seconds(4))
        }
        #expect(late?.status == 503)
        #expect(late?.retryAfter == 5)
        _ = try admission.admitRender(work(megapixels: 1), remaining: .seconds(20))
        let long = refusal { () throws(ServiceError) in try admission.check() }
        #expect(long?.reason == .overloaded)
        #expect(long?.retryAfter == 6)
    }

    @Test func renderIsRefusedWhileTheQueueIsFull() throws {
        let admission = admission(threads: 2, waiting: 3)
        let places = try (0..<5).map { _ in try admission.admitRender(work(megapixels: 1), remaining: .seconds(20)) }
        #expect(refusal { () throws(ServiceError) in try admission.check() }?.reason == .overloaded)

        admission.releaseRender(places[3], isDone: false)

        #expect(refusal { () throws(ServiceError) in try admission.check() } == nil)
    }

    @Test func renderWithSourceBytesOverTheQueueLimitIsRefused() throws {
        let admission = admission()
        _ = try admission.admitRender(work(megapixels: 1, bytes: 700), remaining: .seconds(20))
        let tooMuch = refusal { () throws(ServiceError) in
            _ = try admission.admitRender(work(megapixels: 1, bytes: 301), remaining: .seconds(20))
        }
        #expect(tooMuch?.reason == .overloaded)
        _ = try admission.admitRender(work(megapixels: 1, bytes: 300), remaining: .seconds(20))
    }

    /// Slow renders of one format do not change the estimate of another format; recent measurements replace old
    /// measurements.
    @Test func renderTimeEstimateUsesRecentRendersOfTheSameFormat() throws {
        let admission = admission()
        try recordOneSecondPerMegapixel(admission)
        let jpeg = try admission.admitRender(work(megapixels: 1, .jpeg), remaining: .seconds(20))
        #expect(isClose(admission.expectedWait, .milliseconds(10)))
        admission.releaseRender(jpeg, isDone: false)

        for _ in 0..<100 {
            let place = try admission.admitRender(work(megapixels: 1), remaining: .seconds(20))
            admission.markRunning(place)
            advanceClock(.milliseconds(10))
            admission.releaseRender(place, isDone: true)
        }
        _ = try admission.admitRender(work(megapixels: 1), remaining: .seconds(20))

        #expect(admission.expectedWait < .milliseconds(11))
    }

    /// The only render thread is busy and the queue is full: a new image is refused; a cached image and the health
    /// target are served.
    @Test(.timeLimit(.minutes(30))) func serviceWithAFullQueueServesCachedImagesAndHealth() async throws {
        let image = try Bitmap.landscape(40, 30).png()
        let origin = try await LoopbackOrigin { request in
            .response(OriginResource(image, contentType: "image/png", maxAge: 3_600).response(to: request))
        }
        try await withService(origin: origin) {
            $0.limits.threads = 1
            $0.limits.queue = 0
        } _: { service in
            func target(_ side: Int) -> String { "/unsafe/\(side)x\(side)/127.0.0.1:\(origin.port)/a.png" }
            #expect(try await service.send(target(8)).status == 200)
            let (gate, blocked) = await block(service.engine.queue)
            // Releases the thread even if the test fails.
            defer { gate.signal() }
            async let waiting = service.send(target(9))
            await yieldUntil { service.engine.admission.waitingCount > 0 }
            let fetched = origin.requests.count

            let refused = try await service.send(target(10))
            #expect(refused.status == 503)
            let seconds = try #require(refused["Retry-After"].flatMap { Int($0) })
            #expect(seconds >= 1)
            #expect(refused["Cache-Control"] == "no-store")
            #expect(origin.requests.count == fetched)
            #expect(try await service.send(target(8)).status == 200)
            #expect(try await service.send("/health/ready").status == 200)

            gate.signal()
            #expect(try await waiting.status == 200)
            await blocked.value
        }
        await origin.stop()
    }
}
