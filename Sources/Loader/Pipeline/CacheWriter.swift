#if Loader
internal import Dispatch
internal import PlatformImage

/// What the caches hold of a response after a change; nil for nothing.
struct StoredState: Sendable {
    var entry: CacheEntry?
    /// Names the body on disk.
    var revision: DiskCache.Revision?
}

/// Changes memory and disk.
struct CacheWriter: Sendable {
    let memory: PictureMemory?
    /// False when nothing is kept in memory.
    let isMemoryOn: Bool
    let disk: DiskCache?
    /// Where blocking writes run.
    let queue: DispatchQueue
    let clock: @Sendable () -> WallTime

    /// Changes the caches as the policy says.
    ///
    /// - Parameter bytes: The body that came, as it came.
    func apply(
        _ change: CacheOutcome.StoreChange, _ bytes: [UInt8], _ hop: LoadHop, _ found: FoundEntry
    ) async -> StoredState {
        let writes = hop.load.layers.contains(.writesDisk) ? disk : nil
        let ticket = found.moments.disk
        switch change {
        case .nothing:
            return StoredState()
        case .remove:
            memory?.remove(hop.key)
            if let writes { await queue.run(timing: hop.load.meter) { _ = writes.remove(hop.key) } }
            return StoredState()
        case .write(let entry, let keepsBody):
            guard let writes else { return StoredState(entry: entry) }
            let revision: DiskCache.Revision? = await queue.run(timing: hop.load.meter) {
                writes.keep(
                    entry, body: keepsBody ? bytes : [], varying: hop.varying, ticket: ticket, missing: found.missing)
            }
            return StoredState(entry: entry, revision: revision)
        case .update(let entry):
            // A load that may not write leaves the body on disk where it is.
            guard let writes else { return StoredState(entry: entry, revision: found.revision) }
            let revision: DiskCache.Revision? = await queue.run(timing: hop.load.meter) {
                if let revision = found.revision, let renewed = writes.renew(entry, of: revision, ticket: ticket) {
                    return renewed
                }
                // An error alone is added to what is there; a body that was lost while the origin confirmed it is
                // stored again. Another one that came meanwhile stays.
                let isAlone = entry.response == nil || found.revision == nil
                guard isAlone || writes.head(hop.key, varying: hop.varying) == nil else { return nil }
                if entry.response != nil, found.body == nil { return nil }
                let stored = writes.keep(entry, body: found.body ?? [], varying: hop.varying, ticket: ticket)
                return entry.response == nil ? nil : stored
            }
            return StoredState(entry: entry, revision: revision)
        }
    }

    /// Keeps an image in memory, if it is there to be kept.
    func remember(
        _ content: LoadContent, _ state: StoredState, _ hop: LoadHop, _ moments: FoundEntry.Moments
    ) {
        guard let memory, isMemoryOn, hop.load.layers.contains(.writesMemory), content.image != nil,
            let entry = state.entry, let response = entry.response, Storability.isSuccess(response.status)
        else { return }
        let key = hop.imageKey
        // Many loads of one picture end at once; one of them is enough.
        if let present = memory.cache.peek(key), present.entry == entry, present.revision == state.revision { return }
        let picture = PictureMemory.Picture(
            entry: entry, content: content, revision: state.revision, ticket: moments.disk)
        memory.insert(picture, for: key, since: moments.memory, now: clock())
    }
}
#endif
