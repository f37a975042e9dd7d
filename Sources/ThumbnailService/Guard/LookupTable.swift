/// State of DNS lookups: running ones, queued ones, and cached results.
///
/// Names are compared byte by byte; requests for the same name share one lookup.
struct LookupTable {
    /// Maximum number of concurrent lookups.
    let width: Int
    /// Maximum number of concurrent lookups per registrable domain.
    static let maxPerDomain = 2
    /// Maximum number of requests that wait for a thread. Together with the running lookups (8) this is less than the
    /// number of concurrent fetches (64), so that requests for slow names do not block all fetches.
    static let maxWaiting = 48
    /// Maximum number of waiting requests per registrable domain.
    static let maxWaitingPerDomain = 16
    /// Time after a failed or slow lookup in which new requests for the name end immediately: they fail or, after a
    /// slow lookup, get stale addresses if there are any.
    static let failureLifetime = Duration.seconds(5)
    /// Time after a successful lookup in which its addresses may be used when a later lookup is too slow or cannot
    /// start (RFC 8767).
    static let staleLifetime = Duration.seconds(600)

    /// Next action for a request.
    enum JoinResult {
        /// Start the lookup on a thread.
        case start
        /// Join the running lookup of that name.
        case running
        /// Wait for a thread.
        case waiting
        case ended(LookupWaiter.Resolution)
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

    private struct CachedAddresses {
        let addresses: [IPAddress]
        let until: ContinuousClock.Instant
    }

    private var lookups: [String: Lookup] = [:]
    /// Names that wait for a thread, oldest first.
    private var queue: [String] = []
    private var runningCount = 0
    private var runningPerDomain: [Substring: Int] = [:]
    private var failures = RecentTable<String, Failure>(capacity: 4_096)
    private var cachedAddresses = RecentTable<String, CachedAddresses>(capacity: 4_096)

    init(width: Int) { self.width = width }

    /// Adds a request. It joins the running lookup of the name, starts a lookup, waits for a thread, or ends
    /// immediately.
    mutating func join(_ name: String, _ waiter: LookupWaiter, now: ContinuousClock.Instant) -> JoinResult {
        let stale = staleAddresses(name, now)
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
        if lookups[name] == nil, canStart(domain) {
            lookups[name] = Lookup(domain: domain, waiters: [ObjectIdentifier(waiter): waiter])
            start(name, domain)
            return .start
        }
        if let stale { return .ended(.success(stale)) }
        let waiting = queue.compactMap { lookups[$0] }
        guard waiting.reduce(0, { $0 + $1.waiters.count }) < Self.maxWaiting,
            waiting.reduce(0, { $0 + ($1.domain == domain ? $1.waiters.count : 0) }) < Self.maxWaitingPerDomain
        else { return .ended(.failure(SystemResolver.tooManyLookups)) }
        if lookups[name] == nil {
            lookups[name] = Lookup(domain: domain)
            queue.append(name)
        }
        lookups[name]?.waiters[ObjectIdentifier(waiter)] = waiter
        return .waiting
    }

    /// Removes a request; a queued lookup without requests is removed too.
    mutating func leave(_ name: String, _ waiter: LookupWaiter) {
        lookups[name]?.waiters[ObjectIdentifier(waiter)] = nil
        guard let lookup = lookups[name], !lookup.isRunning, lookup.waiters.isEmpty else { return }
        lookups[name] = nil
        queue.removeAll { $0 == name }
    }

    /// Marks a running lookup as slow: during ``failureLifetime``, new requests for the name get stale addresses or
    /// fail immediately.
    ///
    /// - Returns: Stale addresses to use instead of the result of the lookup; nil if there are none.
    mutating func markSlow(_ name: String, now: ContinuousClock.Instant) -> [IPAddress]? {
        if lookups[name]?.isRunning == true {
            failures[name] = Failure(error: SystemResolver.lookupTimeout, until: now + Self.failureLifetime)
        }
        return staleAddresses(name, now)
    }

    /// Removes a finished lookup and caches its result.
    ///
    /// - Returns: The requests that wait for it.
    mutating func finish(
        _ name: String, _ resolution: LookupWaiter.Resolution, now: ContinuousClock.Instant
    ) -> [LookupWaiter] {
        guard let lookup = lookups.removeValue(forKey: name) else { return [] }
        runningCount -= 1
        let others = runningPerDomain[lookup.domain, default: 1] - 1
        runningPerDomain[lookup.domain] = others > 0 ? others : nil
        switch resolution {
        case .success(let addresses):
            cachedAddresses[name] = CachedAddresses(addresses: addresses, until: now + Self.staleLifetime)
            failures[name] = nil
        case .failure(let error):
            cachedAddresses[name] = nil
            failures[name] = Failure(error: error, until: now + Self.failureLifetime)
        }
        return Array(lookup.waiters.values)
    }

    /// Starts the oldest queued lookups, as far as threads and the limits per domain allow.
    mutating func startNext() -> [(name: String, waiters: [LookupWaiter])] {
        var started: [(name: String, waiters: [LookupWaiter])] = []
        while let index = queue.firstIndex(where: { name in lookups[name].map { canStart($0.domain) } ?? false }) {
            let name = queue.remove(at: index)
            guard let lookup = lookups[name] else { continue }
            start(name, lookup.domain)
            started.append((name, Array(lookup.waiters.values)))
        }
        return started
    }

    private func canStart(_ domain: Substring) -> Bool {
        runningCount < width && runningPerDomain[domain, default: 0] < Self.maxPerDomain
    }

    private mutating func start(_ name: String, _ domain: Substring) {
        lookups[name]?.isRunning = true
        runningCount += 1
        runningPerDomain[domain, default: 0] += 1
    }

    private func staleAddresses(_ name: String, _ now: ContinuousClock.Instant) -> [IPAddress]? {
        cachedAddresses[name].flatMap { now < $0.until ? $0.addresses : nil }
    }
}

extension SystemResolver {
    /// Returns the approximate registrable domain of a host name, without a public suffix list.
    ///
    /// It consists of the last two labels, or of the last three where the last label is a country code (two letters)
    /// and the label before it is a common second-level registry (`example.co.uk`). All names below a shared hosting
    /// domain such as `github.io` count as one domain and share its limit: this can delay their lookups, but a customer
    /// of the hosting service cannot get a higher limit by using several names.
    ///
    /// - Parameter name: In lower case, as in ``SourceHost``.
    static func registrableDomain(of name: String) -> Substring {
        let labels = name.split(separator: ".")
        guard labels.count > 2 else { return name[...] }
        let isBelowRegistry = labels[labels.count - 1].utf8.count == 2 && registries.contains(labels[labels.count - 2])
        return name[labels[labels.count - (isBelowRegistry ? 3 : 2)].startIndex...]
    }

    /// Common second-level registry labels below country codes.
    private static let registries: Set<Substring> = [
        "ac", "co", "com", "edu", "go", "gob", "gov", "gv", "mil", "ne", "net", "nom", "or", "org", "sch",
    ]
}
