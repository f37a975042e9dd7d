internal import PlatformImage

/// Finds the cached image of a request, fresh or stale, following stored redirects; sends no request.
struct CachedImageLookup: Sendable {
    let preparation: RequestPreparation
    let lookup: CacheLookup
    let freshness: FreshnessRules
    let decoder: BodyDecoder
    let writer: CacheWriter
    let clock: @Sendable () -> WallTime

    /// The cached image; nil when there is none. Blocks the calling thread for reading and decoding.
    func imageBlocking(_ load: Load) -> LoadedImage? {
        var search = Search(self, load)
        while let hop = search.hop {
            var found = lookup.findBlocking(hop)
            lookup.decodeVariantFileBlocking(of: &found, hop)
            search.process(found, hop)
            guard let body = search.undecoded, let decoding = load.decoding?.declaring(body.fields) else { continue }
            search.process(try? decoder.decodeBlocking(body.bytes, decoding), of: body, hop)
        }
        return search.image
    }

    /// As ``imageBlocking(_:)``, without blocking the calling thread.
    func image(_ load: Load) async -> LoadedImage? {
        var search = Search(self, load)
        while let hop = search.hop, !Task.isCancelled {
            var found = await lookup.find(hop)
            await lookup.decodeVariantFile(of: &found, hop)
            search.process(found, hop)
            guard let body = search.undecoded, let decoding = load.decoding?.declaring(body.fields) else { continue }
            search.process(try? await decoder.decode(body.bytes, body.found.identity, hop, decoding), of: body, hop)
        }
        return search.image
    }

    /// True when one of the layers that the load reads has an image for it, fresh or stale; no body is read.
    func contains(_ load: Load) -> Bool {
        var chain = preparation.chain(for: load)
        while let hop = preparation.hop(of: chain, load) {
            if freshness.candidate(lookup.memory.peek(hop), hop, now: clock()) != nil { return true }
            guard let candidate = freshness.candidate(lookup.disk.headerBlocking(hop), hop, now: clock()) else {
                return false
            }
            guard let next = candidate.redirect else { return candidate.isSuccess }
            guard load.redirect == .follow, (try? chain.follow(next)) != nil else { return false }
        }
        return false
    }

    /// The state of a lookup, shared by the blocking and the asynchronous variant: both perform the reads and decodes
    /// that the search requests, and pass the results to it.
    private struct Search {
        /// A stored body that needs decoding.
        struct Body {
            let bytes: [UInt8]
            let stored: CachedResponse
            let found: LookupResult

            var fields: HeaderFields? { found.entry?.response?.fields }
        }

        private let dependencies: CachedImageLookup
        private let load: Load
        private var chain: RedirectChain
        /// True while all redirects so far are fresh.
        private var isFresh = true
        /// The next request to look up, at first the caller's, then the target of a stored redirect; nil at the end.
        private(set) var hop: LoadHop?
        /// The body to decode before ``image`` is known.
        private(set) var undecoded: Body?
        private(set) var image: LoadedImage?

        init(_ dependencies: CachedImageLookup, _ load: Load) {
            self.dependencies = dependencies
            self.load = load
            chain = dependencies.preparation.chain(for: load)
            hop = dependencies.preparation.hop(of: chain, load)
        }

        /// Processes the cached entry of the request.
        mutating func process(_ found: LookupResult, _ hop: LoadHop) {
            self.hop = nil
            let now = dependencies.clock()
            guard let candidate = dependencies.freshness.candidate(found.entry, hop, now: now) else { return }
            var stored = candidate.cachedResponse(isFresh: false)
            if case .useStored(let response, refresh: nil) = dependencies.freshness.decide(hop, found, now: now),
                response.isFresh
            {
                stored = response
            }
            if let head = candidate.redirect {
                guard load.redirect == .follow, (try? chain.follow(head)) != nil else { return }
                isFresh = isFresh && stored.isFresh
                self.hop = dependencies.preparation.hop(of: chain, load)
            } else if candidate.isSuccess {
                if let cachedImage = found.cachedImage {
                    if !found.isInMemory {
                        let state = StoredState(entry: found.entry, revision: found.bodyRevision)
                        dependencies.writer.rememberInMemory(cachedImage.content, state, hop, found.generations)
                    }
                    image = image(of: cachedImage.content, stored, found)
                } else {
                    undecoded = found.content.map { Body(bytes: $0, stored: stored, found: found) }
                }
            }
        }

        /// Processes a decoded image and adds it to memory; nil means that the body does not decode.
        mutating func process(_ decoded: DecodedImage?, of body: Body, _ hop: LoadHop) {
            undecoded = nil
            guard let decoded else { return }
            let content = dependencies.decoder.content(decoded, body.bytes)
            let state = StoredState(entry: body.found.entry, revision: body.found.bodyRevision)
            dependencies.writer.rememberInMemory(content, state, hop, body.found.generations)
            image = image(of: content, body.stored, body.found)
        }

        private func image(of content: LoadContent, _ stored: CachedResponse, _ found: LookupResult) -> LoadedImage? {
            LoadResult(
                content: content, source: found.isInMemory ? .memory : .disk, isFresh: stored.isFresh && isFresh,
                isStored: found.isStored, status: stored.status, fields: stored.fields
            ).image
        }
    }
}

extension StoredCandidate {
    /// The response head of a stored redirect; nil for any other response.
    fileprivate var redirect: ResponseHead? {
        guard Storability.isRedirect(response.status) else { return nil }
        return ResponseHead(status: response.status, fields: response.fields)
    }
}
