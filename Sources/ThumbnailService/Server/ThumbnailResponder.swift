import HTTPTypes
import Hummingbird
import PlatformImageLoader
import Logging
import NIOCore
import PlatformImage

/// Responds to requests: selects the dialect and the source, and sets the response fields. Paths are parsed only by
/// their dialect.
struct ThumbnailResponder: HTTPResponder {
    /// Request context: the connection, which is watched for a disconnect of the client.
    struct Context: InitializableFromSource {
        let channel: any Channel

        init(source: ApplicationRequestContextSource) { channel = source.channel }
    }

    let engine: ThumbnailEngine
    let dialects: Dialects
    let state: ServiceState
    /// Handler for additional targets, such as the gallery; nil for none.
    let extra: (any RouteHandler)?
    /// Adds `X-Cache` and `Server-Timing` to responses.
    let showsDebugFields: Bool
    let logger: Logger
    private let negotiation: Negotiation
    private let verifiedTargets = VerifiedTargetCache()

    init(
        engine: ThumbnailEngine, dialects: Dialects, state: ServiceState, extra: (any RouteHandler)?,
        showsDebugFields: Bool, logger: Logger
    ) {
        (self.engine, self.dialects, self.state, self.logger) = (engine, dialects, state, logger)
        (self.extra, self.showsDebugFields) = (extra, showsDebugFields)
        let output = engine.configuration.output
        negotiation = Negotiation(
            isOn: output.negotiates, formats: output.formats, sendsWebP: output.sendsWebP,
            searches: output.searchBudget != nil)
    }

    private var configuration: ServiceConfiguration { engine.configuration }

    func respond(to request: Request, context: Context) async throws -> Response {
        let begin = ContinuousClock.now
        let id = RequestIdentifier.of(request.headers[.requestID])
        let trace = RequestTrace(TraceContext(request.headers))
        var response: ServiceResponse
        var dependsOnAccept = false
        let result: Result<ServiceResponse, ServiceError> = await RequestTrace.$current.withValue(trace) {
            do throws(ServiceError) {
                return .success(try await self.serviceResponse(request, context, &dependsOnAccept))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let success): response = success
        case .failure(let error):
            response = ServiceResponse(error, requestID: id, lifetimes: engine.lifetimes)
            response.dialect = dialects.name(of: request.head.path ?? "")
            if error.reason == .methodNotAllowed {
                response.fields[.allow] = supportedMethods(request.head.path ?? "")
            }
        }
        if dependsOnAccept { response.fields[.vary] = "Accept" }
        // Viewers on other sites read images, info.json and errors by script.
        if response.dialect == .iiif { response.fields[.accessControlAllowOrigin] = "*" }
        let elapsed = begin.duration(to: .now)
        engine.metrics.recordResponse(response.labels, response.rejection, in: elapsed)
        log(request, response, id, trace, elapsed)
        return httpResponse(response, id, isHeadRequest: request.method == .head, trace, elapsed)
    }

