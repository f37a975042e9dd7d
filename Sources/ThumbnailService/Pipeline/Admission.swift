import PlatformImage
import Synchronization

/// Admission control of the render queue (Docs/service-rules.md 1.3): limits the number of queued renders and their
/// expected wait. Requests over these limits are rejected immediately with a `Retry-After` estimate.
///
/// The decode budget limits the memory of the running renders. This type limits the number and the expected wait of the
/// waiting renders, and the memory of their sources.
final class Admission: Sendable {
    /// Estimated cost of a render, as far as the header of its source determines it.
    struct Work: Hashable, Sendable {
        var format: ImageFormat
        /// Pixels of work: those of the source, plus four times those of the result, which are also filtered and
        /// encoded.
        var pixels: Int
        /// Size of the source in bytes, which stay in memory while the render waits.
        var sourceBytes: Int

        /// Pixels for the time estimate, at least ``Admission/minPixels``: small images have a fixed cost.
        fileprivate var countedPixels: Double { Double(max(Admission.minPixels, pixels)) }
    }

    /// Identifies an admitted fetch or render until it is released.
    struct Ticket: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Job {
        let work: Work
        let seconds: Double
        /// Start of the render; nil while it waits.
        var begin: ContinuousClock.Instant?
    }

    private struct State {
        var jobs: [UInt64: Job] = [:]
        /// Start times of the fetches whose renders are not queued yet.
        var fetches: [UInt64: ContinuousClock.Instant] = [:]
        /// Durations of fetches and renders in seconds.
        var fetchTime = RobustMean(initial: 0.1)
        var renderTime = RobustMean(initial: 0.01)
        var last: UInt64 = 0
        /// Seconds per pixel of each format.
        var speeds: [ImageFormat: RobustMean] = [:]
    }

    /// Minimum number of pixels that a render counts as, for measurement and estimate.
    private static let minPixels = 1_000_000
    /// Assumed seconds per pixel of a format without measurements.
    private static let defaultSpeed = 10e-9

    private let threads: Int
    private let maxWaiting: Int
    private let maxWait: Duration
    private let maxWaitingBytes: Int
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// Creates an admission control.
    ///
    /// - Parameters:
    ///   - threads: Number of concurrent renders.
    ///   - maxWaiting: Maximum number of waiting renders.
    ///   - maxWait: Maximum expected wait.
    ///   - maxWaitingBytes: Maximum total bytes of the sources of all waiting renders.
    init(
        threads: Int, maxWaiting: Int, maxWait: Duration, maxWaitingBytes: Int,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.threads = threads
        self.maxWaiting = maxWaiting
        self.maxWait = maxWait
        self.maxWaitingBytes = maxWaitingBytes
        self.clock = clock
    }

    /// Number of admitted renders that have not begun.
    var waitingCount: Int { state.locked(in: self) { $0.jobs.values.count { $0.begin == nil } } }

    /// Expected wait of a render that arrives now.
    var expectedWait: Duration {
        let now = clock()
        return .seconds(state.locked(in: self) { expectedSeconds($0, now) })
    }

    /// Checks that a new render would be admitted, before its source is fetched.
    ///
    /// - Throws: `overloaded`.
    func check() throws(ServiceError) {
        let now = clock()
        try state.locked(in: self) { state throws(ServiceError) in try throwIfFull(state, now, within: maxWait) }
    }

    /// Reserves a fetch slot; it counts against the render queue until ``releaseFetch(_:isDone:)``. Without such slots,
    /// any number of fetches could run, and most of their renders would be rejected after the fetch.
    ///
    /// - Throws: `overloaded`.
    func reserveFetch() throws(ServiceError) -> Ticket {
        let now = clock()
        return try state.locked(in: self) { state throws(ServiceError) in
            try throwIfFull(state, now, within: maxWait)
            guard state.fetches.count < Self.fetchesPerRenderSlot * threads.addingClamped(maxWaiting) else {
                throw overloadError(1, "too many sources are being fetched (limits.queue and decode.threads)")
            }
            state.last += 1
            state.fetches[state.last] = now
            return Ticket(number: state.last)
        }
    }

    /// Releases a fetch slot.
    ///
    /// - Parameter isDone: True when the source was fetched; its duration is then added to the fetch times.
    func releaseFetch(_ ticket: Ticket, isDone: Bool) {
        let now = clock()
        state.locked(in: self) { state in
            guard let begin = state.fetches.removeValue(forKey: ticket.number), isDone else { return }
            state.fetchTime.add((now - begin) / .seconds(1))
        }
    }

    /// Maximum number of concurrent fetches, divided by the maximum number of running and waiting renders. It is above
    /// 1 because most slow fetches never lead to a render.
    private static let fetchesPerRenderSlot = 4

