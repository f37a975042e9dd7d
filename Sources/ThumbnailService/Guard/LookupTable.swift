#if Service
/// Look-ups of host names: those that run, those that wait for a thread, and what recent ones found.
///
/// Names are compared as they are written; equal names share one look-up.
struct LookupTable {
    /// Look-ups at once.
    let width: Int
    /// Look-ups of one registrable domain at once.
    static let maxPerDomain = 2
    /// Requests that may wait for a thread: with those whose look-ups run, fewer than the fetches at once (64), so that
    /// names alone never occupy all fetches.
    static let maxWaiting = 48
    /// Requests for names of one registrable domain that may wait for a thread.
    static let maxWaitingPerDomain = 16
    /// How long a failed or slow name fails at once.
    static let failureLifetime = Duration.seconds(5)
    /// How long addresses answer for a name that cannot be looked up in time (RFC 8767).
    static let staleLifetime = Duration.seconds(600)

    /// What a request for a name is to do.
    enum Admission {
        /// Start the look-up on a thread.
        case start
        /// The look-up of that name runs already.
        case running
        /// Wait for a thread.
        case waiting
        case ended(LookupWaiter.Outcome)
    }

    private struct Lookup {
        let domain: Substring
        var isRunning = false
        var waiters: [ObjectIdentifier: LookupWaiter] = [:]
    }

    private struct Failure {
        let error: ServiceError
        let until: ContinuousClock.Instant
    }

    private struct Answer {
        let addresses: [IPAddress]
        let until: ContinuousClock.Instant
    }

    private var lookups: [String: Lookup] = [:]
    /// Names that wait for a thread, oldest first.
    private var queue: [String] = []
    private var runningCount = 0
    private var runningPerDomain: [Substring: Int] = [:]
    private var failures = RecentTable<String, Failure>(capacity: 4_096)
    private var answers = RecentTable<String, Answer>(capacity: 4_096)

    init(width: Int) { self.width = width }

    /// Lets a request share, start or wait for the look-up of a name, or ends it at once.
    mutating func join(_ name: String, _ waiter: LookupWaiter, now: ContinuousClock.Instant) -> Admission {
        let stale = staleAnswer(name, now)
        if let failure = failures[name], now < failure.until {
            if failure.error.reason == .originTimeout, let stale { return .ended(.success(stale)) }
            let seconds = Int(((failure.until - now) / .seconds(1)).rounded(.up))
            let error = failure.error
            return .ended(.failure(ServiceError(error.reason, retryAfter: max(1, seconds), error.message)))
        }
        if lookups[name]?.isRunning == true {
            lookups[name]?.waiters[ObjectIdentifier(waiter)] = waiter
            return .running
        }
        let domain = SystemResolver.registrableDomain(of: name)
        if lookups[name] == nil, mayStart(domain) {
            lookups[name] = Lookup(domain: domain, waiters: [ObjectIdentifier(waiter): waiter])
            start(name, domain)
            return .start
        }
        if let stale { return .ended(.success(stale)) }
        let waiting = queue.compactMap { lookups[$0] }
        guard waiting.reduce(0, { $0 + $1.waiters.count }) < Self.maxWaiting,
            waiting.reduce(0, { $0 + ($1.domain == domain ? $1.waiters.count : 0) }) < Self.maxWaitingPerDomain
        else { return .ended(.failure(SystemResolver.unstarted)) }
        if lookups[name] == nil {
            lookups[name] = Lookup(domain: domain)
            queue.append(name)
        }
        lookups[name]?.waiters[ObjectIdentifier(waiter)] = waiter
        return .waiting
    }

    /// Removes a request; a look-up that has not started and that no request waits for is not started.
    mutating func leave(_ name: String, _ waiter: LookupWaiter) {
        lookups[name]?.waiters[ObjectIdentifier(waiter)] = nil
        guard let lookup = lookups[name], !lookup.isRunning, lookup.waiters.isEmpty else { return }
        lookups[name] = nil
        queue.removeAll { $0 == name }
    }

    /// Remembers a name whose look-up is slow.
    ///
    /// - Returns: Addresses from before that answer instead; nil without any.
    mutating func noteSlow(_ name: String, now: ContinuousClock.Instant) -> [IPAddress]? {
        if lookups[name]?.isRunning == true {
            failures[name] = Failure(error: SystemResolver.late, until: now + Self.failureLifetime)
        }
        return staleAnswer(name, now)
    }

    /// Removes a look-up whose thread has ended, and remembers its result.
    ///
    /// - Returns: The requests that wait for it.
    mutating func finish(
        _ name: String, _ outcome: LookupWaiter.Outcome, now: ContinuousClock.Instant
    ) -> [LookupWaiter] {
        guard let lookup = lookups.removeValue(forKey: name) else { return [] }
        runningCount -= 1
        let others = runningPerDomain[lookup.domain, default: 1] - 1
        runningPerDomain[lookup.domain] = others > 0 ? others : nil
        switch outcome {
        case .success(let addresses):
            answers[name] = Answer(addresses: addresses, until: now + Self.staleLifetime)
            failures[name] = nil
        case .failure(let error):
            answers[name] = nil
            failures[name] = Failure(error: error, until: now + Self.failureLifetime)
        }
        return Array(lookup.waiters.values)
    }

    /// Starts the oldest look-ups for which there is a thread and room in their domain.
    mutating func startNext() -> [(name: String, waiters: [LookupWaiter])] {
        var started: [(name: String, waiters: [LookupWaiter])] = []
        while let index = queue.firstIndex(where: { name in lookups[name].map { mayStart($0.domain) } ?? false }) {
            let name = queue.remove(at: index)
            guard let lookup = lookups[name] else { continue }
            start(name, lookup.domain)
            started.append((name, Array(lookup.waiters.values)))
        }
        return started
    }

    private func mayStart(_ domain: Substring) -> Bool {
        runningCount < width && runningPerDomain[domain, default: 0] < Self.maxPerDomain
    }

    private mutating func start(_ name: String, _ domain: Substring) {
        lookups[name]?.isRunning = true
        runningCount += 1
        runningPerDomain[domain, default: 0] += 1
    }

    private func staleAnswer(_ name: String, _ now: ContinuousClock.Instant) -> [IPAddress]? {
        answers[name].flatMap { now < $0.until ? $0.addresses : nil }
    }
}

extension SystemResolver {
    /// The part of a host name below which one owner may create names freely, without a public suffix list.
    ///
    /// The last two labels, or the last three where the last label is a country code (two letters) and the label before
    /// it is one of the usual second-level registries (`example.co.uk`). Shared hosting domains such as `github.io`
    /// count as one domain: their names share one limit, which costs a wait and never lets one owner have more.
    ///
    /// - Parameter name: In lower case, as ``SourceHost`` has it.
    static func registrableDomain(of name: String) -> Substring {
        let labels = name.split(separator: ".")
        guard labels.count > 2 else { return name[...] }
        let isBelowRegistry = labels[labels.count - 1].utf8.count == 2 && registries.contains(labels[labels.count - 2])
        return name[labels[labels.count - (isBelowRegistry ? 3 : 2)].startIndex...]
    }

    /// Second-level labels below country codes under which registries sell names.
    private static let registries: Set<Substring> = [
        "ac", "co", "com", "edu", "go", "gob", "gov", "gv", "mil", "ne", "net", "nom", "or", "org", "sch",
    ]
}
#endif
