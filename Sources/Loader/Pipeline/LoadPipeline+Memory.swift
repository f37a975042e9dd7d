#if Loader
internal import PlatformImage

extension LoadPipeline {
    /// The answer of a load that one look in memory decides; nil when it takes more to know.
    ///
    /// What it gives is what ``CacheDecision/decide(entry:request:settings:now:)`` would: a fresh picture, to a request
    /// without a say in caching, under a policy that a fresh picture satisfies. Everything else is left to the full way.
    func answerFromMemory(_ request: ImageRequest) -> LoadedImage? {
        guard answersFromMemory, request.policy != .reload, request.policy != .revalidate,
            request.layers.contains(.readsMemory), let key = request.keys.imageKey,
            let picture = memory?.cache.value(for: key),
            let lifespan = picture.lifespan(byRules: rules, { lifespan(of: picture) }),
            // A purge of the disk ends the freshness of what came from there.
            picture.ticket == nil || picture.ticket == disk?.ticket(),
            let image = picture.content.image, let response = picture.entry.response
        else { return nil }
        let freshness = lifespan.freshness(at: now)
        guard freshness.isFresh else { return nil }
        return LoadedImage(
            bitmap: image.bitmap, header: image.header, decodeStatus: image.status, source: .memory, isFresh: true,
            isStored: picture.revision != nil, insteadOf: nil, status: response.status,
            shown: ShownFields(stored: response.fields, age: freshness.age), encodedData: picture.content.bytes,
            timings: LoadTimings())
    }

    /// How long a picture answers those who ask without fields of their own; nil when it never does, or not so easily.
    private func lifespan(of picture: PictureMemory.Picture) -> Lifespan? {
        guard let response = picture.entry.response, response.vary.isEmpty, !response.fields.contains("Vary"),
            let candidate = StoredCandidate(
                picture.entry, request: CacheRequest(), settings: settings, now: response.responseTime),
            candidate.isSuccess,
            TypeGate(configuration.acceptedContentTypes).accepts(picture, with: response.fields)
        else { return nil }
        return Lifespan(of: response, control: candidate.control, settings: settings)
    }
}
#endif
