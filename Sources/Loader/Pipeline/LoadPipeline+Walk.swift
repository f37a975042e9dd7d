#if Loader
internal import PlatformImage

/// One load on its way: hop by hop, each through the caches and, if it must be, over the network.
struct LoadWalk {
    private let pipeline: LoadPipeline
    private let load: Load
    private let tell: LoadChannel<LoadEvent>?
    private var hasShown = false
    private var hasSent = false
    private(set) var timings = LoadTimings()

    init(_ pipeline: LoadPipeline, _ load: Load, _ tell: LoadChannel<LoadEvent>?) {
        self.pipeline = pipeline
        self.load = load
        self.tell = tell
    }

    /// How a hop ends.
    private enum Step {
        case answer(LoadAnswer)
        /// A redirect to follow.
        case redirect(ResponseHead)
    }

    mutating func run() async throws(LoadError) -> LoadAnswer {
        guard CacheKey.normalised(load.url) != nil else { throw Self.addressError(load) }
        guard load.cacheKey.map({ CacheKey(url: $0) != nil }) ?? true else {
            throw load.error(.invalidURL, "the key is no http or https address")
        }
        do throws(DecodeError) { try load.decoding?.decoder.options.check() } catch {
            throw load.error(.configuration, "decodeOptions: \(error.message)")
        }
        let configuration = pipeline.configuration
        let credentials = Credentials(basicAuth: configuration.basicAuth, origins: configuration.credentialOrigins)
        let request = credentials.applied(to: HTTPRequest(url: load.url, fields: load.fields))
        var chain = RedirectChain(request, maxRedirects: configuration.maxRedirects)
        while true {
            switch try await step(try hop(chain)) {
            case .answer(var answer):
                timings.take(load.meter.cost)
                answer.timings = timings
                return answer
            case .redirect(let head):
                let next: HTTPRequest?
                do throws(LoadError) { next = try chain.follow(head) } catch { throw error.about(FailedResponse(head)) }
                guard next != nil else {
                    throw load.error(.redirect, "status \(head.status) without a Location").about(FailedResponse(head))
                }
            }
        }
    }

    private func hop(_ chain: RedirectChain) throws(LoadError) -> LoadHop {
        guard let hop = LoadHop(chain.request, load, pipeline, isFirst: chain.hops == 0) else {
            throw Self.addressError(load)
        }
        return hop
    }

    /// What is wrong with an address of http or https that is none.
    private static let malformed =
        "the address does not parse: it has a space or a control character, no good host, or no port of 1 to 65535"

    private static func addressError(_ load: Load) -> LoadError {
        let scheme = URLReference(load.url.utf8).scheme.map { String(decoding: $0, as: UTF8.self).lowercased() }
        guard let scheme, scheme != "http", scheme != "https" else {
            return load.error(
                .invalidURL, load.url.isEmpty ? "no address" : scheme == nil ? "no http or https address" : malformed)
        }
        return load.error(.unsupportedScheme, "the scheme \(scheme)")
    }

    private mutating func step(_ hop: LoadHop) async throws(LoadError) -> Step {
        try checkCancellation()
        let begin = ContinuousClock.now
        var found = await pipeline.find(hop)
        timings.lookup += .now - begin
        while true {
            try checkCancellation()
            switch pipeline.decide(hop, found) {
            case .answer(let stored, let refresh):
                if Storability.isRedirect(stored.status) {
                    return try redirected(
                        FailedResponse(stored, of: found), isStored: found.revision != nil, source: .disk)
                }
                guard Storability.isSuccess(stored.status) else {
                    throw pipeline.remembered(stored, found, load)
                }
                guard let answer = try await show(stored, of: &found, at: hop) else {
                    found.forgetResponse()
                    continue
                }
                guard let refresh else { return .answer(answer) }
                guard tell != nil else {
                    pipeline.refresh(hop, plan: refresh, found: found)
                    return .answer(answer)
                }
                do throws(LoadError) {
                    return try await fetch(hop, refresh, found, isRefresh: true)
                } catch {
                    // The failed refresh keeps the picture, which was good enough to be answered with.
                    guard error.code != .cancelled else { throw error }
                    var kept = answer
                    kept.insteadOf = error
                    return .answer(kept)
                }
            case .send(let plan, let provisional):
                pipeline.noteMiss(hop, found)
                if tell != nil, !hasSent, let provisional, try await show(provisional, of: &found, at: hop) == nil {
                    found.forgetResponse()
                    continue
                }
                if !plan.isPassThrough, !CacheDemand(hop.request, settings: pipeline.settings).bypassesErrors,
                    let failure = pipeline.shared.failures.failure(
                        for: hop.key, maxAge: pipeline.configuration.negativeCacheMaxAge, now: pipeline.now,
                        by: load.taking)
                {
                    throw failure
                }
                return try await fetch(hop, plan, found)
            case .fail(let error, let provisional):
                if tell != nil, !hasSent, let provisional { _ = try await show(provisional, of: &found, at: hop) }
                throw pipeline.error(.remembered(error), load)
            case .notInCache:
                pipeline.noteMiss(hop, found)
                throw load.error(.notInCache, "nothing usable is stored")
            }
        }
    }

