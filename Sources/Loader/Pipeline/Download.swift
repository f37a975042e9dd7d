internal import PlatformImage

/// The attempts of one fetch. Each attempt waits for a slot in ``RequestLanes``. A failed attempt is repeated according
/// to the retry policy; the next attempt resumes a partial body with `If-Range` (RFC 9110 §13.1.5).
struct Download {
    private let hop: LoadHop
    private let exchange: Exchange
    private let lanes: RequestLanes
    private let permit: LanePermit
    private let retry: RetryPolicy
    private let maxRetryDelay: Duration
    private let reporter: LoadReporter
    private var attempts = 0
    // Boxed as an existential: the generator has size 0 and thus no address, but ThreadSanitizer checks its address
    // (Swift 6.3.1).
    private var random: any RandomNumberGenerator = SystemRandomNumberGenerator()

    /// Obtains the permit to wait for slots of ``RequestLanes``. The permit has the priority of the load at first. Then
    /// it follows the priority of the fetch, which is the highest priority of the loads that wait for it.
    init(
        _ hop: LoadHop, by exchange: Exchange, in lanes: RequestLanes, retry: RetryPolicy, maxRetryDelay: Duration,
        reporter: LoadReporter, _ progress: Fetches.ProgressReporter
    ) {
        self.hop = hop
        self.exchange = exchange
        self.lanes = lanes
        self.retry = retry
        self.maxRetryDelay = maxRetryDelay
        self.reporter = reporter
        let lane = hop.load.priority.priority
        permit = lanes.permit(lane)
        progress.follow(permit, in: lanes, at: lane)
    }

    /// Sends the request, with retries, and returns the response or failure of the last attempt.
    ///
    /// - Throws: `cancelled`.
    mutating func receive(_ plan: RequestPlan, _ progress: Fetches.ProgressReporter) async throws(LoadError)
        -> ReceivedResponse
    {
        var partial: PartialBody?
        while true {
            attempts += 1
            let received = try await attempt(plan, resuming: partial, progress)
            guard let error = received.error,
                let delay = retry.delay(
                    afterAttempts: attempts, failedWith: error, maxRetryDelay: maxRetryDelay, using: &random)
            else { return received }
            // The partial body remains usable unless the origin sent a new 200 response or did not continue the body.
            if received.rangeMismatch || received.head?.status == 200 {
                partial = plan.isPassThrough ? nil : received.partial
            }
            reporter.reportRetry(attempts + 1, after: delay, error, hop)
            progress.report(.retrying(attempt: attempts + 1, delay: delay, reason: error))
            guard (try? await Task.sleep(for: delay)) != nil else { throw .cancelled(url: Redaction.masked(hop.url)) }
        }
    }

    /// Runs one attempt in a slot of ``RequestLanes``. It sends a second request, without `Range`, when the first
    /// response does not continue the partial body.
    private func attempt(
        _ plan: RequestPlan, resuming partial: PartialBody?, _ progress: Fetches.ProgressReporter
    ) async throws(LoadError) -> ReceivedResponse {
        let arrival = ContinuousClock.now
        return try await lanes.withSlot(permit) { () throws(LoadError) in
            hop.load.meter.add(\.queue, since: arrival)
            let received = await exchange.run(hop, plan, resuming: partial, progress)
            guard received.rangeMismatch else { return received }
            var complete = await exchange.run(hop, plan, progress)
            complete.rangeMismatch = true
            return complete
        }
    }
}
