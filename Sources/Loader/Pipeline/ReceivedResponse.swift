internal import PlatformImage

/// The response to one request, or its failure.
struct ReceivedResponse: Sendable {
    var head: ResponseHead?
    /// The received body, with its content codings.
    var bytes: [UInt8] = []
    /// The body without its content codings.
    var content: [UInt8] = []
    var body = ReceivedBody.incomplete
    /// The error of the load unless the policy provides a stale response. Nil for a success with an accepted body, a
    /// redirect, a 304, and a response to the caller's range or condition.
    var error: LoadError?
    /// The name of an unknown content coding of an image that is not coded; nil for none.
    var ignoredCoding: String?
    /// The received part of a truncated body, if it can be continued.
    var partial: PartialBody?
    /// The 206 or 416 response does not continue the partial body; the request is repeated without `Range`.
    var rangeMismatch = false
    /// The exchange on the network; nil when no request was sent.
    var traffic: Traffic?
    var requestTime: WallTime
    var responseTime: WallTime

    /// True for a success with a complete body; only such bodies are decoded.
    var isCompleteSuccess: Bool {
        guard let status = head?.status, Storability.isSuccess(status), case .complete = body else { return false }
        return true
    }

    /// Marks the body as rejected. Only if `isSuccess` is true, `error` becomes the error of the load.
    mutating func reject(_ error: LoadError, isSuccess: Bool) {
        body = .rejected
        if isSuccess { self.error = error }
    }
}

/// Measurements of one exchange.
struct Traffic: Sendable {
    /// The request as it was sent.
    let request: HTTPRequest
    let begin = ContinuousClock.now
    /// Time at which the response head was received; nil before.
    var headTime: ContinuousClock.Instant?
    /// Bytes of the body received, with its content codings.
    var bytes = 0
}
