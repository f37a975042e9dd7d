import Dispatch
import PlatformImage
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Resolves host names to IP addresses.
protocol Resolver: Sendable {
    /// Returns all addresses of a host in the order in which to try them, at least one.
    ///
    /// - Parameter timeout: Time limit for the lookup, and separately for the wait before it; nil means no limit.
    /// - Throws: `originFailed` for a name without an address, `originTimeout` when the lookup takes too long,
    ///   `overloaded` when the lookup could not be started, `deadline` when the task is cancelled.
    func addresses(of name: String, within timeout: Duration?) async throws(ServiceError) -> [IPAddress]
}

/// Resolver with `getaddrinfo`, whose calls cannot be cancelled, on dedicated threads.
///
/// Slow names must not block other names. ``LookupTable`` limits the lookups per registrable domain. For some seconds
/// after a failed or slow lookup, new requests for the name end immediately. When a lookup is slow or cannot start,
/// stale addresses are returned if there are any. Without them, a request whose lookup never started fails with
/// `overloaded`, because its source did not fail.
final class SystemResolver: Resolver {
    private let queue = DispatchQueue(label: "ThumbnailService.lookups", attributes: .concurrent)
    private let table: Mutex<LookupTable>
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let lookUp: @Sendable (String) -> Result<[IPAddress], ServiceError>

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - width: Maximum number of concurrent lookups, 1 or more.
    ///   - lookUp: Called on the threads; may block.
    ///   - clock: Clock for the age of cached results.
    init(
        width: Int = 8,
        lookUp: @escaping @Sendable (String) -> Result<[IPAddress], ServiceError> = SystemResolver.lookUp,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        table = Mutex(LookupTable(width: width))
        self.clock = clock
        self.lookUp = lookUp
    }

    func addresses(of name: String, within timeout: Duration?) async throws(ServiceError) -> [IPAddress] {
        let waiter = LookupWaiter(timeout: timeout)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if waiter.begin(continuation) { join(name, waiter) }
            }
        } onCancel: {
            waiter.finish(.failure(Self.cancelled))
            leave(name, waiter)
        }
        return try result.get()
    }

    private func join(_ name: String, _ waiter: LookupWaiter) {
        let now = clock()
        switch table.locked(in: self, { $0.join(name, waiter, now: now) }) {
        case .start: start(name, [waiter])
        case .running: startLookupTimer(name, waiter)
        case .waiting: startQueueTimer(name, waiter)
        case .ended(let resolution): waiter.finish(resolution)
        }
        // The request may have been cancelled before it was added to the table.
        if waiter.isFinished { leave(name, waiter) }
    }

    private func leave(_ name: String, _ waiter: LookupWaiter) { table.locked(in: self) { $0.leave(name, waiter) } }

    private func start(_ name: String, _ waiters: [LookupWaiter]) {
        for waiter in waiters { startLookupTimer(name, waiter) }
        queue.async { [self] in
            let resolution = lookUp(name)
            let now = clock()
            let (ended, next) = table.locked(in: self) { ($0.finish(name, resolution, now: now), $0.startNext()) }
            for waiter in ended { waiter.finish(resolution) }
            for lookup in next { start(lookup.name, lookup.waiters) }
        }
    }

    /// Starts the timer of the lookup itself. When it fires, the lookup of the name is recorded as slow.
    private func startLookupTimer(_ name: String, _ waiter: LookupWaiter) {
        guard let timeout = waiter.timeout else { return }
        let timer = Task { [self] in
            guard (try? await Task.sleep(for: timeout)) != nil else { return }
            let now = clock()
            let stale = table.locked(in: self) { $0.markSlow(name, now: now) }
            waiter.finish(stale.map { .success($0) } ?? .failure(Self.lookupTimeout))
            leave(name, waiter)
        }
        waiter.setTimer(timer, isRunning: true)
    }

    /// Starts the timer of the wait for a thread. When it fires, the request fails with `overloaded`, and no failure of
    /// the name is recorded, because lookups of other names caused the wait.
    private func startQueueTimer(_ name: String, _ waiter: LookupWaiter) {
        guard let timeout = waiter.timeout else { return }
        let timer = Task { [self] in
            guard (try? await Task.sleep(for: timeout)) != nil else { return }
            waiter.finish(.failure(Self.tooManyLookups))
            leave(name, waiter)
        }
        waiter.setTimer(timer, isRunning: false)
    }

    static let lookupTimeout = ServiceError(
        .originTimeout, code: "lookupTimeout", detail: "the DNS server did not respond within source.connectTimeout",
        "the DNS lookup of the source's host timed out")
    static let tooManyLookups = ServiceError(.overloaded, retryAfter: 1, "too many DNS lookups are running")
    private static let cancelled = ServiceError(.deadline, "the request was cancelled")

    /// Resolves a name with `getaddrinfo`; blocks.
    static func lookUp(_ name: String) -> Result<[IPAddress], ServiceError> {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(name, nil, &hints, &list)
        defer { if list != nil { freeaddrinfo(list) } }
        guard status == 0 else {
            return .failure(
                ServiceError(
                    .originFailed, code: "unknownHost", detail: "the DNS server reports no IP address of the host",
                    "the DNS lookup of the source's host failed"))
        }
        var found: [IPAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = IPAddress(entry), !found.contains(address) { found.append(address) }
            next = entry.ai_next
        }
        guard !found.isEmpty else {
            return .failure(ServiceError(.originFailed, code: "unknownHost", "the source's host has no IP address"))
        }
        return .success(found)
    }
}

extension IPAddress {
    /// Converts a `getaddrinfo` entry; nil for other address families.
    fileprivate init?(_ entry: addrinfo) {
        guard let address = entry.ai_addr else { return nil }
        switch entry.ai_family {
        case AF_INET:
            let bits = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_addr.s_addr }
            self = .v4(UInt32(bigEndian: bits))
        case AF_INET6:
            self.init(address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee.sin6_addr })
        default: return nil
        }
    }
}
