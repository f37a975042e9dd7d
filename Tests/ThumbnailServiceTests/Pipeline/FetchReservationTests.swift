import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// A request whose source is being fetched reserves a place in the render queue; the test sets the clock.
@Suite struct FetchReservationTests {
    private let time = Locked(ContinuousClock.now)

    private func admission(waiting: Int, wait: Duration = .seconds(5)) -> Admission {
        let time = time
        return Admission(threads: 1, maxWaiting: waiting, maxWait: wait, maxWaitingBytes: 1_000) { time.value }
    }

    private func advanceClock(_ duration: Duration) { time.update { $0 += duration } }

    private func isRefused(_ body: () throws(ServiceError) -> Void) -> Bool {
        do throws(ServiceError) {
            try body()
            return false
        } catch {
            return error.reason == .overloaded && error.retryAfter != nil
        }
    }

    @Test func fetchReservesAPlaceInTheRenderQueue() throws {
        let admission = admission(waiting: 3)
        let places = try (0..<4).map { _ in try admission.reserveFetch() }
        #expect(isRefused { () throws(ServiceError) in _ = try admission.reserveFetch() })
        #expect(isRefused { () throws(ServiceError) in try admission.check() })

        admission.releaseFetch(places[0], isDone: true)

        #expect(!isRefused { () throws(ServiceError) in try admission.check() })
    }

    @Test func renderAfterAFetchWithAReservationIsAdmittedToAFullQueue() throws {
        let admission = admission(waiting: 3)
        let places = try (0..<4).map { _ in try admission.reserveFetch() }
        for place in places {
            admission.releaseFetch(place, isDone: true)
            _ = try admission.admitRender(.init(format: .png, pixels: 10, sourceBytes: 1), remaining: .seconds(20))
        }
        #expect(isRefused { () throws(ServiceError) in _ = try admission.reserveFetch() })
    }

    /// The initial estimate of a fetch is 100 ms; a reservation expires after four times the estimate.
    @Test func queueReservationOfAHangingFetchExpires() throws {
        let admission = admission(waiting: 3)
        for _ in 0..<4 { _ = try admission.reserveFetch() }
        advanceClock(.milliseconds(400))
        #expect(isRefused { () throws(ServiceError) in try admission.check() })

        advanceClock(.milliseconds(1))

        #expect(!isRefused { () throws(ServiceError) in try admission.check() })
        #expect(admission.expectedWait == .zero)
    }

    @Test func concurrentFetchesAreLimitedAfterQueueReservationsExpire() throws {
        let admission = admission(waiting: 3)
        for _ in 0..<16 {
            _ = try admission.reserveFetch()
            advanceClock(.seconds(1))
        }
        #expect(isRefused { () throws(ServiceError) in _ = try admission.reserveFetch() })
    }

    @Test func failedFetchDoesNotChangeTheFetchTimeEstimate() throws {
        let admission = admission(waiting: 3)
        let place = try admission.reserveFetch()
        advanceClock(.seconds(100))
        admission.releaseFetch(place, isDone: false)
        _ = try admission.reserveFetch()
        advanceClock(.milliseconds(401))

        #expect(admission.expectedWait == .zero)
    }

    /// A render of 1 s counts as 200 ms, 20 times the median; it raises the mean of 32 samples from 10 ms to 15.9 ms.
    @Test func eachFetchReservationCountsAsOneMeanRenderTimeInTheExpectedWait() throws {
        let admission = admission(waiting: 10)
        let first = try admission.admitRender(.init(format: .png, pixels: 10, sourceBytes: 1), remaining: .seconds(20))
        admission.markRunning(first)
        advanceClock(.seconds(1))
        admission.releaseRender(first, isDone: true)
        for _ in 0..<2 { _ = try admission.reserveFetch() }

        let wait = admission.expectedWait / .milliseconds(1)
        #expect((31.8...31.9).contains(wait))
    }
}
