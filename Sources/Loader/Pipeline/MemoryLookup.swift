#if Loader
internal import PlatformImage

/// The decoded images in memory.
struct MemoryLookup: Sendable {
    let memory: PictureMemory?
    /// A purge of the disk ends the freshness of images that came from there.
    let disk: DiskCache?
    /// False when nothing is kept in memory.
    let isOn: Bool
    /// False when a lookup in memory never decides a load: nothing is kept there, or credentials or trust settings of
    /// the configuration are part of the keys.
    let decidesLoads: Bool
    let settings: CacheSettings
    let acceptedContentTypes: Set<ContentType>
    /// Changes with whatever decides how long an image in memory answers.
    let rules: UInt64
    let clock: @Sendable () -> WallTime

    /// The answer of a load that one look in memory decides; nil when it takes more to know.
    ///
    /// What it gives is what ``CacheDecision/decide(entry:request:settings:now:)`` would: a fresh picture, to a request
    /// without a say in caching, under a policy that a fresh picture satisfies. Everything else is left to the full way.
    func answer(_ request: ImageRequest) -> LoadedImage? {
        guard decidesLoads, request.policy != .reload, request.policy != .revalidate,
            request.layers.contains(.readsMemory), let key = request.keys.imageKey,
            let picture = memory?.cache.value(for: key),
            let lifespan = picture.lifespan(byRules: rules, { lifespan(of: picture) }),
            // A purge of the disk ends the freshness of what came from there.
            picture.ticket == nil || picture.ticket == disk?.ticket(),
            let image = picture.content.image, let response = picture.entry.response
        else { return nil }
        let freshness = lifespan.freshness(at: clock())
        guard freshness.isFresh else { return nil }
        return LoadedImage(
            bitmap: image.bitmap, header: image.header, decodeStatus: image.status, source: .memory, isFresh: true,
            isStored: picture.revision != nil, insteadOf: nil, status: response.status,
            shown: ShownFields(stored: response.fields, age: freshness.age), encodedData: picture.content.bytes,
            timings: LoadTimings())
    }

    /// What memory holds for a hop.
    func find(_ hop: LoadHop, at moments: FoundEntry.Moments) -> FoundEntry {
        var found = FoundEntry(moments: moments)
        guard hop.load.layers.contains(.readsMemory), isOn, let picture = memory?.cache.value(for: hop.imageKey)
        else { return found }
        found.picture = picture
        found.isInMemory = true
        found.entry = picture.entry
        found.isPurged = picture.ticket != nil && picture.ticket != found.moments.disk
        found.revision = found.isPurged ? nil : picture.revision
        return found
    }

    /// The entry of the image in memory for a hop, without noting an access; nil for none.
    func peek(_ hop: LoadHop) -> CacheEntry? {
        guard hop.load.layers.contains(.readsMemory), isOn else { return nil }
        return memory?.cache.peek(hop.imageKey)?.entry
    }

    /// How long a picture answers those who ask without fields of their own; nil when it never does, or not so easily.
    private func lifespan(of picture: PictureMemory.Picture) -> Lifespan? {
        guard let response = picture.entry.response, response.vary.isEmpty, !response.fields.contains("Vary"),
            let candidate = StoredCandidate(
                picture.entry, request: CacheRequest(), settings: settings, now: response.responseTime),
            candidate.isSuccess,
            TypeGate(acceptedContentTypes).accepts(picture, with: response.fields)
        else { return nil }
        return Lifespan(of: response, control: candidate.control, settings: settings)
    }
}
#endif
