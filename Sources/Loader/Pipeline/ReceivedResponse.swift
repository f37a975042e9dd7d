#if Loader
internal import PlatformImage

/// What came of one request.
struct ReceivedResponse: Sendable {
    var head: ResponseHead?
    /// As they came.
    var bytes: [UInt8] = []
    /// What they mean, without their content codings.
    var content: [UInt8] = []
    var body = ReceivedBody.incomplete
    /// What the load fails with unless the policy has something better; nil for a success, a redirect, and what the
    /// caller asked for.
    var error: LoadError?
    /// What came before the body broke off, if the rest can be asked for.
    var partial: PartialBody?
    /// True when the answer to the question for a rest was none: the whole must be asked for.
    var isMisfit = false
    /// What passed; nil when nothing was sent.
    var traffic: Traffic?
    var requestTime: WallTime
    var responseTime: WallTime

    /// True for a success whose body came to its end: the only bodies that are decoded.
    var isWholeSuccess: Bool {
        guard let status = head?.status, Storability.isSuccess(status), case .complete = body else { return false }
        return true
    }

    /// Takes nothing of the body. A status that is an error already stays the error.
    mutating func refuse(_ error: LoadError, isSuccess: Bool) {
        body = .rejected
        if isSuccess { self.error = error }
    }
}

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
#endif
