import PlatformImage
import PlatformImageHTTPServer
import PlatformImageLoader

/// Responds to requests: selects the dialect and the source, and sets the response fields. Paths are parsed only by
/// their dialect.
///
/// ``begin(_:)`` answers what needs neither disk, network nor a render; it never waits. ``complete(_:body:)`` does the
/// rest.
struct ThumbnailResponder: Sendable {
    /// The answer to a request, or the rest of the work for it.
    enum Beginning: Sendable {
        case response(ServiceResponse)
        case work(PendingRequest)
    }

    /// A request that needs a task: for disk, network or a render, or for a page of the gallery.
    struct PendingRequest: Sendable {
        fileprivate let progress: RequestProgress
        fileprivate let work: Work
    }

    /// The work for a request.
    fileprivate enum Work: Sendable {
        case route(any RouteHandler)
        case image(ThumbnailRequest, DialectName)
        case info(ThumbnailRequest, rawIdentifier: String)
    }

    private enum Step {
        case response(ServiceResponse)
        case work(Work)
    }

    let engine: ThumbnailEngine
    let dialects: Dialects
    /// Lifecycle of the server that asks; always ready without a server.
    var state = ServiceState()
    /// Handler for additional targets, such as the gallery; nil for none.
    let extra: (any RouteHandler)?
    /// Adds `X-Cache` and `Server-Timing` to responses.
    let showsDebugFields: Bool
    let log: ServiceLog
    let crossOrigin: CrossOriginPolicy
    let negotiation: Negotiation
    let verifiedTargets = VerifiedTargetCache()
    /// One for each loop of a server.
    let hot = (0..<AvailableProcessors().count).map { _ in HotResponses() }

    init(
        engine: ThumbnailEngine, dialects: Dialects, extra: (any RouteHandler)?, showsDebugFields: Bool,
        log: ServiceLog
    ) throws(ServiceError) {
        crossOrigin = try CrossOriginPolicy(engine.configuration.server.allowedOrigins)
        (self.engine, self.dialects, self.log) = (engine, dialects, log)
        (self.extra, self.showsDebugFields) = (extra, showsDebugFields)
        let output = engine.configuration.output
        negotiation = Negotiation(
            isOn: output.negotiates, formats: output.formats, sendsWebP: output.sendsWebP,
            searches: output.searchBudget != nil)
    }

    private var configuration: ServiceConfiguration { engine.configuration }

    /// Begins to respond to a request, without waiting.
    func begin(_ request: ServiceRequest) -> Beginning {
        var progress = RequestProgress(request)
        do throws(ServiceError) {
            switch try firstStep(&progress) {
            case .response(let response): return .response(finished(response, progress))
            case .work(let work): return .work(PendingRequest(progress: progress, work: work))
            }
        } catch {
            return .response(finished(error, progress))
        }
    }

    /// Completes a request. When the calling task is cancelled, because the client has left, so is the work, unless
    /// another request needs it.
    ///
    /// - Parameter body: Reads the body of the request.
    func complete(_ pending: PendingRequest, body: @escaping BodySource) async -> ServiceResponse {
        let progress = pending.progress
        let result: Result<ServiceResponse, ServiceError> = await RequestTrace.$current.withValue(progress.trace) {
            do throws(ServiceError) {
                return .success(try await perform(pending.work, progress.request, body))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let response): return finished(response, progress)
        case .failure(let error): return finished(error, progress)
        }
    }

    /// Responds to a request that the HTTP server refuses.
    func response(to rejected: RejectedRequest) -> ServiceResponse {
        let progress = RequestProgress(ServiceRequest(rejected))
        let reason: ServiceError.Reason =
            switch rejected.reason.status {
            case 405: .methodNotAllowed
            case 414: .targetTooLong
            default: .malformed
            }
        var response = finished(
            ServiceError(reason, status: rejected.reason.status, rejected.reason.message), progress)
        response.closesConnection = true
        return response
    }

