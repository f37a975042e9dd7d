internal import PlatformImage

/// Reports the events of one load to its caller, in order, and sums up its timings.
struct Delivery {
    private let load: Load
    private let channel: LoadChannel<LoadEvent>?
    private var hasDeliveredCached = false
    /// True once a request was sent to the origin.
    private(set) var hasSentRequest = false
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
    var deliversProvisional: Bool { wantsProgress && !hasSentRequest }

    /// Reports a stored image, at most once and only before a request is sent.
    mutating func deliverCached(_ result: LoadResult) {
        guard !hasDeliveredCached, !hasSentRequest, let image = result.image else { return }
        hasDeliveredCached = true
        channel?.send(.cached(image))
    }

    /// Forwards the events of a fetch until it ends.
    ///
    /// - Throws: `cancelled` when the load is cancelled before the fetch ends.
    mutating func result(of waiter: Fetches.Waiter) async throws(LoadError) -> FetchResult {
        let begin = ContinuousClock.now
        load.priority.attach(waiter)
        while true {
            switch await waiter.next() {
            case .sending:
                guard !hasSentRequest else { continue }
                hasSentRequest = true
                channel?.send(.sendingRequest(didHaveCachedImage: hasDeliveredCached))
            case .progress(let received, let expected):
                channel?.send(.progress(received: received, expected: expected), isProgress: true)
            case .retrying(let attempt, let delay, let reason):
                channel?.send(.retrying(attempt: attempt, delay: delay, reason: reason))
            case .ended(let fetch):
                load.meter.add(fetch.cost)
                timings.network += .now - begin
                return fetch.result
            case .left:
                throw LoadError.cancelled(url: Redaction.masked(load.url))
            }
        }
    }

    /// The result with all timings of the load.
    mutating func withTimings(_ result: LoadResult) -> LoadResult {
        timings.add(load.meter.cost)
        var result = result
        result.timings = timings
        return result
    }
}
