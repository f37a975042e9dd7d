#if Loader
internal import PlatformImage

/// Reports the steps of one load to its caller, in order, and adds up how long its parts took.
struct Delivery {
    private let load: Load
    private let channel: LoadChannel<LoadEvent>?
    private var hasShown = false
    /// True once the origin has been asked.
    private(set) var hasSent = false
    var timings = LoadTimings()

    init(of load: Load, to channel: LoadChannel<LoadEvent>?) {
        self.load = load
        self.channel = channel
    }

    /// True when the caller reads the steps.
    var hearsSteps: Bool { channel != nil }

    /// True while a provisional answer would be shown.
    ///
    /// Behind a redirect that the origin sent, what is stored is no longer shown first (O10): it comes with the end.
    var showsProvisional: Bool { hearsSteps && !hasSent }

    /// Reports a stored image, once a load and before anything is sent.
    mutating func show(_ answer: LoadAnswer) {
        guard !hasShown, !hasSent, let image = answer.image else { return }
        hasShown = true
        channel?.send(.cached(image))
    }

    /// Forwards the steps of a fetch until its end.
    ///
    /// - Throws: `cancelled` when the load is given up before.
    mutating func end(of waiter: Fetches.Waiter) async throws(LoadError) -> FetchEnd {
        let begin = ContinuousClock.now
        load.priority.attach(waiter)
        while true {
            switch await waiter.next() {
            case .sending:
                guard !hasSent else { continue }
                hasSent = true
                channel?.send(.sendingRequest(didHaveCachedImage: hasShown))
            case .progress(let received, let expected):
                channel?.send(.progress(received: received, expected: expected), isProgress: true)
            case .retrying(let attempt, let delay, let reason):
                channel?.send(.retrying(attempt: attempt, delay: delay, reason: reason))
            case .ended(let fetch):
                load.meter.add(fetch.cost)
                timings.network += .now - begin
                return fetch.end
            case .left:
                throw LoadError.cancelled(url: Redaction.shown(load.url))
            }
        }
    }

    /// The answer with the times of all its parts.
    mutating func finished(_ answer: LoadAnswer) -> LoadAnswer {
        timings.take(load.meter.cost)
        var answer = answer
        answer.timings = timings
        return answer
    }
}
#endif
