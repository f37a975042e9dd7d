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
        var bytes: [UInt8] = []
        var body = ReceivedBody.incomplete
        /// What the load fails with unless the policy has something better; nil for a success or a redirect.
        var error: LoadError?
        var requestTime: WallTime
        var responseTime: WallTime
    }

    /// Sends one request and reads what is wanted of the answer.
    func exchange(_ hop: LoadHop, _ plan: RequestPlan, _ tell: Fetches.Teller) async -> Received {
        let fields = HeaderFields(hop.request.fields.lines + plan.addedFields.lines)
        tell(.sending)
        var received = Received(requestTime: now, responseTime: now)
        do {
            let response = try await shared.transport.send(
                HTTPRequest(method: hop.request.method, url: hop.url, fields: fields), trust: configuration.trust,
                timeouts: configuration.timeouts)
            received.responseTime = now
            received.head = response.head
            received.error = error(of: response.head, hop, at: received.responseTime)
            try await read(response, of: hop, into: &received, tell)
        } catch {
            received.error = Self.error(of: error, hop)
        }
        return received
    }

    private func error(of head: ResponseHead, _ hop: LoadHop, at time: WallTime) -> LoadError? {
        if Storability.isSuccess(head.status) || Storability.isRedirect(head.status) || head.status == 304 {
            return nil
        }
        let url = Redaction.shown(hop.url)
        guard Storability.isError(head.status) else {
            return LoadError(
                .unexpectedStatus, url: url, statusCode: head.status, "status \(head.status), not a success")
        }
        return LoadError(
            .http, url: url, statusCode: head.status, retryAfter: head.fields.retryAfter(responseTime: time),
            "status \(head.status)")
    }

    private static func error(of error: any Error, _ hop: LoadHop) -> LoadError {
        let url = Redaction.shown(hop.url)
        if Task.isCancelled { return .cancelled(url: url) }
        guard let error = error as? LoadError else { return .transport("\(error)", url: url) }
        return LoadError(
            error.code, url: url, statusCode: error.statusCode, retryAfter: error.retryAfter,
            original: error.original, until: error.until, decodeError: error.decodeError, error.message)
    }

    /// Reads a body through the gates; throws when it is cut short.
    private func read(
        _ response: HTTPResponse, of hop: LoadHop, into received: inout Received, _ tell: Fetches.Teller
    ) async throws {
        let head = response.head
        let isSuccess = Storability.isSuccess(head.status)
        let limit = isSuccess ? configuration.maxResponseBytes : CacheOutcome.maxErrorBodyBytes
        guard head.status != 304 else {
            received.body = .complete(bytes: 0)
            return
        }
        let length = Self.contentLength(head.fields)
        func refuse(_ error: LoadError) {
            received.body = .rejected
            received.bytes = []
            if isSuccess { received.error = error }
        }
        let tooLarge = LoadError(
            .bodyTooLarge, url: Redaction.shown(hop.url), "a body of more than \(limit) bytes")
        if let length, length > limit { return refuse(tooLarge) }
        let gate = TypeGate(isSuccess ? hop.load.acceptedContentTypes : nil)
        var isChecked = !gate.needsStart(head.fields)
        func isRefused() -> Bool {
            isChecked = true
            guard let type = gate.refusal(head.fields, start: Array(received.bytes.prefix(1_024))) else { return false }
            refuse(LoadError(.unacceptableContentType, url: Redaction.shown(hop.url), "type \(type)"))
            return true
        }
        if isChecked, isRefused() { return }
        // A length is a promise, not a reason to take memory before the bytes are there.
        received.bytes.reserveCapacity(min(length ?? 0, 1 << 20))
        for try await chunk in response.body {
            guard chunk.count <= limit - received.bytes.count else { return refuse(tooLarge) }
            received.bytes += chunk
            if !isChecked, received.bytes.count >= 1_024, isRefused() { return }
            if isSuccess { tell(.progress(received: received.bytes.count, expected: length)) }
        }
        if !isChecked, isRefused() { return }
        if let length, received.bytes.count < length {
            throw LoadError.transport("\(received.bytes.count) bytes of \(length)")
        }
        received.body = .complete(bytes: received.bytes.count)
    }

    /// Nil when the header does not say it, or not in one way.
    private static func contentLength(_ fields: HeaderFields) -> Int? {
        let lines = Set(fields[lines: "Content-Length"])
        guard lines.count == 1, let line = lines.first, !fields.contains("Transfer-Encoding") else { return nil }
        guard !line.isEmpty, line.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return Int(String(decoding: line, as: UTF8.self))
    }
}
#endif
