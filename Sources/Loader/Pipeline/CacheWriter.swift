internal import Dispatch
internal import PlatformImage

/// A cache entry after a change, and the identity of its body on disk.
struct StoredState: Sendable {
    var entry: CacheEntry?
    /// Identifies the body on disk; nil when it is not on disk.
    var revision: DiskCache.Revision?
}

/// Writes to the caches in memory and on disk.
struct CacheWriter: Sendable {
    let memory: ImageMemoryCache?
    /// False when the memory cache is disabled.
    let isMemoryEnabled: Bool
    let disk: DiskCache?
    let variants: VariantFiles
    /// The queue for blocking writes.
    let queue: DispatchQueue
    let clock: @Sendable () -> WallTime

    /// Applies the cache change that the policy decided.
    ///
    /// - Parameter bytes: The received body, with its content codings.
    func apply(
        _ change: CacheOutcome.StoreChange, _ bytes: [UInt8], _ hop: LoadHop, _ found: LookupResult
    ) async -> StoredState {
        let writes = hop.load.layers.contains(.writesDisk) ? disk : nil
        let ticket = found.generations.disk
        switch change {
        case .nothing:
            return StoredState()
        case .remove:
            memory?.remove(hop.key)
            if let writes {
                await queue.run(timing: hop.load.meter) { [peer = variants.peer] in
                    _ = writes.remove(hop.key)
                    // Otherwise later loads would use the response of the other cache.
                    _ = peer?.remove(hop.key)
                }
            }
            return StoredState()
        case .write(let entry, let storesBody):
            guard let writes else { return StoredState(entry: entry) }
            let revision: DiskCache.Revision? = await queue.run(timing: hop.load.meter) {
                writes.storeEntry(
                    entry, body: storesBody ? bytes : [], varying: hop.varying, ticket: ticket, missing: found.missing)
            }
            return StoredState(entry: entry, revision: revision)
        case .update(let entry):
            // A load that may not write leaves the body on disk unchanged.
            guard let writes else { return StoredState(entry: entry, revision: found.revision) }
            let revision: DiskCache.Revision? = await queue.run(timing: hop.load.meter) {
                if let revision = found.revision,
                    let refreshed = writes.refreshEntry(entry, of: revision, ticket: ticket)
                {
                    return refreshed
                }
                // The entry on disk could not be refreshed. An entry that contains only an error is stored as a new
                // entry. A validated response is stored again if its body was removed from the disk meanwhile, but does
                // not replace a newer entry of another load.
                let mayStoreAgain = entry.response == nil || found.revision == nil
                guard mayStoreAgain || writes.header(hop.key, varying: hop.varying) == nil else { return nil }
                if entry.response != nil, found.body == nil {
                    // Only the variant file was read; its source is in the other cache.
                    return found.peerRevision.flatMap { variants.peer?.refreshEntry(entry, of: $0, ticket: nil) }
                }
                let stored = writes.storeEntry(entry, body: found.body ?? [], varying: hop.varying, ticket: ticket)
                return entry.response == nil ? nil : stored
            }
            return StoredState(entry: entry, revision: revision)
        }
    }

    /// Adds an image of a successful response to memory, and starts to write its variant file to the disk, if the load
    /// may write there.
    func remember(_ content: LoadContent, _ state: StoredState, _ hop: LoadHop, _ generations: CacheGenerations) {
        rememberInMemory(content, state, hop, generations)
        if let image = content.image { variants.startStoring(image, state, hop, generations.disk) }
    }

    /// True when an image of this state is added to memory: the response is a success that may be stored, and the load
    /// may write to memory.
    func usesMemory(_ state: StoredState, _ hop: LoadHop) -> Bool {
        guard memory != nil, isMemoryEnabled, hop.load.layers.contains(.writesMemory) else { return false }
        return state.entry?.response.map { Storability.isSuccess($0.status) } ?? false
    }

    /// Adds an image of a successful response to memory, if the load may write to memory.
    func rememberInMemory(
        _ content: LoadContent, _ state: StoredState, _ hop: LoadHop, _ generations: CacheGenerations
    ) {
        guard usesMemory(state, hop), let memory, let entry = state.entry, content.image != nil else { return }
        let key = hop.imageKey
        // Loads that share a fetch end together; only the first one inserts the image.
        if let present = memory.cache.peek(key), present.entry == entry, present.revision == state.revision { return }
        let cachedImage = ImageMemoryCache.CachedImage(
            entry: entry, content: content, revision: state.revision, ticket: generations.disk)
        memory.insert(cachedImage, for: key, since: generations.memory, now: clock())
    }
}
