internal import CPlatformImageCurl
internal import PlatformImage

/// The state of one reusable transfer of libcurl, on the transport's thread.
final class CurlTransfer {
    /// Bytes of a body after which an iteration of the loop stops to receive, until they are delivered.
    private static let maxPendingBytes = 131_072

    private unowned let loop: CurlLoop
    /// The `picu_transfer`.
    private(set) var handle: OpaquePointer?
    /// Nil between two exchanges.
    private(set) var exchange: CurlExchange?
    private(set) var request: CurlRequest?
    /// Nil between two exchanges.
    private(set) var host: CurlHost?
    /// The index in ``CurlLoop/active``.
    var index = 0
    /// True while the transfer is in ``CurlLoop/dirty``.
    var isDirty = false

    private(set) var parser = ResponseHeadParser()
    private var decoder = ChunkedDecoder()
    private var remaining: Int64 = 0
    private var head: ReceivedHead?
    private var pending: [UInt8] = []

    /// The reason to end the transfer that was found by a callback.
    private(set) var failure: LoadError?
    /// True once the request was sent.
    private(set) var isSent = false
    /// True once a socket was opened or an opened one is reused, so that no DNS look-up is running.
    private(set) var isResolved = false
    /// True if the connection may use HTTP/2.
    private(set) var offersHTTP2 = false
    /// True after the only retry.
    private(set) var isRetried = false
    private var isPaused = false
    /// The time of the last progress in the clock `picu_now`.
    private(set) var lastProgress: Int64 = 0

    /// Returns nil when memory is exhausted.
    init?(loop: CurlLoop, multi: OpaquePointer) {
        self.loop = loop
        handle = picu_transfer_new(multi, Unmanaged.passUnretained(self).toOpaque(), loop.callbacks)
        if handle == nil { return nil }
    }

    /// Frees the handle; the transfer must not be started.
    func free() {
        picu_transfer_free(handle)
        handle = nil
    }

    /// Sends the request of an exchange. Returns libcurl's code, 0 for success.
    func start(_ exchange: CurlExchange, _ host: CurlHost) -> Int32 {
        self.exchange = exchange
        self.host = host
        request = exchange.request
        isRetried = false
        return restart(isFresh: false)
    }

    /// Sends the request again, on a new connection, as the only retry.
    func retry() -> Int32 {
        isRetried = true
        return restart(isFresh: true)
    }

    /// Sends the request to the next pinned address; nil when there is none.
    func startAtNextAddress() -> Int32? {
        guard let address = request?.addresses.popFirst() else { return nil }
        request?.host.address = address
        return restart(isFresh: false)
    }

    private func restart(isFresh: Bool) -> Int32 {
        guard let request, let handle else { return -1 }
        let connectionGuard = loop.settings.connectionGuard
        offersHTTP2 = request.isSecure && connectionGuard == nil
        parser = ResponseHeadParser(
            limits: connectionGuard?.headLimits ?? ResponseHeadParser.Limits(), isResponseToHead: request.isHead,
            isHTTP1: !offersHTTP2)
        (head, failure, pending) = (nil, nil, [])
        (isSent, isResolved, isPaused) = (false, false, false)
        lastProgress = loop.now
        return request.start(handle, usesHTTP2: offersHTTP2, isFresh: isFresh)
    }

    /// Stops to receive, until ``resume()``.
    func pause() {
        if !isPaused { picu_transfer_pause(handle, true) }
        isPaused = true
    }

    /// Continues to receive.
    func resume() {
        if isPaused {
            isPaused = false
            picu_transfer_pause(handle, false)
        }
    }

    /// Ends the use of the transfer by its exchange.
    func reset() {
        exchange?.transfer = nil
        (exchange, request, host) = (nil, nil, nil)
        (head, failure, pending) = (nil, nil, [])
    }

    /// Delivers what was received, and the end of the exchange if it has ended. Returns true when the transfer must
    /// pause.
    func deliver(end: Result<Void, any Error>?) -> Bool {
        guard let exchange else { return false }
        let (resumption, pauses) = exchange.deliver(head: head.take(), bytes: &pending, end: end)
        loop.resumeLater(resumption)
        return pauses
    }

    /// Returns the violation of a response that libcurl regards as complete.
    func checkEnd() -> LoadError? {
        guard parser.isComplete else { return .lost(parser.byteCount == 0 ? .closedBeforeResponse : .closedInHead) }
        switch parser.framing {
        case .none, .untilClose: return nil
        case .length: return remaining == 0 ? nil : .lost(.truncatedBody)
        case .chunked: return decoder.isComplete ? nil : .lost(.truncatedBody)
        }
    }

