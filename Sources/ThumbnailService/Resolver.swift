#if Service
import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Turns names of hosts into addresses.
protocol Resolver: Sendable {
    /// All addresses of a host, in the order in which they are to be tried, at least one.
    ///
    /// - Parameter timeout: Nil waits for ever.
    /// - Throws: `originFailed` for a name without an address, `originTimeout` when time runs out or the task is
    ///   cancelled.
    func addresses(of name: String, within timeout: Duration?) async throws(ServiceError) -> [IPAddress]
}

/// Asks the system, which cannot be told to stop: so it is asked on threads of its own, and a lookup that nobody waits
/// for any more ends there unheard.
final class SystemResolver: Resolver {
    /// Lookups that may wait for a thread; more fail at once, because their time would run out anyway.
    static let mostWaiting = 256

    private let threads: NIOThreadPool
    private let timers = MultiThreadedEventLoopGroup.singleton
    private let underWay = Atomic(0)
    private let lookUp: @Sendable (String) -> Result<[IPAddress], ServiceError>

    /// - Parameters:
    ///   - width: Lookups at once, 1 or more.
    ///   - lookUp: Is called on the threads, and may block.
    init(
        width: Int = 8,
        lookUp: @escaping @Sendable (String) -> Result<[IPAddress], ServiceError> = SystemResolver.lookUp
    ) {
        threads = NIOThreadPool(numberOfThreads: width)
        self.lookUp = lookUp
        threads.start()
    }

    deinit { threads.shutdownGracefully { _ in } }

    func addresses(of name: String, within timeout: Duration?) async throws(ServiceError) -> [IPAddress] {
        let lookup = Lookup()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard lookup.begin(continuation) else { return }
                guard underWay.wrappingAdd(1, ordering: .relaxed).newValue <= Self.mostWaiting else {
                    underWay.wrappingSubtract(1, ordering: .relaxed)
                    return lookup.end(.failure(ServiceError(.overloaded, retryAfter: 1, "too many lookups of hosts")))
                }
                threads.submit { [self] state in
                    // What was given up while it waited is not asked for.
                    if state == .active, lookup.isWaiting { lookup.end(lookUp(name)) }
                    underWay.wrappingSubtract(1, ordering: .relaxed)
                }
                guard let timeout else { return }
                let timer = timers.next().scheduleTask(in: TimeAmount(timeout)) { lookup.end(.failure(Self.late)) }
                lookup.hold(timer)
            }
        } onCancel: {
            lookup.end(.failure(Self.late))
        }
        return try result.get()
    }

    private static var late: ServiceError { ServiceError(.originTimeout, "the source's host was not found in time") }

    /// What getaddrinfo says; blocks.
    static func lookUp(_ name: String) -> Result<[IPAddress], ServiceError> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(name, nil, &hints, &list)
        defer { if list != nil { freeaddrinfo(list) } }
        guard status == 0 else { return .failure(ServiceError(.originFailed, "the source's host was not found")) }
        var found: [IPAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = IPAddress(entry), !found.contains(address) { found.append(address) }
            next = entry.ai_next
        }
        guard !found.isEmpty else { return .failure(ServiceError(.originFailed, "the source's host has no address")) }
        return .success(found)
    }
}

/// A lookup that somebody waits for, until it ends for the first time.
private final class Lookup: Sendable {
    typealias Outcome = Result<[IPAddress], ServiceError>

    private enum State {
        case made
        case waiting(CheckedContinuation<Outcome, Never>, Scheduled<Void>?)
        case ended(Outcome)
    }

    private let state = Mutex(State.made)

    var isWaiting: Bool {
        state.withLock {
            if case .waiting = $0 { true } else { false }
        }
    }

    /// False when it has ended before it began; the continuation is resumed then.
    func begin(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        let ended = state.withLock { state -> Outcome? in
            if case .ended(let outcome) = state { return outcome }
            state = .waiting(continuation, nil)
            return nil
        }
        if let ended { continuation.resume(returning: ended) }
        return ended == nil
    }

    func hold(_ timer: Scheduled<Void>) {
        let isHeld = state.withLock { state in
            guard case .waiting(let continuation, _) = state else { return false }
            state = .waiting(continuation, timer)
            return true
        }
        if !isHeld { timer.cancel() }
    }

    /// Ends it, unless it has ended.
    func end(_ outcome: Outcome) {
        let (continuation, timer) = state.withLock {
            state -> (CheckedContinuation<Outcome, Never>?, Scheduled<Void>?) in
            defer { if case .ended = state {} else { state = .ended(outcome) } }
            guard case .waiting(let continuation, let timer) = state else { return (nil, nil) }
            return (continuation, timer)
        }
        timer?.cancel()
        continuation?.resume(returning: outcome)
    }
}

extension IPAddress {
    /// The address of an answer; nil for one of another family.
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

extension TimeAmount {
    /// 0 to a hundred years.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = min(max(duration, .zero), .seconds(3_155_760_000)).components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
#endif