    /// Where a response that points elsewhere leads: to the next hop, or back to a caller who wants to see it.
    private func redirected(
        _ response: FailedResponse, isStored: Bool, source: LoadSource
    ) throws(LoadError) -> Step {
        guard load.redirect == .manual else {
            return .redirect(ResponseHead(status: response.status, fields: response.fields))
        }
        guard load.decoding == nil else {
            let error = LoadError(
                .unexpectedStatus, url: Redaction.shown(load.url), statusCode: response.status,
                "status \(response.status), a redirect that is not to be followed")
            throw error.about(response)
        }
        return .answer(
            LoadAnswer(
                content: LoadContent(bytes: response.body), source: source, isFresh: true, isStored: isStored,
                status: response.status, fields: response.fields))
    }

    /// Decodes what is stored and tells of it, once a load; nil when no picture can be made of it.
    private mutating func show(
        _ stored: StoredAnswer, of found: inout FoundEntry, at hop: LoadHop
    ) async throws(LoadError) -> LoadAnswer? {
        guard pipeline.accepts(found, hop), let content = try await content(of: &found, at: hop) else { return nil }
        let answer = LoadAnswer(
            content: content, source: found.isInMemory ? .memory : .disk, isFresh: stored.isFresh,
            isStored: found.revision != nil, insteadOf: stored.insteadOf.map { pipeline.error($0, load) },
            status: stored.status, fields: stored.fields, timings: timings)
        // Behind a redirect that the origin sent, what is stored is no longer shown before anything is sent (O10): it comes
        // with the end.
        if let image = answer.image, !hasShown, !hasSent {
            hasShown = true
            tell?.send(.cached(image))
        }
        return answer
    }

