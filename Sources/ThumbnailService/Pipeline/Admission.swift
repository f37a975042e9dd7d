#if Service
import PlatformImage
import Synchronization

/// Who may wait for a render thread (SERVICE.md 1.3): as many as the queue has places for, and as long as the wait is one
/// that a client still has use for. Everybody else is told at once to come back later, and about when.
///
/// Bytes are the budget's affair; this looks at time and numbers.
final class Admission: Sendable {
    /// What a render takes, as far as its header tells.
    struct Work: Hashable, Sendable {
        var format: ImageFormat
        /// Pixels that are read and made: those of the source, and four for each of the result, which is filtered and
        /// encoded.
        var pixels: Int
        /// Bytes of the source, which are held while the render waits.
        var sourceBytes: Int

        /// Pixels by which its time is estimated: a small picture has costs that its pixels do not explain.
        fileprivate var countedPixels: Double { Double(max(Admission.minPixels, pixels)) }
    }

    /// A render that was let in.
    struct Place: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Job {
        let work: Work
        let seconds: Double
        /// Nil while it waits.
        var begin: ContinuousClock.Instant?
    }

    private struct State {
        var jobs: [UInt64: Job] = [:]
        /// Since when sources are fetched whose renders come here next.
        var fetches: [UInt64: ContinuousClock.Instant] = [:]
        /// Seconds.
        var fetchTime = RobustMean(usual: 0.1)
        var renderTime = RobustMean(usual: 0.01)
        var last: UInt64 = 0
        /// Seconds a pixel.
        var speeds: [ImageFormat: RobustMean] = [:]
    }

    /// Renders of fewer pixels count as this many, when they are measured and when they are estimated.
    private static let minPixels = 1_000_000
    /// Seconds a pixel of a format that was not rendered yet.
    private static let usualSpeed = 10e-9

    private let threads: Int
    private let maxWaiting: Int
    private let maxWait: Duration
    private let maxWaitingBytes: Int
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// - Parameters:
    ///   - threads: Renders at once.
    ///   - maxWaiting: Renders that may wait.
    ///   - maxWait: For how long at most, as far as can be known beforehand.
    ///   - maxWaitingBytes: Bytes that the sources of all who wait may hold.
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

    /// Renders that were let in and have not begun.
    var waitingCount: Int { state.locked(in: self) { $0.jobs.values.count { $0.begin == nil } } }

    /// How long a render would wait that came now.
    var expectedWait: Duration {
        let now = clock()
        return .seconds(state.locked(in: self) { expectedSeconds($0, now) })
    }

    /// Whether there is any use in fetching a source now.
    ///
    /// - Throws: `overloaded`.
    func check() throws(ServiceError) {
        let now = clock()
        try state.locked(in: self) { state throws(ServiceError) in try refuseIfFull(state, now, within: maxWait) }
    }

    /// Lets a source be fetched, until ``arrive(_:isDone:)``: whoever fetches will want a thread next. Not to count them
    /// would let any number pile up before the queue, to be refused when most of their work is done.
    ///
    /// - Throws: `overloaded`.
    func approach() throws(ServiceError) -> Place {
        let now = clock()
        return try state.locked(in: self) { state throws(ServiceError) in
            try refuseIfFull(state, now, within: maxWait)
            guard state.fetches.count < Self.fetchesPerPlace * threads.addingClamped(maxWaiting) else {
                throw refusal(1, "too many sources are being fetched")
            }
            state.last += 1
            state.fetches[state.last] = now
            return Place(number: state.last)
        }
    }

    /// Notes that a source is there, or never will be.
    ///
    /// - Parameter isDone: True teaches how long a fetch takes.
    func arrive(_ place: Place, isDone: Bool) {
        let now = clock()
        state.locked(in: self) { state in
            guard let begin = state.fetches.removeValue(forKey: place.number), isDone else { return }
            state.fetchTime.count((now - begin) / .seconds(1))
        }
    }

    /// Fetches at once for each render that may wait: most that take long never become one.
    private static let fetchesPerPlace = 4

