internal import PlatformImage

extension LoadReporter {
    /// Counts and reports a load without a usable cache entry, at most once for each load.
    func reportMiss(_ hop: LoadHop) {
        guard hop.load.meter.isFirstMiss() else { return }
        LoadCounters.add(1, to: counters.misses)
        report(.cacheMiss, url: hop.url)
    }

    /// Counts and reports a request that is about to be sent.
    func reportSending(_ request: HTTPRequest, _ hop: LoadHop) -> Traffic {
        LoadCounters.add(1, to: counters.requests)
        report(.requestSent(attempt: hop.load.meter.countAttempt()), url: request.url)
        return Traffic(request: request)
    }

    /// Counts and reports the response of a request.
    ///
    /// - Parameter reportsPolicyWarnings: True also reports missing or incomplete cache directives of a success.
    func reportResponse(_ received: ReceivedResponse, _ hop: LoadHop, reportsPolicyWarnings: Bool) {
        guard let traffic = received.traffic else { return }
        let end = ContinuousClock.now
        var cost = LoadCost()
        cost.firstByte = traffic.begin.duration(to: traffic.headTime ?? end)
        cost.transfer = traffic.headTime.map { $0.duration(to: end) } ?? .zero
        cost.bytes = traffic.bytes
        hop.load.meter.add(cost)
        LoadCounters.add(traffic.bytes, to: counters.bytesReceived)
        guard let head = received.head else { return }
        let duration = traffic.begin.duration(to: end)
        report(
            .responseReceived(status: head.status, bytes: traffic.bytes, duration: duration), url: traffic.request.url)
        if let coding = received.ignoredCoding {
            report(.contentCodingIgnored(coding: LoadError.printable(coding)), url: traffic.request.url)
        }
        guard reportsPolicyWarnings, wants(.cache), received.error == nil,
            Storability.isSuccess(head.status), let warning = CachePolicyWarning(head.fields),
            isFirstWarning(of: hop.url)
        else { return }
        report(.cachePolicyWarning(warning), url: hop.url)
    }

    /// Counts and reports a retry.
    ///
    /// - Parameters:
    ///   - attempt: Number of the attempt that starts after `delay`.
    ///   - error: The error of the previous attempt.
    func reportRetry(_ attempt: Int, after delay: Duration, _ error: LoadError, _ hop: LoadHop) {
        LoadCounters.add(1, to: counters.retries)
        report(.retrying(attempt: attempt, delay: delay, code: error.code), url: hop.url)
    }

    /// Reports a failure, except cancellation.
    func reportFailure(_ error: LoadError, at url: String) {
        guard error.code != .cancelled else { return }
        let kind = LoaderEvent.Kind.failed(
            code: error.code, status: error.statusCode, isFatal: error.isFatal, message: error.message)
        report(kind, url: url)
    }

    /// Counts and reports a successful load.
    func reportEnd(_ load: Load, _ result: LoadResult, since begin: ContinuousClock.Instant) {
        counters.countResult(from: result.source)
        guard wantsRecords else { return }
        let cost = load.meter.cost
        report(
            LoadRecord(
                content: load.content, url: load.url, source: result.source, isFresh: result.isFresh, outcome: nil,
                status: result.status, attempts: cost.attempts, bytes: cost.bytes, timings: result.timings,
                duration: begin.duration(to: .now)))
    }

    /// Counts and reports a load that failed or was cancelled.
    func reportEnd(_ load: Load, _ error: LoadError, _ timings: LoadTimings, since begin: ContinuousClock.Instant) {
        if error.code == .cancelled {
            LoadCounters.add(1, to: counters.cancellations)
        } else {
            LoadCounters.add(1, to: counters.failures)
        }
        reportFailure(error, at: load.url)
        guard wantsRecords else { return }
        let cost = load.meter.cost
        var timings = timings
        timings.add(cost)
        report(
            LoadRecord(
                content: load.content, url: load.url, source: .none, isFresh: false, outcome: error.code,
                status: error.statusCode, attempts: cost.attempts, bytes: cost.bytes, timings: timings,
                duration: begin.duration(to: .now)))
    }

    /// Counts and reports a load that the memory cache completed without the pipeline.
    func reportMemoryHit(_ url: String, status: Int) {
        LoadCounters.add(1, to: counters.memoryHits)
        guard wantsRecords else { return }
        report(
            LoadRecord(
                content: .image, url: url, source: .memory, isFresh: true, outcome: nil, status: status, attempts: 0,
                bytes: 0, timings: LoadTimings(), duration: .zero))
    }
}
