#if Loader
internal import PlatformImage

/// One hop of a load: what is looked for, and what goes out if it must.
struct LoadHop: Sendable {
    let key: CacheKey
    /// Without user information and fragment.
    let url: String
    /// As the caller means it, with credentials.
    let request: CacheRequest
    let load: Load

    /// The name of the picture in memory.
    var imageKey: ImageCacheKey { ImageCacheKey(key, variant: load.decoding?.variant ?? "") }

    /// What the request says in the fields that a stored response varies by.
    func varying(_ names: [String]) -> [VaryValue] { Vary.values(of: Set(names), request: request.fields) }
}

/// What the caches hold for a hop.
struct FoundEntry: Sendable {
    /// When it was looked for.
    struct Moments: Sendable {
        let fetches: UInt64
        let memory: UInt64
        let disk: DiskCache.Ticket?
    }

    var entry: CacheEntry?
    /// The verified body from disk, as it came.
    var body: [UInt8]?
    /// What it means without its content codings, which are undone anew on each use (HTTP-CACHE 5.2).
    var content: [UInt8]?
    /// Of the response on disk.
    var revision: DiskCache.Revision?
    /// The decoded picture of the same response.
    var picture: PictureMemory.Picture?
    /// True when a purge of the disk has ended the picture's freshness.
    var isPurged = false
    /// The key's name on disk, when that was looked at and had nothing under it, of no variant.
    var missing: DiskName?
    let moments: Moments

    init(moments: Moments) { self.moments = moments }

    /// True when the picture was in memory when it was looked for.
    var isInMemory = false

    /// Names the body, to share its decoding by.
    var identity: DecodeSource { revision.map { .disk($0) } ?? .unnamed }

    /// Goes on as if there were no response, because no picture can be made of it; a remembered error stays.
    mutating func forgetResponse() {
        entry?.response = nil
        body = nil
        content = nil
        picture = nil
        isInMemory = false
        revision = nil
    }
}

extension LoadHop {
    /// The first hop of a load; nil for an address that is none.
    init?(_ load: Load, _ pipeline: LoadPipeline) {
        let configuration = pipeline.configuration
        let credentials = Credentials(basicAuth: configuration.basicAuth, origins: configuration.credentialOrigins)
        self.init(credentials.applied(to: HTTPRequest(url: load.url, fields: load.fields)), load, pipeline)
    }

    /// The first hop of a load whose request is complete; nil for an address that is none.
    init?(_ request: HTTPRequest, _ load: Load, _ pipeline: LoadPipeline, isFirst: Bool = true) {
        let partition = load.partition ?? pipeline.partitionKey.partition(of: request.fields)
        let name = isFirst ? load.cacheKey ?? request.url : request.url
        // The scope is that of the host that is asked, whatever the picture is called in the caches.
        guard
            let key = CacheKey(
                url: name, partition: partition, trustScope: pipeline.trustScope.name(of: request.url)),
            let target = isFirst && load.cacheKey != nil ? CacheKey.normalised(request.url) : key.url
        else { return nil }
        self.init(
            key: key, url: target, request: CacheRequest(fields: request.fields, policy: load.policy), load: load)
    }
}

extension LoadPipeline {
    /// The present.
    var moments: FoundEntry.Moments {
        .init(fetches: shared.fetches.moment, memory: memory?.moment ?? 0, disk: disk?.ticket())
    }

    /// Looks in memory, and on disk unless what is in memory answers.
    func find(_ hop: LoadHop) async -> FoundEntry {
        var found = findInMemory(hop)
        if let disk, asksDisk(hop, found) {
            complete(&found, with: await onDisk(for: hop) { [self] in read(hop, from: disk) })
        }
        // What the host no longer takes is not there for a load: its origin is not asked to confirm it (O43).
        if let response = found.entry?.response, Storability.isSuccess(response.status), !accepts(found, hop) {
            found.forgetResponse()
        }
        return found
    }

    /// Looks as ``find(_:)`` does and waits for the disk.
    func findWaiting(_ hop: LoadHop) -> FoundEntry {
        var found = findInMemory(hop)
        guard let disk, asksDisk(hop, found) else { return found }
        complete(&found, with: read(hop, from: disk))
        return found
    }

    private func findInMemory(_ hop: LoadHop) -> FoundEntry {
        var found = FoundEntry(moments: moments)
        guard hop.load.layers.contains(.readsMemory), configuration.cacheImagesInMemory,
            let picture = memory?.cache.value(for: hop.imageKey)
        else { return found }
        found.picture = picture
        found.isInMemory = true
        found.entry = picture.entry
        found.isPurged = picture.ticket != nil && picture.ticket != found.moments.disk
        found.revision = found.isPurged ? nil : picture.revision
        return found
    }

