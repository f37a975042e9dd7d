#if Loader
internal import PlatformImage

extension LoadPipeline {
    /// Loads a picture ahead of its use.
    ///
    /// - Returns: False when it was there already, and fresh.
    func prefetch(
        _ request: ImageRequest, to destination: Prefetch.Destination, _ priority: PriorityCell
    ) async throws(LoadError) -> Bool {
        var load = Load(request, self)
        load.priority = priority
        if destination == .memory, settings.cacheImagesInMemory, load.layers.contains(.writesMemory) {
            let answer = try await run(load)
            return answer.source != .memory || !answer.isFresh
        }
        guard disk != nil, load.layers.contains(.writesDisk) else {
            throw .configuration("nothing is kept where \(Redaction.shown(request.url)) is to be prefetched to")
        }
        load.headerDecoder = load.decoding?.decoder
        load.decoding = nil
        load.layers.subtract(.memory)
        if await isFreshOnDisk(load) { return false }
        let answer = try await run(load)
        return answer.source != .disk || !answer.isFresh
    }

    /// True when the head of a stored picture says that it answers the load; its body is not read.
    private func isFreshOnDisk(_ load: Load) async -> Bool {
        guard let hop = LoadHop(load, self), let entry = await lookup.disk.head(hop) else { return false }
        let decision = CacheDecision.decide(
            entry: entry, request: hop.request, settings: settings.cache, now: now)
        guard case .answer(let stored, refresh: nil) = decision, stored.isFresh, Storability.isSuccess(stored.status)
        else { return false }
        // Without a declared type the body would have to be looked at.
        return TypeGate.declared(stored.fields) != nil
            && TypeGate(load.acceptedContentTypes).refusal(stored.fields, start: []) == nil
    }
}
#endif
