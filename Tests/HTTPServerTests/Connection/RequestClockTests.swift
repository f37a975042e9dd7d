import PlatformImageTestSupport
import Testing

@testable import PlatformImageHTTPServer

/// Time limits of slow clients, with a simulated clock.
@Suite struct RequestClockTests {
    enum Step: Sendable {
        /// Bytes of a head, without its end.
        case partialHead
        /// The end of a head without a body.
        case request
        /// The end of a head with a body.
        case headWithBody
        case bodyEnd
        /// Advances the clock by this number of seconds.
        case wait(UInt64)
        case response
    }

    /// The steps, and the time limit that ends the connection during the last one; nil if it stays open.
    private static let table: [(steps: [Step], limit: TimeLimitKind?)] = [
        ([.wait(4)], nil),
        ([.wait(5)], .head),
        ([.partialHead, .wait(4)], nil),
        ([.wait(3), .partialHead, .wait(2)], .head),
        ([.wait(4), .partialHead, .wait(1)], .head),
        // After a complete request there is no time limit for the response.
        ([.wait(4), .request, .wait(1_000)], nil),
        ([.request, .response, .wait(59)], nil),
        ([.request, .response, .wait(60)], .idle),
        ([.headWithBody, .wait(9)], nil),
        ([.headWithBody, .wait(10)], .request),
        ([.wait(3), .headWithBody, .wait(7)], .request),
        ([.headWithBody, .wait(9), .bodyEnd, .wait(1_000)], nil),
        // The next request has a separate time limit.
        ([.request, .response, .wait(50), .partialHead, .wait(4)], nil),
        ([.request, .response, .wait(50), .partialHead, .wait(5)], .head),
        ([.request, .response, .wait(50), .headWithBody, .wait(9)], nil),
        ([.headWithBody, .wait(6), .bodyEnd, .response, .partialHead, .wait(4)], nil),
        ([.headWithBody, .wait(6), .bodyEnd, .response, .partialHead, .wait(5)], .head),
        // The time limit of a second request begins when the first response was sent.
        ([.request, .partialHead, .wait(50)], nil),
        ([.request, .partialHead, .wait(50), .response, .wait(4)], nil),
        ([.request, .partialHead, .wait(50), .response, .wait(5)], .head),
    ]

    @Test(.requirement("HS31"), arguments: table.indices)
    func headHas5SecondsRequest10SecondsAndIdleConnection60Seconds(row: Int) {
        let limits = RequestClock.Limits(TimeLimits())
        var now: UInt64 = 1_000_000
        var clock = RequestClock(openedAt: now, limits)
        for step in Self.table[row].steps {
            switch step {
            case .partialHead: clock.headBegan(at: now, limits)
            case .request: clock.headEnded(at: now, hasBody: false, limits)
            case .headWithBody: clock.headEnded(at: now, hasBody: true, limits)
            case .bodyEnd: clock.requestEnded()
            case .wait(let seconds): now += seconds * 1_000
            case .response: clock.responseEnded(at: now, limits)
            }
        }

        #expect(clock.deadline.flatMap { $0.time <= now ? $0.kind : nil } == Self.table[row].limit)
    }

    @Test func timeLimitsOfAnySizeAreConvertedToMilliseconds() {
        var limits = TimeLimits()
        for (duration, milliseconds) in [
            (Duration.seconds(5), 5_000), (.milliseconds(1), 1), (.zero, 1), (.seconds(-1), 1), (.nanoseconds(1), 1),
            (.seconds(Int64.max), 1_000_000_000_000),
        ] as [(Duration, UInt64)] {
            limits.idle = duration
            #expect(limits.milliseconds(\.idle) == milliseconds)
        }
    }
}
