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
        if destination == .memory, configuration.cacheImagesInMemory, load.layers.contains(.writesMemory) {
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
        guard let disk, load.layers.contains(.readsDisk), let hop = LoadHop(load, self) else { return false }
        let head = await onDisk { disk.head(hop.key, varying: hop.varying) }
        let decision = CacheDecision.decide(entry: head?.entry, request: hop.request, settings: settings, now: now)
        guard case .answer(let stored, refresh: nil) = decision, stored.isFresh, Storability.isSuccess(stored.status)
        else { return false }
        // Without a declared type the body would have to be looked at.
        return TypeGate.declared(stored.fields) != nil
            && TypeGate(load.acceptedContentTypes).refusal(stored.fields, start: []) == nil
    }

    /// A body that is left as bytes; of a picture that is to be stored the header is read first (O42).
    func acceptUndecoded(_ bytes: [UInt8], _ hop: LoadHop) async -> Result<LoadContent, FetchFailure> {
        guard let decoder = hop.load.headerDecoder else { return .success(LoadContent(bytes: bytes)) }
        do throws(DecodeError) {
            try await shared.decodeQueue.checkHeader(
                of: bytes, with: decoder, priority: hop.load.priority.decodePriority)
            return .success(LoadContent(bytes: bytes))
        } catch {
            // Those who decode with options of their own may do better: no variant has this name.
            return .failure(FetchFailure(error: Self.error(of: error, hop), variant: "header"))
        }
    }
}

extension Load {
    /// The layers that the load's fetch is shared by: a prefetch to disk shares it with loads that use memory too.
    var fetchLayers: CacheLayers { headerDecoder == nil ? layers : layers.union(.memory) }
}
#endif