    /// True if the error means that the server did not process the request, and the request may be sent again.
    func mayRetry(after error: LoadError) -> Bool {
        guard let request, request.isGet, !isRetried, parser.byteCount == 0, failure == nil else { return false }
        if error.reason == .streamRefused { return true }
        let details = picu_transfer_failure(handle)
        return error.reason == .closedBeforeResponse && details.is_reused
            && (!details.has_response || usesHTTP2)
    }

    /// True if the last response of the host was received over HTTP/2.
    private var usesHTTP2: Bool { host?.isHTTP2 == true }

    /// The host of the request, for messages.
    var hostName: String {
        guard let base = request?.host.base, let origin = Origin(base) else { return "this host" }
        return String(origin.host)
    }

    /// True if no connection was made, so that the next address can be tried.
    func isConnectFailure(_ error: LoadError) -> Bool {
        let reasons: [LoadError.TransportReason] = [
            .connectionRefused, .unreachable, .connectionFailed, .connectTimeout,
        ]
        return !isSent && error.code == .transport && error.reason.map(reasons.contains) == true
    }

    /// The time when the idle timeout expires, as far as the transfer knows now; nil when it does not.
    func idleDeadline(now: Int64) -> Int64? {
        guard let idle = request?.idle, let exchange else { return nil }
        guard isSent, let since = exchange.waitingSince else { return now + idle }
        return max(since, lastProgress) + idle
    }
}

// The callbacks of libcurl.
extension CurlTransfer {
    func receiveLine(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        lastProgress = loop.now
        isSent = true
        do throws(MessageViolation) {
            guard let head = try parser.parse(line) else { return true }
            self.head = head
            if case .length(let length) = parser.framing { remaining = length }
            if parser.framing == .chunked {
                decoder = ChunkedDecoder(
                    limits: loop.settings.connectionGuard?.chunkLimits ?? ChunkedDecoder.Limits())
            }
            loop.receivedHead(self)
            return true
        } catch {
            failure = LoadError(error)
            return false
        }
    }

    func receiveBody(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        lastProgress = loop.now
        do throws(MessageViolation) {
            switch parser.framing {
            case .none: return true
            case .untilClose: append(bytes, expected: 0)
            case .length:
                guard bytes.count <= remaining else {
                    throw MessageViolation(.invalidFraming, "the body is longer than its Content-Length")
                }
                append(bytes, expected: remaining)
                remaining -= Int64(bytes.count)
            case .chunked: try decoder.decode(bytes, into: &pending)
            }
            // libcurl 7.88 reads up to 100 times before it returns.
            if pending.count >= Self.maxPendingBytes { pause() }
            loop.markDirty(self)
            return true
        } catch {
            failure = LoadError(error)
            loop.markDirty(self)
            return false
        }
    }

    /// - Parameter expected: Bytes until the end of the body; only a hint for memory.
    private func append(_ bytes: UnsafeBufferPointer<UInt8>, expected: Int64) {
        if pending.isEmpty {
            pending.reserveCapacity(max(bytes.count, Int(min(expected, Int64(CurlExchange.maxUnreadBytes)))))
        }
        pending.append(contentsOf: bytes)
    }

    func admits(_ address: UnsafePointer<CChar>) -> Bool {
        isResolved = true
        guard exchange != nil else { return false }
        guard let connectionGuard = loop.settings.connectionGuard, !connectionGuard.admits(String(cString: address))
        else { return true }
        failure = .refused("the IP address of the peer is not allowed").because(.addressRefused)
        return false
    }

    func repeats(isReused: Bool, hasResponse: Bool) -> Bool {
        // Over HTTP/2 the received bytes can be frames that belong to no response. A new connection that broke is not a
        // reason for libcurl to repeat a request, so on a new one the stream was refused.
        let hasResponse = hasResponse && !usesHTTP2
        guard let request, request.isGet, !isRetried, !hasResponse, parser.byteCount == 0 else {
            let isRefused = !isReused || usesHTTP2
            failure = .lost(
                hasResponse || parser.byteCount > 0 ? .closedInHead : isRefused ? .streamRefused : .closedBeforeResponse
            )
            return false
        }
        isRetried = true
        return true
    }

    func sends() -> Bool {
        (isSent, isResolved) = (true, true)
        // A connection to an admitted address exists, although another address of the host was refused.
        failure = nil
        lastProgress = loop.now
        return exchange != nil
    }
}