    /// Decides what a request needs. The trace of the request is not yet that of the current task.
    private func firstStep(_ progress: inout RequestProgress) throws(ServiceError) -> Step {
        let request = progress.request
        guard request.authority != nil else {
            throw .malformed("the request must have exactly one valid Host field")
        }
        let target = request.target
        guard target.utf8.count <= configuration.server.maxTargetBytes else {
            throw ServiceError(.targetTooLong, "the target is longer than \(configuration.server.maxTargetBytes) bytes")
        }
        if let health = ServiceResponse.health(target, isReady: state.isReady) { return .response(health) }
        guard state.acceptsRequests else {
            throw ServiceError(.draining, retryAfter: 1, "the service is shutting down")
        }
        if request.method == .options { return .response(options(target)) }
        if let extra, extra.handles(target) { return .work(.route(extra)) }
        let accepted = negotiation.formats(for: request[.accept])
        let name = VerifiedTargetCache.Name(target, accepted: accepted)
        if request.method == .get || request.method == .head, let cached = verifiedTargets.find(name),
            let served = engine.freshResultInMemory(cached.key)
        {
            progress.dependsOnAccept = cached.dependsOnAccept
            progress.trace.recordSource(cached.request.source)
            return .response(imageResponse(cached.request, cached.dialect, served, request))
        }
        let parsed: Dialects.ParsedTarget
        switch request.method {
        case .get, .head: parsed = try dialects.parse(target)
        case .post: parsed = try dialects.parsePost(target)
        case let method?:
            throw ServiceError(.methodNotAllowed, "the method \(method.rawValue) is not supported")
        case nil: throw ServiceError(.methodNotAllowed, "the method of the request is not supported")
        }
        switch parsed {
        case .image(var thumbnail, let dialect):
            progress.dependsOnAccept = negotiation.applies(to: thumbnail)
            if negotiation.selectsFormat(of: thumbnail) { thumbnail.output.negotiated = accepted }
            progress.trace.recordSource(thumbnail.source)
            // Results in memory are returned immediately, without a task or a suspension.
            if dialect != .post, let key = engine.memoryKey(of: thumbnail), let served = engine.freshResultInMemory(key)
            {
                let target = VerifiedTargetCache.Target(
                    request: thumbnail, dialect: dialect, key: key, dependsOnAccept: progress.dependsOnAccept)
                verifiedTargets.insert(target, for: name)
                return .response(imageResponse(thumbnail, dialect, served, request))
            }
            // Under overload, a request can fail here, before a task is created: tasks and suspensions are too
            // expensive then.
            try engine.checkLoad(thumbnail)
            return .work(.image(thumbnail, dialect))
        case .info(let thumbnail, let rawIdentifier):
            progress.trace.recordSource(thumbnail.source)
            return .work(.info(thumbnail, rawIdentifier: rawIdentifier))
        case .redirect(let path):
            var response = ServiceResponse(status: 303, fields: [.location: path, .cacheControl: "no-store"])
            response.dialect = .iiif
            return .response(response)
        }
    }

    private func perform(
        _ work: Work, _ request: ServiceRequest, _ body: @escaping BodySource
    ) async throws(ServiceError) -> ServiceResponse {
        switch work {
        case .route(let handler): try await handler.respond(to: request)
        case .image(let thumbnail, let dialect): try await thumbnailResponse(thumbnail, dialect, request, body)
        case .info(let thumbnail, let rawIdentifier): try await info(thumbnail, rawIdentifier, request)
        }
    }

    /// Returns the methods that a target supports, for the field `Allow` (RFC 9110 §10.2.1).
    private func supportedMethods(_ target: String) -> String {
        if target == "*" { return "GET, HEAD, OPTIONS, POST" }
        if let extra, extra.handles(target) { return extra.supportedMethods(target) }
        return dialects.name(of: target) == .post ? "OPTIONS, POST" : "GET, HEAD, OPTIONS"
    }

    private func options(_ target: String) -> ServiceResponse {
        var response = ServiceResponse(status: 204, fields: [.allow: supportedMethods(target)])
        response.dialect = dialects.name(of: target)
        if response.dialect == .iiif || crossOrigin.isConfigured && !isExtra(target) {
            crossOrigin.addPreflightFields(to: &response, methods: supportedMethods(target))
        }
        return response
    }

    private func thumbnailResponse(
        _ thumbnail: ThumbnailRequest, _ dialect: DialectName, _ request: ServiceRequest, _ readBody: BodySource
    ) async throws(ServiceError) -> ServiceResponse {
        let reservation = engine.bodies.reservation()
        defer { reservation.release() }
        var body: [UInt8]?
        if thumbnail.source == .body {
            let reader = RequestBodyReader(maxBytes: configuration.limits.sourceBytes, reservation: reservation)
            body = try await reader.read(length: request[.contentLength].flatMap { Int($0) }, readBody)
        }
        let engine = engine
        let client = self.client(request)
        let served = try await runWhileConnected { [body] () throws(ServiceError) in
            try await engine.result(for: thumbnail, body: body, reservation: reservation, client: client)
        }
        return imageResponse(thumbnail, dialect, served, request)
    }