    /// The picture in memory, or the stored body decoded; nil when it cannot be.
    private mutating func content(of found: inout FoundEntry, at hop: LoadHop) async throws(LoadError) -> LoadContent? {
        if let picture = found.picture { return picture.content }
        guard let body = found.content else { return nil }
        guard let decoding = load.decoding else { return LoadContent(bytes: body) }
        let begin = ContinuousClock.now
        defer { timings.decode += .now - begin }
        do throws(LoadError) {
            let image = try await pipeline.decode(body, found.identity, hop, decoding)
            let content = LoadContent(image: image, bytes: pipeline.configuration.retainsEncodedData ? body : nil)
            if let entry = found.entry {
                pipeline.remember(content, entry, found.revision, hop, found.moments)
                // Should the origin confirm it, it need not be decoded again.
                found.picture = .init(
                    entry: entry, content: content, revision: found.revision, ticket: found.moments.disk)
            }
            return content
        } catch {
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }

    private mutating func fetch(
        _ hop: LoadHop, _ plan: RequestPlan, _ found: FoundEntry, isRefresh: Bool = false, isOwn: Bool = false
    ) async throws(LoadError) -> Step {
        let begin = ContinuousClock.now
        let waiter = pipeline.join(
            hop, plan, found, isRefresh: isRefresh, isOwn: isOwn, hearsSteps: tell != nil)
        load.priority.attach(waiter)
        defer { load.priority.attach(nil) }
        let end = try await ending(of: waiter)
        timings.network += .now - begin
        switch end {
        case .failure(let failure):
            // Other options, other limits: what one cannot decode another one may.
            if let variant = failure.variant, variant != load.decoding?.variant, !isOwn {
                return try await fetch(hop, plan, found, isRefresh: isRefresh, isOwn: true)
            }
            throw failure.error
        case .success(let fetched):
            try checkCancellation()
            if Storability.isRedirect(fetched.status) {
                let source: LoadSource = fetched.kind == .received ? .none : .disk
                let response = FailedResponse(
                    status: fetched.status, fields: fetched.fields, body: fetched.body ?? [], source: source)
                return try redirected(
                    response, isStored: fetched.isStored, source: source == .none ? .networkToDisk : source)
            }
            if let answer = try await answer(fetched, hop, found) { return .answer(answer) }
            guard !isOwn else { throw load.error(.undecodable, "the stored body is lost") }
            var plan = RequestPlan()
            plan.isRefetch = true
            return try await fetch(hop, plan, FoundEntry(moments: found.moments), isOwn: true)
        }
    }

    /// Hands the steps on until the end.
    private mutating func ending(of waiter: LoadPipeline.Fetches.Waiter) async throws(LoadError) -> FetchEnd {
        while true {
            switch await waiter.next() {
            case .sending:
                guard !hasSent else { continue }
                hasSent = true
                tell?.send(.sendingRequest(didHaveCachedImage: hasShown))
            case .progress(let received, let expected):
                tell?.send(.progress(received: received, expected: expected), isProgress: true)
            case .retrying(let attempt, let delay, let reason):
                tell?.send(.retrying(attempt: attempt, delay: delay, reason: reason))
            case .ended(let fetch):
                load.meter.add(fetch.cost)
                return fetch.end
            case .left:
                throw LoadError.cancelled(url: Redaction.shown(load.url))
            }
        }
    }

    /// What a fetch came to for this load; nil when the body that the origin confirmed is at hand nowhere.
    private mutating func answer(
        _ fetched: Fetched, _ hop: LoadHop, _ found: FoundEntry
    ) async throws(LoadError) -> LoadAnswer? {
        var answer = LoadAnswer(
            content: LoadContent(), source: .networkToDisk, isFresh: fetched.isFresh, isStored: fetched.isStored,
            insteadOf: fetched.insteadOf, status: fetched.status, fields: fetched.fields)
        switch fetched.kind {
        case .received: break
        case .notModified: answer.source = .networkNotModified
        case .stored: answer.source = found.isInMemory ? .memory : .disk
        }
        if let content = fetched.content, load.decoding?.variant == fetched.variant {
            answer.content = content
        } else if fetched.kind != .received, let picture = found.picture,
            picture.entry.response?.createdAt == fetched.createdAt
        {
            answer.content = picture.content
        } else if let body = fetched.body {
            guard let decoding = load.decoding else {
                answer.content = LoadContent(bytes: body)
                return answer
            }
            let begin = ContinuousClock.now
            let image: DecodedImage
            do throws(LoadError) {
                image = try await pipeline.decode(body, .fetch(fetched), hop, decoding)
            } catch {
                guard error.code == .undecodable, fetched.kind != .received else {
                    throw error.about(FailedResponse(status: fetched.status, fields: fetched.fields, body: body))
                }
                return nil
            }
            timings.decode += .now - begin
            answer.content = LoadContent(image: image, bytes: pipeline.configuration.retainsEncodedData ? body : nil)
        } else {
            return nil
        }
        if let entry = fetched.entry, fetched.insteadOf == nil {
            pipeline.remember(answer.content, entry, fetched.revision, hop, found.moments)
        }
        if fetched.kind == .stored, fetched.insteadOf == nil, !hasShown, !hasSent, let image = answer.image {
            hasShown = true
            tell?.send(.cached(image))
        }
        return answer
    }

    private func checkCancellation() throws(LoadError) {
        if Task.isCancelled { throw LoadError.cancelled(url: Redaction.shown(load.url)) }
    }
}
#endif
