#if Loader
internal import PlatformImage

/// One exchange as it goes on.
struct Traffic: Sendable {
    /// As it was sent.
    let request: HTTPRequest
    let begin = ContinuousClock.now
    /// When the head had come; nil before.
    var head: ContinuousClock.Instant?
    /// Of the body, as sent.
    var bytes = 0
}

extension LoadHop {
    /// The same hop with a meter of its own, for a fetch that several loads may share.
    func metered() -> LoadHop {
        var load = load
        load.meter = LoadMeter()
        return LoadHop(key: key, url: url, request: request, load: load)
    }
}

extension LoadPipeline {
    /// Counts a load that found nothing in the caches that it was to look into.
    func noteMiss(_ hop: LoadHop, _ found: FoundEntry) {
        guard hop.load.policy != .reload, !hop.load.layers.isDisjoint(with: [.readsMemory, .readsDisk]),
            StoredCandidate(found.entry, request: hop.request, settings: settings, now: now) == nil,
            !CacheDemand(hop.request, settings: settings).isPassThrough, hop.load.meter.isFirstMiss()
        else { return }
        LoadCounters.add(1, to: shared.reporter.counters.misses)
        shared.reporter.report(.cacheMiss, url: hop.url)
    }

    /// Counts a request that goes out now.
    func noteSending(_ request: HTTPRequest, _ hop: LoadHop) -> Traffic {
        LoadCounters.add(1, to: shared.reporter.counters.requests)
        shared.reporter.report(.requestSent(attempt: hop.load.meter.countAttempt()), url: request.url)
        return Traffic(request: request)
    }

    /// Counts what came of a request.
    func noteReceived(_ received: Received, _ hop: LoadHop) {
        guard let traffic = received.traffic else { return }
        let end = ContinuousClock.now
        var cost = LoadCost()
        cost.firstByte = traffic.begin.duration(to: traffic.head ?? end)
        cost.transfer = traffic.head.map { $0.duration(to: end) } ?? .zero
        cost.bytes = traffic.bytes
        hop.load.meter.add(cost)
        let reporter = shared.reporter
        LoadCounters.add(traffic.bytes, to: reporter.counters.bytesReceived)
        guard let head = received.head else { return }
        let duration = traffic.begin.duration(to: end)
        reporter.report(
            .responseReceived(status: head.status, bytes: traffic.bytes, duration: duration), url: traffic.request.url)
        guard settings.useServerCachePolicy, reporter.wants(.cache), received.error == nil,
            Storability.isSuccess(head.status), let warning = CachePolicyWarning(head.fields),
            reporter.isFirstWarning(of: hop.url)
        else { return }
        reporter.report(.cachePolicyWarning(warning), url: hop.url)
    }

    /// Tells of an attempt that is about to be repeated.
    func noteRetrying(_ attempt: Int, after delay: Duration, _ error: LoadError, _ hop: LoadHop) {
        LoadCounters.add(1, to: shared.reporter.counters.retries)
        shared.reporter.report(.retrying(attempt: attempt, delay: delay, code: error.code), url: hop.url)
    }

    /// Tells of a failure, but for a load that was cancelled.
    func noteFailure(_ error: LoadError, at url: String) {
        guard error.code != .cancelled else { return }
        let kind = LoaderEvent.Kind.failed(
            code: error.code, status: error.statusCode, isFatal: error.isFatal, message: error.message)
        shared.reporter.report(kind, url: url)
    }

    /// Counts a load that ended well.
    func noteEnd(_ load: Load, _ answer: LoadAnswer, since begin: ContinuousClock.Instant) {
        let reporter = shared.reporter
        reporter.counters.countAnswer(from: answer.source)
        guard reporter.wantsRecords else { return }
        let cost = load.meter.cost
        reporter.report(
            LoadRecord(
                content: load.content, url: load.url, source: answer.source, isFresh: answer.isFresh, outcome: nil,
                status: answer.status, attempts: cost.attempts, bytes: cost.bytes, timings: answer.timings,
                duration: begin.duration(to: .now)))
    }

    /// Counts a load that failed or was cancelled.
    func noteEnd(_ load: Load, _ error: LoadError, _ timings: LoadTimings, since begin: ContinuousClock.Instant) {
        let reporter = shared.reporter
        let counters = reporter.counters
        if error.code == .cancelled {
            LoadCounters.add(1, to: counters.cancellations)
        } else {
            LoadCounters.add(1, to: counters.failures)
        }
        noteFailure(error, at: load.url)
        guard reporter.wantsRecords else { return }
        let cost = load.meter.cost
        var timings = timings
        timings.take(cost)
        reporter.report(
            LoadRecord(
                content: load.content, url: load.url, source: .none, isFresh: false, outcome: error.code,
                status: error.statusCode, attempts: cost.attempts, bytes: cost.bytes, timings: timings,
                duration: begin.duration(to: .now)))
    }

    /// Counts a load that one look in memory has answered.
    func noteMemoryHit(_ url: String, status: Int) {
        let reporter = shared.reporter
        LoadCounters.add(1, to: reporter.counters.memoryHits)
        guard reporter.wantsRecords else { return }
        reporter.report(
            LoadRecord(
                content: .image, url: url, source: .memory, isFresh: true, outcome: nil, status: status, attempts: 0,
                bytes: 0, timings: LoadTimings(), duration: .zero))
    }

    /// Runs work that waits for the disk, on the account of a load.
    func onDisk<Value: Sendable>(for hop: LoadHop, _ work: @escaping @Sendable () -> Value) async -> Value {
        let begin = ContinuousClock.now
        defer { hop.load.meter.add(\.disk, since: begin) }
        return await onDisk(work)
    }
}

extension Load {
    /// What is asked for.
    var content: LoadRecord.Content { decoding == nil && headerDecoder == nil ? .data : .image }
}
#endif