    /// Address of the client, behind a trusted proxy the forwarded one; nil when renders per client are not limited.
    private func client(_ request: ServiceRequest) -> IPAddress? {
        guard configuration.limits.rendersPerClient != nil else { return nil }
        let trusts = configuration.server.trustsForwardedFor
        return .client(peer: request.peer, forwardedFor: trusts ? request[.forwardedFor] : nil)
    }

    /// Responds with `info.json`, for which only the image header of the source is read.
    private func info(
        _ thumbnail: ThumbnailRequest, _ rawIdentifier: String, _ request: ServiceRequest
    ) async throws(ServiceError) -> ServiceResponse {
        let engine = engine
        let (header, source) = try await runWhileConnected { () throws(ServiceError) in
            try await engine.header(of: thumbnail.source)
        }
        let id = publicURL(request) + IIIFDialect.prefix + rawIdentifier
        let info = IIIFInfo(
            id: id, width: header.displayWidth, height: header.displayHeight, rules: engine.renderer.sizes)
        var response = ServiceResponse(status: 200, body: Array(info.json.utf8))
        response.dialect = .iiif
        response.fields[.contentType] = IIIFInfo.mediaType(accept: request[.accept])
        response.fields[.vary] = "Accept"
        response.fields[.link] = "<\(IIIFInfo.profile)>;rel=\"profile\""
        let lifetime = CacheLifetime(
            of: source.lifetime, policy: thumbnail.policy, settings: engine.lifetimes, isDamaged: source.isStale,
            now: engine.now.milliseconds)
        if source.isStale { response.add([.stale]) }
        // Intermediate caches use the target as key, so they must not store a document that depends on the Host field.
        let dependsOnHost = configuration.server.publicURL == nil
        response.fields[.cacheControl] = dependsOnHost ? "no-store" : lifetime.cacheControl
        return response
    }

    /// Runs `work` until it is done, the deadline passes or the task of the request is cancelled, because the client
    /// has left.
    private func runWhileConnected<Value: Sendable>(
        _ work: @escaping @Sendable () async throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        let counters = engine.counters
        let limit = configuration.server.deadline
        let result: Result<Value, ServiceError> = await withTaskCancellationHandler {
            do throws(ServiceError) { return .success(try await withDeadline(limit, work)) } catch {
                return .failure(error)
            }
        } onCancel: {
            counters.countDisconnect()
        }
        return try result.get()
    }

    private func imageResponse(
        _ thumbnail: ThumbnailRequest, _ name: DialectName, _ served: ThumbnailEngine.ServedResult,
        _ request: ServiceRequest
    ) -> ServiceResponse {
        let facts = served.result.facts
        let isUnchanged = ConditionalRequest(
            ifNoneMatch: request[.ifNoneMatch], ifModifiedSince: request[.ifModifiedSince]
        ).isNotModified(
            entityTag: facts.entityTag, lastModified: facts.lastModified, now: engine.now.seconds)
        return imageResponse(thumbnail, name, served, target: request.target, isUnchanged: isUnchanged)
    }

    func imageResponse(
        _ thumbnail: ThumbnailRequest, _ name: DialectName, _ served: ThumbnailEngine.ServedResult, target: String,
        isUnchanged: Bool
    ) -> ServiceResponse {
        let (facts, now) = (served.result.facts, engine.now)
        var response = ServiceResponse(status: isUnchanged ? 304 : 200, body: isUnchanged ? [] : served.result.bytes)
        response.dialect = name
        response.provenance = served.provenance
        let lifetime = served.result.lifetime(thumbnail.policy, engine.lifetimes, now: now)
        response.fields[.cacheControl] = lifetime.cacheControl
        if let age = lifetime.age { response.fields[.age] = String(age) }
        response.fields[.eTag] = facts.entityTag
        if let seconds = facts.lastModified {
            response.fields[.lastModified] = LastModified(seconds: seconds).fieldValue
        }
        guard !isUnchanged else { return response }
        response.add(facts.imageStatus)
        response.fields[.contentType] = facts.contentType
        response.fields[.contentDisposition] = thumbnail.policy.contentDisposition
        if facts.frameCount > 1 { response.fields[.frames] = "\(facts.resultFrameCount)/\(facts.frameCount)" }
        if !thumbnail.policy.ignoredFilters.isEmpty {
            response.fields[.ignoredFilters] = thumbnail.policy.ignoredFilters.joined(separator: ", ")
        }
        if name == .iiif {
            var links = ["<\(IIIFInfo.profile)>;rel=\"profile\""]
            if let path = facts.canonicalPath, let base = Self.canonicalBase(target) {
                // Without a configured public URL, the link is relative to the URL of the request (RFC 8288 §3.1): this
                // response is cached, so it must not contain the Host field.
                links.append("<\(configuration.server.publicURL ?? "")\(base)/\(path)>;rel=\"canonical\"")
            }
            response.fields[.link] = links.joined(separator: ", ")
        }
        return response
    }

