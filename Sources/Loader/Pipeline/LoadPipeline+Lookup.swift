#if Loader
internal import PlatformImage

extension LoadPipeline {
    /// What a look at one hop comes to.
    private enum Look {
        case nothing
        /// Fresh when a load would follow it without asking.
        case redirect(ResponseHead, isFresh: Bool)
        case picture(StoredAnswer, LoadContent)
        /// A body that is still to be decoded.
        case body(StoredAnswer, [UInt8])
    }

    /// What the caches hold for a load, fresh or not, through stored redirects; nil for nothing.
    ///
    /// The calling thread waits for the disk and for the decode queue, and for nothing else.
    func lookUpWaiting(_ load: Load) -> LoadedImage? {
        var chain = chain(load)
        var isFresh = true
        while let hop = LoadHop(chain.request, load, self, isFirst: chain.hops == 0) {
            let found = findWaiting(hop)
            switch look(at: found, hop) {
            case .nothing: return nil
            case .redirect(let head, let isAnswer):
                guard follow(head, &chain) else { return nil }
                isFresh = isFresh && isAnswer
            case .picture(let stored, let content): return image(stored, content, found, isFresh)
            case .body(let stored, let body):
                guard let decoding = load.decoding,
                    let image = try? shared.decodeQueue.decodeWaiting(
                        body, with: decoding.decoder, priority: load.priority.decodePriority)
                else { return nil }
                return keep(image, body, stored, found, hop, isFresh)
            }
        }
        return nil
    }

    /// Looks as ``lookUpWaiting(_:)`` does, without holding a thread.
    func lookUp(_ load: Load) async -> LoadedImage? {
        var chain = chain(load)
        var isFresh = true
        while let hop = LoadHop(chain.request, load, self, isFirst: chain.hops == 0), !Task.isCancelled {
            let found = await find(hop)
            switch look(at: found, hop) {
            case .nothing: return nil
            case .redirect(let head, let isAnswer):
                guard follow(head, &chain) else { return nil }
                isFresh = isFresh && isAnswer
            case .picture(let stored, let content): return image(stored, content, found, isFresh)
            case .body(let stored, let body):
                guard let decoding = load.decoding,
                    let image = try? await decode(body, found.identity, hop, decoding)
                else { return nil }
                return keep(image, body, stored, found, hop, isFresh)
            }
        }
        return nil
    }

    /// True when one of the layers that the load reads has a picture for it, fresh or not; no body is read.
    func contains(_ load: Load) -> Bool {
        var chain = chain(load)
        while let hop = LoadHop(chain.request, load, self, isFirst: chain.hops == 0) {
            if load.layers.contains(.readsMemory), configuration.cacheImagesInMemory,
                let picture = memory?.cache.peek(hop.imageKey), candidate(picture.entry, hop) != nil
            {
                return true
            }
            guard load.layers.contains(.readsDisk), let head = disk?.head(hop.key, varying: hop.varying),
                let candidate = candidate(head.entry, hop)
            else { return false }
            guard let next = redirect(candidate) else { return candidate.isSuccess }
            guard load.redirect == .follow, follow(next, &chain) else { return false }
        }
        return false
    }

    private func chain(_ load: Load) -> RedirectChain {
        let credentials = Credentials(basicAuth: configuration.basicAuth, origins: configuration.credentialOrigins)
        return RedirectChain(
            credentials.applied(to: HTTPRequest(url: load.url, fields: load.fields)),
            maxRedirects: configuration.maxRedirects)
    }

    private func follow(_ head: ResponseHead, _ chain: inout RedirectChain) -> Bool {
        (try? chain.follow(head)) != nil
    }

    private func candidate(_ entry: CacheEntry?, _ hop: LoadHop) -> StoredCandidate? {
        StoredCandidate(entry, request: hop.request, settings: settings, now: now)
    }

    private func redirect(_ candidate: StoredCandidate) -> ResponseHead? {
        let response = candidate.response
        guard Storability.isRedirect(response.status) else { return nil }
        return ResponseHead(status: response.status, fields: response.fields)
    }

    private func look(at found: FoundEntry, _ hop: LoadHop) -> Look {
        guard let candidate = candidate(found.entry, hop) else { return .nothing }
        var stored = candidate.answer(isFresh: false)
        if case .answer(let answer, refresh: nil) = decide(hop, found), answer.isFresh { stored = answer }
        if let head = redirect(candidate) {
            return hop.load.redirect == .follow ? .redirect(head, isFresh: stored.isFresh) : .nothing
        }
        guard candidate.isSuccess, accepts(found, hop) else { return .nothing }
        if let picture = found.picture { return .picture(stored, picture.content) }
        return found.content.map { .body(stored, $0) } ?? .nothing
    }

    private func keep(
        _ image: DecodedImage, _ body: [UInt8], _ stored: StoredAnswer, _ found: FoundEntry, _ hop: LoadHop,
        _ isFresh: Bool
    ) -> LoadedImage? {
        let content = LoadContent(image: image, bytes: configuration.retainsEncodedData ? body : nil)
        if let entry = found.entry { remember(content, entry, found.revision, hop, found.moments) }
        return self.image(stored, content, found, isFresh)
    }

    private func image(
        _ stored: StoredAnswer, _ content: LoadContent, _ found: FoundEntry, _ isFresh: Bool
    ) -> LoadedImage? {
        LoadAnswer(
            content: content, source: found.isInMemory ? .memory : .disk, isFresh: stored.isFresh && isFresh,
            isStored: found.revision != nil, status: stored.status, fields: stored.fields
        ).image
    }
}
#endif
