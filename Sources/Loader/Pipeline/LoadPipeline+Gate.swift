#if Loader
internal import PlatformImage

/// Which content types may come in (O43).
struct TypeGate: Sendable {
    private let accepted: Set<ContentType>?

    /// - Parameter accepted: Empty for any image, nil for anything.
    init(_ accepted: Set<ContentType>?) { self.accepted = accepted.map { Set($0.map(Self.withoutAlias)) } }

    /// True when the bytes must be looked at, because the header says nothing.
    func needsStart(_ fields: HeaderFields) -> Bool { accepted != nil && Self.declared(fields) == nil }

    /// The type that is refused, `unknown` for bytes that nobody knows; nil when the response may come in.
    ///
    /// - Parameter start: The first bytes of the body, at most 1,024 of them matter.
    func refusal(_ fields: HeaderFields, start: [UInt8]) -> String? {
        guard accepted != nil else { return nil }
        if let declared = Self.declared(fields) { return accepts(declared) ? nil : declared.description }
        switch ImageSignature(of: start.span) {
        case .decodable(let format): return accepts(format.contentType) ? nil : format.contentType.description
        // A set of everything lets it in, and the decoder says what it lacks.
        case .refused(let name): return accepts(ContentType("image/\(name)")) ? nil : "image/\(name)"
        case .unknown: return "unknown"
        }
    }

    func accepts(_ type: ContentType?) -> Bool {
        guard let accepted else { return true }
        guard let type else { return false }
        let name = Self.withoutAlias(type).description
        let family = ContentType(name.prefix { $0 != "/" } + "/*")
        if accepted.isEmpty { return family?.description == "image/*" }
        return accepted.contains(Self.withoutAlias(type)) || family.map(accepted.contains) == true
    }

    /// The declared type; nil for none, for several lines, and for the one that says nothing.
    static func declared(_ fields: HeaderFields) -> ContentType? {
        guard let line = fields[lines: "Content-Type"].last else { return nil }
        let type = ContentType(String(decoding: line, as: UTF8.self))
        return type == .octetStream ? nil : type
    }

    /// `image/jpg` is what many servers call `image/jpeg`.
    private static func withoutAlias(_ type: ContentType) -> ContentType { type == .jpg ? .jpeg : type }
}

extension LoadPipeline {
    /// What came of one request.
    struct Received: Sendable {
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

        /// Takes nothing of the body. A status that is an error already stays the error.
        fileprivate mutating func refuse(_ error: LoadError, isSuccess: Bool) {
            body = .rejected
            if isSuccess { self.error = error }
        }
    }

    /// Sends one request and reads what is wanted of the answer.
    ///
    /// - Parameter partial: The beginning of the body, whose rest is asked for; nil asks for the whole.
    func exchange(
        _ hop: LoadHop, _ plan: RequestPlan, resuming partial: PartialBody? = nil, _ tell: Fetches.Teller
    ) async -> Received {
        let added = plan.addedFields.lines + (partial?.conditions.lines ?? [])
        let fields = HeaderFields(hop.request.fields.lines + added)
        var received = Received(requestTime: now, responseTime: now)
        defer { noteReceived(received, hop) }
        do {
            let request = try await modified(HTTPRequest(method: hop.request.method, url: hop.url, fields: fields))
            tell(.sending)
            received.requestTime = now
            received.traffic = noteSending(request, hop)
            let response = try await shared.transport.send(
                request, trust: configuration.trust, timeouts: configuration.timeouts)
            received.responseTime = now
            received.traffic?.head = .now
            received.head = response.head
            var (rest, length): (PartialBody?, Int?) = (nil, nil)
            switch partial?.continuation(
                response.head, requestTime: received.requestTime, responseTime: received.responseTime)
            {
            case nil, .other: break
            case .none?:
                received.isMisfit = true
                return received
            case .rest(let head, let total):
                received.head = head
                (rest, length) = (partial, total)
            }
            received.error = received.head.flatMap { error(of: $0, hop, plan, at: received.responseTime) }
            try await read(response, after: rest, length: length, of: hop, into: &received, tell)
        } catch {
            received.error = Self.error(of: error, hop, received.traffic?.request)
        }
        if let error = received.error, let head = received.head, error.code != .transport, error.code != .cancelled {
            received.error = error.about(FailedResponse(head, body: received.content))
        }
        return received
    }

    private func error(of head: ResponseHead, _ hop: LoadHop, _ plan: RequestPlan, at time: WallTime) -> LoadError? {
        if Storability.isSuccess(head.status) || Storability.isRedirect(head.status) || head.status == 304 {
            return nil
        }
        if hop.load.givesBack(head.status, plan) { return nil }
        let url = Redaction.shown(hop.url)
        guard Storability.isError(head.status) else {
            return LoadError(
                .unexpectedStatus, url: url, statusCode: head.status, "status \(head.status), not a success")
        }
        return LoadError(
            .http, url: url, statusCode: head.status, retryAfter: head.fields.retryAfter(responseTime: time),
            "status \(head.status)")
    }

    private static func error(of error: any Error, _ hop: LoadHop, _ sent: HTTPRequest?) -> LoadError {
        let url = Redaction.shown(hop.url)
        if Task.isCancelled { return .cancelled(url: url) }
        // Whoever wrote the message may have put the request into it.
        let request = sent ?? HTTPRequest(url: hop.url, fields: hop.request.fields)
        let error = error as? LoadError ?? .transport("\(error)")
        let message = Redaction.cleaned(error.message, of: request)
        var shown = LoadError(
            error.code, url: url, statusCode: error.statusCode, retryAfter: error.retryAfter,
            original: error.original, until: error.until, decodeError: error.decodeError, message)
        shown.isTimeout = error.isTimeout
        shown.cause = error.cause
        return shown
    }

    /// Reads a body through the gates; throws when it is cut short.
    private func read(
        _ response: HTTPResponse, after partial: PartialBody?, length: Int?, of hop: LoadHop,
        into received: inout Received, _ tell: Fetches.Teller
    ) async throws {
        guard let head = received.head else { return }
        guard head.status != 304 else {
            received.body = .complete(bytes: 0)
            return
        }
        let isSuccess = Storability.isSuccess(head.status)
        // A part of a coded body cannot be decoded: it is the caller's, as it was sent.
        let isPart = head.status == 206
        let limit = isSuccess || isPart ? configuration.maxResponseBytes : CacheOutcome.maxErrorBodyBytes
        var body: IncomingBody
        do throws(LoadError) {
            body = try IncomingBody(
                head, hop, length: length, limit: limit, accepted: isSuccess ? hop.load.acceptedContentTypes : nil,
                isDecoded: !isPart)
            if let partial { try body.append(partial.bytes) }
        } catch {
            return received.refuse(error, isSuccess: isSuccess || isPart)
        }
        do {
            for try await chunk in response.body {
                received.traffic?.bytes += chunk.count
                do throws(LoadError) {
                    try body.append(chunk)
                } catch {
                    return received.refuse(error, isSuccess: isSuccess || isPart)
                }
                if isSuccess { tell(.progress(received: body.count, expected: body.expectedCount)) }
            }
            do throws(LoadError) {
                try body.finish()
            } catch {
                guard error.code != .transport else { throw error }
                return received.refuse(error, isSuccess: isSuccess || isPart)
            }
        } catch {
            received.partial = PartialBody(
                head, bytes: body.bytes, requestTime: received.requestTime, responseTime: received.responseTime)
            throw error
        }
        received.bytes = body.bytes
        received.content = body.content
        received.body = .complete(bytes: body.bytes.count)
    }
}
#endif