    /// Admits a render, which counts as waiting or running until ``releaseRender(_:isDone:)``.
    ///
    /// - Parameter remaining: Time until the deadline of the request.
    /// - Throws: `overloaded`.
    func admitRender(_ work: Work, remaining: Duration) throws(ServiceError) -> Ticket {
        let now = clock()
        return try state.locked(in: self) { state throws(ServiceError) in
            try throwIfFull(state, now, within: min(maxWait, remaining))
            let waitingBytes = state.jobs.values.reduce(0) { $0 + ($1.begin == nil ? $1.work.sourceBytes : 0) }
            let hasIdleThread = state.jobs.count < threads
            guard hasIdleThread || waitingBytes.addingClamped(work.sourceBytes) <= maxWaitingBytes else {
                throw overloadError(
                    expectedSeconds(state, now),
                    "the sources of the waiting renders need more than \(maxWaitingBytes) bytes of memory")
            }
            let speed = state.speeds[work.format]?.value ?? Self.defaultSpeed
            state.last += 1
            state.jobs[state.last] = Job(work: work, seconds: speed * work.countedPixels)
            return Ticket(number: state.last)
        }
    }

    /// Marks a render as running: it has its thread and its memory.
    func markRunning(_ ticket: Ticket) {
        let now = clock()
        state.locked(in: self) { $0.jobs[ticket.number]?.begin = now }
    }

    /// Releases the slot of a render.
    ///
    /// - Parameter isDone: True adds its duration to the render times; false for a render that was rejected or
    ///   cancelled.
    func releaseRender(_ ticket: Ticket, isDone: Bool) {
        let now = clock()
        state.locked(in: self) { state in
            guard let job = state.jobs.removeValue(forKey: ticket.number), isDone, let begin = job.begin else { return }
            let seconds = (now - begin) / .seconds(1)
            state.speeds[job.work.format, default: RobustMean(initial: Self.defaultSpeed)].add(
                seconds / job.work.countedPixels)
            state.renderTime.add(seconds)
        }
    }

    private func throwIfFull(
        _ state: State, _ now: ContinuousClock.Instant, within limit: Duration
    ) throws(ServiceError) {
        let seconds = expectedSeconds(state, now)
        guard state.jobs.count + expectedFetchCount(state, now) < threads.addingClamped(maxWaiting) else {
            throw overloadError(seconds, "too many renders are waiting (limits.queue)")
        }
        guard .seconds(seconds) <= limit else {
            throw overloadError(seconds, "the expected waiting time exceeds limits.queueWait or the deadline")
        }
    }

    /// Expected wait in seconds: remaining work of all earlier renders divided by the number of threads; 0 while a
    /// thread is free.
    private func expectedSeconds(_ state: State, _ now: ContinuousClock.Instant) -> Double {
        let expected = expectedFetchCount(state, now)
        guard state.jobs.count + expected >= threads else { return 0 }
        let total = state.jobs.values.reduce(Double(expected) * state.renderTime.value) { sum, job in
            let done = job.begin.map { max(.zero, now - $0) / .seconds(1) } ?? 0
            return sum + max(0, job.seconds - done)
        }
        return total / Double(max(1, threads))
    }

    /// Number of fetches that are expected to end soon. Fetches that have taken more than four times the mean fetch
    /// time are ignored, so that a slow origin does not block images of other origins.
    private func expectedFetchCount(_ state: State, _ now: ContinuousClock.Instant) -> Int {
        let longest = Duration.seconds(4 * state.fetchTime.value)
        return state.fetches.values.count { now - $0 <= longest }
    }

    private func overloadError(_ seconds: Double, _ message: String) -> ServiceError {
        ServiceError(.overloaded, retryAfter: min(60, max(1, Int(seconds.rounded(.up)))), message)
    }
}

/// Robust moving average: the mean of the last 32 samples, each clamped to 20 times their median. A few outliers change
/// it little; a permanent change is no longer clamped after 16 samples.
struct RobustMean: Sendable {
    static let sampleCount = 32
    static let outlierFactor = 20.0

    /// The current mean; the initial value before the first sample.
    private(set) var value: Double
    private var samples: [Double]
    private var next = 0

    /// Creates an average.
    ///
    /// - Parameter initial: Initial value of all samples.
    init(initial: Double) {
        value = initial
        samples = [Double](repeating: initial, count: Self.sampleCount)
    }

    /// Replaces the oldest sample; negative samples count as 0.
    mutating func add(_ sample: Double) {
        samples[next] = max(0, sample)
        next = (next + 1) % Self.sampleCount
        let sorted = samples.sorted()
        let limit = Self.outlierFactor * (sorted[Self.sampleCount / 2 - 1] + sorted[Self.sampleCount / 2]) / 2
        value = samples.reduce(0) { $0 + min($1, limit) } / Double(Self.sampleCount)
    }
}
