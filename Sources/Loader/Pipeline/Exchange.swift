internal import PlatformImage

/// One request to the origin and its response, with the checks of size, content coding and content type.
struct Exchange: Sendable {
    let transport: any HTTPTransport
    let trust: TrustSettings
    let timeouts: TransportTimeouts
    /// As in ``ImageLoader/Configuration/requestModifier``.
    let modifier: (@Sendable (HTTPRequest) async throws -> HTTPRequest)?
    let maxResponseBytes: Int
    /// True reports missing or incomplete cache directives of responses.
    let reportsPolicyWarnings: Bool
    let reporter: LoadReporter
    let clock: @Sendable () -> WallTime

    /// Sends one request and reads the response.
    ///
    /// - Parameter partial: The partial body to continue with a range request; nil requests the complete body.
    func run(
        _ hop: LoadHop, _ plan: RequestPlan, resuming partial: PartialBody? = nil, _ progress: Fetches.ProgressReporter
    ) async -> ReceivedResponse {
        let added = plan.addedFields.lines + (partial?.conditions.lines ?? [])
        let fields = HeaderFields(hop.request.fields.lines + added)
        var received = ReceivedResponse(requestTime: clock(), responseTime: clock())
        defer { reporter.reportResponse(received, hop, reportsPolicyWarnings: reportsPolicyWarnings) }
        do {
            let request = try await modified(HTTPRequest(method: hop.request.method, url: hop.url, fields: fields))
            progress.report(.sending)
            received.requestTime = clock()
            received.traffic = reporter.reportSending(request, hop)
            let response = try await transport.send(request, trust: trust, timeouts: timeouts)
            received.responseTime = clock()
            received.traffic?.headTime = .now
            received.head = response.head
            var (rest, length): (PartialBody?, Int?) = (nil, nil)
            switch partial?.continuation(
                response.head, requestTime: received.requestTime, responseTime: received.responseTime)
            {
            case nil, .complete: break
            case .mismatch:
                received.rangeMismatch = true
                return received
            case .remainder(let head, let total):
                received.head = head
                (rest, length) = (partial, total)
            }
            received.error = received.head.flatMap { error(of: $0, hop, plan, at: received.responseTime) }
            try await read(response, after: rest, length: length, of: hop, into: &received, progress)
        } catch {
            received.error = Self.error(of: error, hop, received.traffic?.request)
        }
        if let error = received.error, let head = received.head, error.code != .transport, error.code != .cancelled {
            received.error = error.withResponse(FailedResponse(head, body: received.content))
        }
        return received
    }

    private func error(of head: ResponseHead, _ hop: LoadHop, _ plan: RequestPlan, at time: WallTime) -> LoadError? {
        if Storability.isSuccess(head.status) || Storability.isRedirect(head.status) || head.status == 304 {
            return nil
        }
        if hop.load.returnsToCaller(head.status, plan) { return nil }
        let url = Redaction.masked(hop.url)
        guard Storability.isError(head.status) else {
            return LoadError(
                .unexpectedStatus, url: url, statusCode: head.status,
                "unexpected status \(head.status): neither a success, a redirect nor an error")
        }
        return LoadError(
            .http, url: url, statusCode: head.status, retryAfter: head.fields.retryAfter(responseTime: time),
            "status \(head.status)")
    }

    private static func error(of error: any Error, _ hop: LoadHop, _ sent: HTTPRequest?) -> LoadError {
        let url = Redaction.masked(hop.url)
        if Task.isCancelled { return .cancelled(url: url) }
        // The error message of a transport may contain parts of the request, which may be secret.
        let request = sent ?? HTTPRequest(url: hop.url, fields: hop.request.fields)
        let error = error as? LoadError ?? .transport("\(error)")
        let message = Redaction.maskingSecrets(in: error.message, of: request)
        var redacted = LoadError(
            error.code, url: url, statusCode: error.statusCode, retryAfter: error.retryAfter,
            original: error.original, until: error.until, decodeError: error.decodeError, message)
        redacted.isTimeout = error.isTimeout
        redacted.reason = error.reason
        redacted.cause = error.cause
        return redacted
    }

    /// Reads a body into `received`. When a check fails, marks the body as rejected, and for a success or a 206 also
    /// stores the error of the check. Throws for a truncated body.
    private func read(
        _ response: HTTPResponse, after partial: PartialBody?, length: Int?, of hop: LoadHop,
        into received: inout ReceivedResponse, _ progress: Fetches.ProgressReporter
    ) async throws {
        guard let head = received.head else { return }
        guard head.status != 304 else {
            received.body = .complete(bytes: 0)
            return
        }
        let isSuccess = Storability.isSuccess(head.status)
        // A 206 response to the caller's range may be a part of a content-coded body, which cannot be decoded: the
        // caller receives the bytes as they were sent.
        let isPartial = head.status == 206
        let limit = isSuccess || isPartial ? maxResponseBytes : CacheOutcome.maxErrorBodyBytes
        var body: IncomingBody
        do throws(LoadError) {
            let accepted = isSuccess ? hop.load.acceptedContentTypes : nil
            body = try IncomingBody(
                head, url: hop.url, length: length, limit: limit, accepted: accepted, isDecoded: !isPartial)
            if let partial { try body.append(partial.bytes) }
        } catch {
            return received.reject(error, isSuccess: isSuccess || isPartial)
        }
        do {
            for try await chunk in response.body {
                received.traffic?.bytes += chunk.count
                do throws(LoadError) {
                    try body.append(chunk)
                } catch {
                    return received.reject(error, isSuccess: isSuccess || isPartial)
                }
                if isSuccess { progress.report(.progress(received: body.count, expected: body.expectedCount)) }
            }
            do throws(LoadError) {
                try body.finish()
            } catch {
                guard error.code != .transport else { throw error }
                return received.reject(error, isSuccess: isSuccess || isPartial)
            }
        } catch {
            received.partial = PartialBody(
                head, bytes: body.bytes, requestTime: received.requestTime, responseTime: received.responseTime)
            throw error
        }
        received.bytes = body.bytes
        received.content = body.content
        received.ignoredCoding = body.ignoredCoding
        received.body = .complete(bytes: body.bytes.count)
    }

    /// The request as modified by ``modifier``.
    ///
    /// - Throws: `configuration` for an error of the modifier and for a change of more than fields and query, because
    ///   the response would be stored under the wrong URL.
    private func modified(_ request: HTTPRequest) async throws(LoadError) -> HTTPRequest {
        guard let modifier else { return request }
        let url = Redaction.masked(request.url)
        let changed: HTTPRequest
        do {
            changed = try await modifier(request)
        } catch {
            if Task.isCancelled { throw .cancelled(url: url) }
            throw LoadError(.configuration, url: url, "\(error)")
        }
        if Task.isCancelled { throw .cancelled(url: url) }
        guard changed.method == request.method else {
            throw LoadError(.configuration, url: url, "the request modifier changed the method")
        }
        guard changed.url != request.url else { return changed }
        var (old, new) = (URLReference(request.url.utf8), URLReference(changed.url.utf8))
        old.query = nil
        new.query = nil
        guard new == old, CacheKey.normalised(changed.url) == changed.url else {
            throw LoadError(
                .configuration, url: url, "the request modifier changed a part of the URL other than the query")
        }
        return changed
    }
}