    /// Responds to a request.
    ///
    /// - Parameter dependsOnAccept: Set to true for an image whose format can depend on `Accept`, and for all errors of
    ///   such an image.
    private func serviceResponse(
        _ request: Request, _ context: Context, _ dependsOnAccept: inout Bool
    ) async throws(ServiceError) -> ServiceResponse {
        guard request.head.authority != nil else { throw HostFieldCheck.invalidHostError }
        let target = request.head.path ?? ""
        guard target.utf8.count <= configuration.server.maxTargetBytes else {
            throw ServiceError(.targetTooLong, "the target is longer than \(configuration.server.maxTargetBytes) bytes")
        }
        if let health = ServiceResponse.health(target, isReady: state.isReady) { return health }
        guard state.acceptsRequests else {
            throw ServiceError(.draining, retryAfter: 1, "the service is shutting down")
        }
        if request.method == .options { return options(target) }
        if let extra, extra.handles(target) { return try await extra.respond(to: request.head) }
        let accepted = negotiation.formats(for: request.headers[.accept])
        let name = VerifiedTargetCache.Name(target, accepted: accepted)
        if request.method == .get || request.method == .head, let cached = verifiedTargets.find(name),
            let served = engine.freshResultInMemory(cached.key)
        {
            dependsOnAccept = cached.dependsOnAccept
            RequestTrace.current?.recordSource(cached.request.source)
            return imageResponse(cached.request, cached.dialect, served, request)
        }
        let parsed: Dialects.ParsedTarget
        switch request.method {
        case .get, .head: parsed = try dialects.parse(target)
        case .post: parsed = try dialects.parsePost(target)
        default: throw ServiceError(.methodNotAllowed, "the method \(request.method.rawValue) is not supported")
        }
        switch parsed {
        case .image(var thumbnail, let dialect):
            dependsOnAccept = negotiation.applies(to: thumbnail)
            if negotiation.selectsFormat(of: thumbnail) { thumbnail.output.negotiated = accepted }
            return try await thumbnailResponse(thumbnail, dialect, name, request, context, dependsOnAccept)
        case .info(let thumbnail, let rawIdentifier): return try await info(thumbnail, rawIdentifier, request, context)
        case .redirect(let path):
            var response = ServiceResponse(status: 303, fields: [.location: path, .cacheControl: "no-store"])
            response.dialect = .iiif
            return response
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
        if response.dialect == .iiif {
            response.fields[.accessControlAllowMethods] = "GET, HEAD, OPTIONS"
            response.fields[.accessControlAllowHeaders] = "*"
        }
        return response
    }

    private func thumbnailResponse(
        _ thumbnail: ThumbnailRequest, _ dialect: DialectName, _ name: VerifiedTargetCache.Name, _ request: Request,
        _ context: Context, _ dependsOnAccept: Bool
    ) async throws(ServiceError) -> ServiceResponse {
        RequestTrace.current?.recordSource(thumbnail.source)
        // Results in memory are returned immediately, without a task or a suspension.
        if dialect != .post, let key = engine.memoryKey(of: thumbnail), let served = engine.freshResultInMemory(key) {
            let target = VerifiedTargetCache.Target(
                request: thumbnail, dialect: dialect, key: key, dependsOnAccept: dependsOnAccept)
            verifiedTargets.insert(target, for: name)
            return imageResponse(thumbnail, dialect, served, request)
        }
        // Under overload, a request can fail here, before a task is created: tasks and suspensions are too expensive
        // then.
        try engine.checkLoad(thumbnail)
        let reservation = engine.bodies.reservation()
        defer { reservation.release() }
        var body: [UInt8]?
        if thumbnail.source == .body {
            let reader = RequestBodyReader(maxBytes: configuration.limits.sourceBytes, reservation: reservation)
            body = try await reader.read(request)
        }
        let engine = engine
        let client = self.client(request, context)
        let served = try await runUntilDisconnect(context) { [body] () throws(ServiceError) in
            try await engine.result(for: thumbnail, body: body, reservation: reservation, client: client)
        }
        return imageResponse(thumbnail, dialect, served, request)
    }

    /// Address of the client, behind a trusted proxy the forwarded one; nil when renders per client are not limited.
    private func client(_ request: Request, _ context: Context) -> IPAddress? {
        guard configuration.limits.rendersPerClient != nil else { return nil }
        let trusts = configuration.server.trustsForwardedFor
        return .client(
            peer: context.channel.remoteAddress, forwardedFor: trusts ? request.headers[.forwardedFor] : nil)
    }

    /// Responds with `info.json`, for which only the image header of the source is read.
    private func info(
        _ thumbnail: ThumbnailRequest, _ rawIdentifier: String, _ request: Request, _ context: Context
    ) async throws(ServiceError) -> ServiceResponse {
        RequestTrace.current?.recordSource(thumbnail.source)
        let engine = engine
        let (header, source) = try await runUntilDisconnect(context) { () throws(ServiceError) in
            try await engine.header(of: thumbnail.source)
        }
        let id = publicURL(request) + IIIFDialect.prefix + rawIdentifier
        let info = IIIFInfo(
            id: id, width: header.displayWidth, height: header.displayHeight, rules: engine.renderer.sizes)
        var response = ServiceResponse(status: 200, body: Array(info.json.utf8))
        response.dialect = .iiif
        response.fields[.contentType] = IIIFInfo.mediaType(accept: request.headers[.accept])
        response.fields[.vary] = "Accept"
        response.fields[.link] = "<\(IIIFInfo.profile)>;rel=\"profile\""
        let lifetime = CacheLifetime(
            of: source.lifetime, policy: thumbnail.policy, settings: engine.lifetimes, now: engine.now.milliseconds)
        // Intermediate caches use the target as key, so they must not store a document that depends on the Host field.
        let dependsOnHost = configuration.server.publicURL == nil
        response.fields[.cacheControl] = dependsOnHost ? "no-store" : lifetime.cacheControl
        return response
    }

    /// Runs `work` until it is done, the deadline passes or the client disconnects.
    private func runUntilDisconnect<Value: Sendable>(
        _ context: Context, _ work: @escaping @Sendable () async throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        let counters = engine.counters
        return try await whileConnected(
            context.channel, within: configuration.server.deadline, onDisconnect: { counters.countDisconnect() }, work)
    }

    private func imageResponse(
        _ thumbnail: ThumbnailRequest, _ name: DialectName, _ served: ThumbnailEngine.ServedResult, _ request: Request
    ) -> ServiceResponse {
        let (facts, now) = (served.result.facts, engine.now)
        let isUnchanged = ConditionalRequest(request.headers).isNotModified(
            entityTag: facts.entityTag, lastModified: facts.lastModified, now: now.seconds)
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
        response.fields[.contentType] = facts.contentType
        response.fields[.contentDisposition] = thumbnail.policy.contentDisposition
        if facts.frameCount > 1 { response.fields[.frames] = "\(facts.resultFrameCount)/\(facts.frameCount)" }
        if !thumbnail.policy.ignoredFilters.isEmpty {
            response.fields[.ignoredFilters] = thumbnail.policy.ignoredFilters.joined(separator: ", ")
        }
        if name == .iiif {
            var links = ["<\(IIIFInfo.profile)>;rel=\"profile\""]
            if let path = facts.canonicalPath, let base = canonicalBase(request) {
                // Without a configured public URL, the link is relative to the URL of the request (RFC 8288 §3.1): this
                // response is cached, so it must not contain the Host field.
                links.append("<\(configuration.server.publicURL ?? "")\(base)/\(path)>;rel=\"canonical\"")
            }
            response.fields[.link] = links.joined(separator: ", ")
        }
        return response
    }

    /// Returns the public base URL: the configured one, otherwise `http://` and the Host field, which
    /// ``HostFieldCheck`` has checked.
    private func publicURL(_ request: Request) -> String {
        if let publicURL = configuration.server.publicURL { return publicURL }
        let host = request.head.authority ?? ""
        return "http://" + (host.isEmpty ? configuration.server.host : host)
    }

    /// Returns the target up to and including the identifier.
    private func canonicalBase(_ request: Request) -> String? {
        guard let path = request.head.path else { return nil }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        return segments.count < 4 ? nil : segments.prefix(4).joined(separator: "/")
    }

    private func httpResponse(
        _ response: ServiceResponse, _ id: String, isHeadRequest: Bool, _ trace: RequestTrace, _ elapsed: Duration
    ) -> Response {
        var fields = response.fields
        fields[.requestID] = id
        fields[.xContentTypeOptions] = "nosniff"
        fields[.contentSecurityPolicy] = response.fields[.contentSecurityPolicy] ?? "default-src 'none'; sandbox"
        fields[.acceptRanges] = "none"
        if let policy = configuration.output.resourcePolicy {
            fields[.crossOriginResourcePolicy] = policy.rawValue
        }
        if response.status != 304 { fields[.contentLength] = String(response.body.count) }
        if showsDebugFields {
            if let provenance = response.provenance { fields[.cacheLayer] = provenance.rawValue }
            fields[.serverTiming] = trace.serverTiming(total: elapsed)
        }
        if response.closesConnection { fields[.connection] = "close" }
        let hasBody = !isHeadRequest && response.status != 304 && !response.body.isEmpty
        return Response(
            status: .init(code: response.status), headers: fields,
            body: hasBody ? ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)) : ResponseBody())
    }

    private func log(
        _ request: Request, _ response: ServiceResponse, _ id: String, _ trace: RequestTrace, _ elapsed: Duration
    ) {
        let line = RequestLog(
            method: request.method, target: request.head.path ?? "", id: id, response: response, trace: trace,
            elapsed: elapsed)
        // The metadata is an autoclosure: it is built only at an enabled log level.
        logger.log(level: line.level, "request", metadata: line.metadata)
    }
}

extension RequestTrace {
    /// Records the URL of the source for the log.
    fileprivate func recordSource(_ source: SourceName) {
        guard case .url(let url) = source else { return }
        update { $0.sourceURL = url }
    }
}