    /// Lets a render in, until ``leave(_:took:)``.
    ///
    /// - Parameter remaining: Until the deadline of the request.
    /// - Throws: `overloaded`.
    func enter(_ work: Work, remaining: Duration) throws(ServiceError) -> Place {
        let now = clock()
        return try state.locked(in: self) { state throws(ServiceError) in
            try refuseIfFull(state, now, within: min(maxWait, remaining))
            let waitingBytes = state.jobs.values.reduce(0) { $0 + ($1.begin == nil ? $1.work.sourceBytes : 0) }
            let isAlone = state.jobs.count < threads
            guard isAlone || waitingBytes.addingClamped(work.sourceBytes) <= maxWaitingBytes else {
                throw refusal(expectedSeconds(state, now), "the sources of the renders that wait are too large")
            }
            let speed = state.speeds[work.format]?.value ?? Self.usualSpeed
            state.last += 1
            state.jobs[state.last] = Job(work: work, seconds: speed * work.countedPixels)
            return Place(number: state.last)
        }
    }

    /// Notes that a render has a thread and its bytes.
    func begin(_ place: Place) {
        let now = clock()
        state.locked(in: self) { $0.jobs[place.number]?.begin = now }
    }

    /// Gives the place to another one.
    ///
    /// - Parameter isDone: True teaches how long such a render takes; false for one that was refused or cancelled.
    func leave(_ place: Place, isDone: Bool) {
        let now = clock()
        state.locked(in: self) { state in
            guard let job = state.jobs.removeValue(forKey: place.number), isDone, let begin = job.begin else { return }
            let seconds = (now - begin) / .seconds(1)
            state.speeds[job.work.format, default: RobustMean(usual: Self.usualSpeed)].count(
                seconds / job.work.countedPixels)
            state.renderTime.count(seconds)
        }
    }

    private func refuseIfFull(
        _ state: State, _ now: ContinuousClock.Instant, within limit: Duration
    ) throws(ServiceError) {
        let seconds = expectedSeconds(state, now)
        guard state.jobs.count + comingCount(state, now) < threads.addingClamped(maxWaiting) else {
            throw refusal(seconds, "too many renders wait")
        }
        guard .seconds(seconds) <= limit else { throw refusal(seconds, "the wait would be too long") }
    }

    /// The work of all who are before a newcomer, shared among the threads; 0 while one is free.
    private func expectedSeconds(_ state: State, _ now: ContinuousClock.Instant) -> Double {
        let coming = comingCount(state, now)
        guard state.jobs.count + coming >= threads else { return 0 }
        let total = state.jobs.values.reduce(Double(coming) * state.renderTime.value) { sum, job in
            let done = job.begin.map { max(.zero, now - $0) / .seconds(1) } ?? 0
            return sum + max(0, job.seconds - done)
        }
        return total / Double(max(1, threads))
    }

    /// Fetches that will be over soon. What takes much longer than usual is an origin's fault, and does not keep other
    /// origins' pictures away.
    private func comingCount(_ state: State, _ now: ContinuousClock.Instant) -> Int {
        let longest = Duration.seconds(4 * state.fetchTime.value)
        return state.fetches.values.count { now - $0 <= longest }
    }

    private func refusal(_ seconds: Double, _ message: String) -> ServiceError {
        ServiceError(.overloaded, retryAfter: min(60, max(1, Int(seconds.rounded(.up)))), message)
    }
}

/// The mean of the last 32 samples, each counted as at most 20 times their median: a few outliers change it little, and
/// what becomes slower for good is learned after 16 samples.
struct RobustMean: Sendable {
    static let sampleCount = 32
    static let outlierFactor = 20.0

    /// The mean; that of the usual value before there are samples.
    private(set) var value: Double
    private var samples: [Double]
    private var next = 0

    /// - Parameter usual: Stands for the samples that there are not yet.
    init(usual: Double) {
        value = usual
        samples = [Double](repeating: usual, count: Self.sampleCount)
    }

    /// Takes a sample, 0 or more, in place of the oldest.
    mutating func count(_ sample: Double) {
        samples[next] = max(0, sample)
        next = (next + 1) % Self.sampleCount
        let sorted = samples.sorted()
        let most = Self.outlierFactor * (sorted[Self.sampleCount / 2 - 1] + sorted[Self.sampleCount / 2]) / 2
        value = samples.reduce(0) { $0 + min($1, most) } / Double(Self.sampleCount)
    }
}
#endif