    private func asksDisk(_ hop: LoadHop, _ found: FoundEntry) -> Bool {
        guard hop.load.layers.contains(.readsDisk) else { return false }
        if found.isInMemory, !found.isPurged, case .answer(_, refresh: nil) = decide(hop, found) { return false }
        return true
    }

    /// What the disk has.
    private struct DiskLook {
        /// Nil for nothing that answers.
        var hit: DiskCache.Hit?
        /// What its body means.
        var content: [UInt8]?
        var missing: DiskName?
    }

    private func read(_ hop: LoadHop, from disk: DiskCache) -> DiskLook {
        var look = DiskLook()
        look.hit = disk.read(hop.key, varying: hop.varying, missing: &look.missing)
        look.content = look.hit.flatMap { content(of: $0) }
        return look
    }

    private func complete(_ found: inout FoundEntry, with look: DiskLook) {
        let hit = look.hit
        found.missing = look.missing
        if let hit, hit.entry.response != nil {
            // The disk knows more: other loads and processes renew what is there.
            if found.picture?.revision != hit.revision {
                found.picture = nil
                found.isInMemory = false
            }
            found.isPurged = false
            found.entry = hit.entry
            found.body = hit.body
            found.content = look.content
            found.revision = hit.revision
            return
        }
        found.revision = nil
        if found.isPurged, !settings.useServerCachePolicy { found.forgetResponse() }
        if found.entry == nil { found.entry = hit?.entry } else { found.entry?.failure = hit?.entry.failure }
    }

    /// What the policy makes of what was found.
    func decide(_ hop: LoadHop, _ found: FoundEntry) -> CacheDecision {
        var request = hop.request
        if found.isPurged, request.policy == .default { request.policy = .revalidate }
        let now = now
        let decision = CacheDecision.decide(entry: found.entry, request: request, settings: settings, now: now)
        guard found.isPurged, settings.useServerCachePolicy, case .answer(var stored, let refresh) = decision,
            stored.isFresh,
            let candidate = StoredCandidate(found.entry, request: request, settings: settings, now: now)
        else { return decision }
        // It is stale whatever its origin said, also to those who would not ask about a fresh one (O54).
        stored.isFresh = false
        let demand = CacheDemand(request, settings: settings)
        switch demand.policy {
        case .cacheOnly, .cacheElseLoad:
            if candidate.mayBeStale { return .answer(stored, refresh: refresh) }
            if demand.policy == .cacheOnly { return .notInCache }
        case .default, .revalidate, .reload: break
        }
        let isShown = settings.deliversStaleBeforeValidation && candidate.isSuccess
        return .send(demand.plan(validating: candidate), provisional: isShown ? stored : nil)
    }

    /// Keeps a picture in memory, if it is there to be kept.
    func remember(
        _ content: LoadContent, _ entry: CacheEntry, _ revision: DiskCache.Revision?, _ hop: LoadHop,
        _ moments: FoundEntry.Moments
    ) {
        guard let memory, configuration.cacheImagesInMemory, hop.load.layers.contains(.writesMemory),
            content.image != nil, let response = entry.response, Storability.isSuccess(response.status)
        else { return }
        let key = hop.imageKey
        // Many loads of one picture end at once; one of them is enough.
        if let present = memory.cache.peek(key), present.entry == entry, present.revision == revision { return }
        let picture = PictureMemory.Picture(
            entry: entry, content: content, revision: revision, ticket: moments.disk)
        memory.insert(picture, for: key, since: moments.memory, now: now)
    }

    /// True when the host still takes what is stored: its set of types may have changed.
    func accepts(_ found: FoundEntry, _ hop: LoadHop) -> Bool {
        guard let fields = found.entry?.response?.fields else { return false }
        let gate = TypeGate(hop.load.acceptedContentTypes)
        if let picture = found.picture { return gate.accepts(picture, with: fields) }
        return gate.refusal(fields, start: found.content ?? []) == nil
    }
}

extension TypeGate {
    /// True when a picture in memory may come in by what its response declares, or else by its format.
    func accepts(_ picture: PictureMemory.Picture, with fields: HeaderFields) -> Bool {
        guard Self.declared(fields) == nil else { return refusal(fields, start: []) == nil }
        return picture.content.image.map { accepts($0.header.format.contentType) } ?? true
    }
}
#endif