    /// Returns the public base URL: the configured one, otherwise `http://` and the Host field, which has
    /// been checked.
    private func publicURL(_ request: ServiceRequest) -> String {
        if let publicURL = configuration.server.publicURL { return publicURL }
        let host = request.authority ?? ""
        return "http://" + (host.isEmpty ? configuration.server.host : host)
    }

    /// Returns the target up to and including the identifier.
    private static func canonicalBase(_ target: String) -> String? {
        let segments = target.split(separator: "/", omittingEmptySubsequences: false)
        return segments.count < 4 ? nil : segments.prefix(4).joined(separator: "/")
    }

    /// Adds the fields that depend on the request, counts the response and logs it.
    private func finished(_ response: ServiceResponse, _ progress: RequestProgress) -> ServiceResponse {
        var response = response
        let request = progress.request
        let allowsOrigins = !response.isHealth && !isExtra(request.target)
        addCommonFields(to: &response, dependsOnAccept: progress.dependsOnAccept, allowsOrigins: allowsOrigins)
        if allowsOrigins, let origin = crossOrigin.listedOrigin({ request[.origin] }) {
            response.fields[.accessControlAllowOrigin] = origin
        }
        response.fields[.requestID] = progress.id
        let elapsed = progress.start.duration(to: .now)
        if showsDebugFields {
            if let provenance = response.provenance { response.fields[.cacheLayer] = provenance.rawValue }
            response.fields[.serverTiming] = progress.trace.serverTiming(total: elapsed)
        }
        engine.metrics.recordResponse(response.labels, response.rejection, response.imageStatus, in: elapsed)
        let line = RequestLog(
            method: request.method, target: request.target, id: progress.id, response: response,
            trace: progress.trace, elapsed: elapsed)
        log.write(line.level, "request", line.fields)
        return response
    }

    /// Returns true for a target of the gallery. Scripts of other sites must not read its pages: they contain a token.
    private func isExtra(_ target: String) -> Bool { extra?.handles(target) == true }

    /// - Parameter allowsOrigins: False for responses that scripts of other sites may not read.
    func addCommonFields(to response: inout ServiceResponse, dependsOnAccept: Bool, allowsOrigins: Bool) {
        if dependsOnAccept { response.fields[.vary] = "Accept" }
        // Viewers on other sites read images, info.json and errors by script.
        if allowsOrigins { crossOrigin.addFields(to: &response, isIIIF: response.dialect == .iiif) }
        response.fields[.xContentTypeOptions] = "nosniff"
        if response.fields[.contentSecurityPolicy] == nil {
            response.fields[.contentSecurityPolicy] = "default-src 'none'; sandbox"
        }
        response.fields[.acceptRanges] = "none"
        if let policy = configuration.output.resourcePolicy {
            response.fields[.crossOriginResourcePolicy] = policy.rawValue
        }
    }

    /// Responds with an error.
    private func finished(_ error: ServiceError, _ progress: RequestProgress) -> ServiceResponse {
        let target = progress.request.target
        var response = ServiceResponse(error, requestID: progress.id, lifetimes: engine.lifetimes)
        response.dialect = dialects.name(of: target)
        if error.reason == .methodNotAllowed { response.fields[.allow] = supportedMethods(target) }
        return finished(response, progress)
    }
}

/// A request with what is known about it so far.
private struct RequestProgress: Sendable {
    let request: ServiceRequest
    let start = ContinuousClock.now
    let id: String
    let trace: RequestTrace
    /// True for an image whose format can depend on `Accept`, and for all errors of such an image.
    var dependsOnAccept = false

    init(_ request: ServiceRequest) {
        self.request = request
        id = RequestIdentifier.of(request[.requestID])
        trace = RequestTrace(
            request[.traceParent].flatMap { TraceContext(parent: $0, state: request[.traceState]) })
    }
}

extension RequestTrace {
    /// Records the URL of the source for the log.
    fileprivate func recordSource(_ source: SourceName) {
        guard case .url(let url) = source else { return }
        update { $0.sourceURL = url }
    }
}
