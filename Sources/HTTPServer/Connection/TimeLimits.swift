/// Time limits for clients.
package struct TimeLimits: Hashable, Sendable {
    /// For the head of a request: of the first request from the start of the connection, of later ones from the first
    /// byte.
    package var head = Duration.seconds(5)
    /// For a complete request with its body, from the same time.
    package var request = Duration.seconds(10)
    /// For the time between two requests.
    package var idle = Duration.seconds(60)
    /// For a client that reads no byte of its response.
    package var stalledResponse = Duration.seconds(60)
    /// As ``stalledResponse``, while more bytes are queued than `ConnectionLimits.maxQueuedBytes`.
    package var stalledResponseOverMaximum = Duration.seconds(1)
    /// For the end of the input of a connection that the server closes. Until then its input is discarded, because the
    /// close of a socket with unread input resets the connection, and the client would lose the response (RFC 9112
    /// §9.6).
    package var linger = Duration.seconds(2)

    /// Creates the default limits.
    package init() {}

    /// The limits in milliseconds, at least 1 and at most about 31 years.
    func milliseconds(_ limit: KeyPath<TimeLimits, Duration>) -> UInt64 {
        let (seconds, attoseconds) = self[keyPath: limit].components
        guard seconds >= 0, attoseconds >= 0 else { return 1 }
        return max(1, UInt64(min(seconds, 1_000_000_000)) * 1_000 + UInt64(attoseconds / 1_000_000_000_000_000))
    }
}

/// The kinds of time limits; a connection has at most one of the kinds for reading, and the one for writing.
enum TimeLimitKind: Int, Hashable, Sendable, CaseIterable {
    case head, request, idle, linger
    /// The only limit for writing.
    case stalledResponse
}

/// Decides which time limit for reading applies to a connection, from the events of its requests.
struct RequestClock: Hashable, Sendable {
    /// The limits in milliseconds.
    struct Limits: Hashable, Sendable {
        let head: UInt64
        let request: UInt64
        let idle: UInt64

        init(_ limits: TimeLimits) {
            (head, request, idle) = (
                limits.milliseconds(\.head), limits.milliseconds(\.request), limits.milliseconds(\.idle)
            )
        }
    }

    /// A time limit that ends the connection when the time is reached.
    struct Deadline: Hashable, Sendable {
        let kind: TimeLimitKind
        /// Milliseconds of the loop's clock.
        let time: UInt64
    }

    private(set) var deadline: Deadline?
    private var requestStart: UInt64
    private var headHasBegun = true
    private var isAnswering = false

    /// The clock of a new connection: the time for the head of the first request runs.
    init(openedAt now: UInt64, _ limits: Limits) {
        requestStart = now
        deadline = Deadline(kind: .head, time: now &+ limits.head)
    }

    /// The first bytes of the head of a request have arrived, without its end. While a response is not complete, no
    /// time limit applies to the next request, because the server does not read it.
    mutating func headBegan(at now: UInt64, _ limits: Limits) {
        guard !headHasBegun else { return }
        headHasBegun = true
        guard !isAnswering else { return }
        requestStart = now
        deadline = Deadline(kind: .head, time: now &+ limits.head)
    }

    /// The head of a request is complete.
    mutating func headEnded(at now: UInt64, hasBody: Bool, _ limits: Limits) {
        if !headHasBegun { requestStart = now }
        headHasBegun = false
        isAnswering = true
        deadline = hasBody ? Deadline(kind: .request, time: requestStart &+ limits.request) : nil
    }

    /// The request is complete; there is no time limit for the response.
    mutating func requestEnded() { deadline = nil }

    /// The response was sent.
    mutating func responseEnded(at now: UInt64, _ limits: Limits) {
        isAnswering = false
        if headHasBegun {
            requestStart = now
            deadline = Deadline(kind: .head, time: now &+ limits.head)
        } else {
            deadline = Deadline(kind: .idle, time: now &+ limits.idle)
        }
    }
}
