#if Loader
internal import PlatformImage

/// The requests of one fetch: each waits for a place in the lanes, and one that failed is repeated as the retry policy
/// says, from where its body broke off if the origin agrees.
struct Download {
    private let hop: LoadHop
    private let exchange: Exchange
    private let lanes: RequestLanes
    private let pass: LanePass
    private let retry: RetryPolicy
    private let maxRetryDelay: Duration
    private let reporter: LoadReporter
    private var attempts = 0
    // In a box: what has no size has no address, and ThreadSanitizer looks at it all the same (Swift 6.3.1).
    private var random: any RandomNumberGenerator = SystemRandomNumberGenerator()

    /// Enters the lane of the hop's priority, which the fetch follows from now on.
    init(
        _ hop: LoadHop, by exchange: Exchange, in lanes: RequestLanes, retry: RetryPolicy, maxRetryDelay: Duration,
        reporter: LoadReporter, _ tell: Fetches.Teller
    ) {
        self.hop = hop
        self.exchange = exchange
        self.lanes = lanes
        self.retry = retry
        self.maxRetryDelay = maxRetryDelay
        self.reporter = reporter
        let lane = hop.load.priority.priority
        pass = lanes.pass(lane)
        tell.follow(pass, in: lanes, at: lane)
    }

    /// Sends the request of a plan until it need not or may not be repeated, and returns what the last one came to.
    ///
    /// - Throws: `cancelled`.
    mutating func receive(_ plan: RequestPlan, _ tell: Fetches.Teller) async throws(LoadError) -> ReceivedResponse {
        var partial: PartialBody?
        while true {
            attempts += 1
            let received = try await attempt(plan, resuming: partial, tell)
            guard let error = received.error,
                let delay = retry.delay(
                    afterAttempts: attempts, failedWith: error, maxRetryDelay: maxRetryDelay, using: &random)
            else { return received }
            // What failed without a body of its own leaves the beginning as good as it was.
            if received.isMisfit || received.head?.status == 200 {
                partial = plan.isPassThrough ? nil : received.partial
            }
            reporter.noteRetrying(attempts + 1, after: delay, error, hop)
            tell(.retrying(attempt: attempts + 1, delay: delay, reason: error))
            guard (try? await Task.sleep(for: delay)) != nil else { throw .cancelled(url: Redaction.shown(hop.url)) }
        }
    }

    /// One request with its place in the lanes; two when the rest of a body cannot be had and the whole is asked for.
    private func attempt(
        _ plan: RequestPlan, resuming partial: PartialBody?, _ tell: Fetches.Teller
    ) async throws(LoadError) -> ReceivedResponse {
        let arrival = ContinuousClock.now
        return try await lanes.withSlot(pass) { () throws(LoadError) in
            hop.load.meter.add(\.queue, since: arrival)
            let received = await exchange.run(hop, plan, resuming: partial, tell)
            guard received.isMisfit else { return received }
            var whole = await exchange.run(hop, plan, tell)
            whole.isMisfit = true
            return whole
        }
    }
}
#endif
