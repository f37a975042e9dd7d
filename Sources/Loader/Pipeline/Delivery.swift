#if Loader
internal import PlatformImage

/// Reports the events of one load to its caller, in order, and sums up its timings.
struct Delivery {
    private let load: Load
    private let channel: LoadChannel<LoadEvent>?
    private var hasShown = false
    /// True once a request was sent to the origin.
    private(set) var hasSent = false
    var timings = LoadTimings()

    init(of load: Load, to channel: LoadChannel<LoadEvent>?) {
        self.load = load
        self.channel = channel
    }

    /// True when the caller receives events.
    var wantsProgress: Bool { channel != nil }

    /// True while a provisional image may be reported.
    ///
    /// After a redirect over the network a request was already sent, so a stored image is delivered only at the end
    /// (O10).
    var showsProvisional: Bool { wantsProgress && !hasSent }

    /// Reports a stored image, at most once and only before a request is sent.
    mutating func show(_ answer: LoadAnswer) {
        guard !hasShown, !hasSent, let image = answer.image else { return }
        hasShown = true
        channel?.send(.cached(image))
    }

    /// Forwards the events of a fetch until it ends.
    ///
    /// - Throws: `cancelled` when the load is cancelled earlier.
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

    /// The result with all timings of the load.
    mutating func finished(_ answer: LoadAnswer) -> LoadAnswer {
        timings.add(load.meter.cost)
        var answer = answer
        answer.timings = timings
        return answer
    }
}
#endif
