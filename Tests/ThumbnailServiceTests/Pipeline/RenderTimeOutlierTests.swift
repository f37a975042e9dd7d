import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// A few very long renders must not distort the wait estimate.
@Suite struct RenderTimeOutlierTests {
    private let time = Locked(ContinuousClock.now)

    private func advanceClock(_ duration: Duration) { time.update { $0 += duration } }

    private func admission(threads: Int) -> Admission {
        let time = time
        return Admission(threads: threads, maxWaiting: 256, maxWait: .seconds(5), maxWaitingBytes: 1 << 29) {
            time.value
        }
    }

    private func render(_ admission: Admission, pixels: Int, for duration: Duration) throws {
        let fetch = try admission.reserveFetch()
        admission.releaseFetch(fetch, isDone: true)
        let place = try admission.admitRender(
            .init(format: .tiff, pixels: pixels, sourceBytes: 49_000), remaining: .seconds(20))
        admission.markRunning(place)
        advanceClock(duration)
        admission.releaseRender(place, isDone: true)
    }

    @Test(
        .requirement("X8"),
        arguments: [1, 2], [40_000, 12_000_000])
    func normalRequestsAreAdmittedAfterTwoVerySlowRenders(threads: Int, pixels: Int) throws {
        let admission = admission(threads: threads)
        for _ in 0..<2 { try render(admission, pixels: 40_000, for: .milliseconds(6_700)) }

        let fetches = try (0..<24).map { _ in try admission.reserveFetch() }
        // For half of the requests, the source has been fetched; for the other half, the fetch is in progress.
        let places = try fetches.prefix(12).map { fetch in
            admission.releaseFetch(fetch, isDone: true)
            return try admission.admitRender(
                .init(format: .tiff, pixels: pixels, sourceBytes: 200_000), remaining: .seconds(20))
        }
        try admission.check()

        #expect(places.count == 12)
        #expect(admission.expectedWait <= .seconds(5))
    }

    /// 2,000 small renders of 1 ms; every 16th is an outlier of 7 s.
    @Test(.requirement("X8")) func renderTimeEstimateAfterManyOutliersIsAtMost20TimesTheMedian() throws {
        let admission = admission(threads: 1)
        for number in 0..<2_000 {
            try render(admission, pixels: 40_000, for: number % 16 == 0 ? .seconds(7) : .milliseconds(1))
        }
        _ = try admission.admitRender(.init(format: .tiff, pixels: 40_000, sourceBytes: 1), remaining: .seconds(20))

        #expect(admission.expectedWait <= .milliseconds(20))
        #expect(admission.expectedWait >= .milliseconds(1))
    }

    @Test(.requirement("X8")) func renderTimeEstimateFollowsAPermanentSlowdown() throws {
        let admission = admission(threads: 1)
        for _ in 0..<100 { try render(admission, pixels: 1_000_000, for: .milliseconds(1)) }
        for _ in 0..<32 { try render(admission, pixels: 1_000_000, for: .seconds(1)) }
        _ = try admission.admitRender(.init(format: .tiff, pixels: 2_000_000, sourceBytes: 1), remaining: .seconds(20))

        #expect((1.99...2.01).contains(admission.expectedWait / .seconds(1)))
    }
}
