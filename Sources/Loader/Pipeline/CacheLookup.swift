internal import PlatformImage

/// Looks up one request of a redirect chain in memory, then on disk unless the image in memory completes the load.
struct CacheLookup: Sendable {
    let memory: MemoryLookup
    let disk: DiskLookup
    let variants: VariantFiles
    let freshness: FreshnessRules
    let fetches: Fetches
    let clock: @Sendable () -> WallTime

    /// The current cache generations; a load compares them later to detect a purge or another finished fetch.
    var generations: CacheGenerations {
        .init(
            fetches: fetches.generation, memory: memory.memory?.generation ?? 0, disk: disk.disk?.ticket())
    }

    /// Looks up without blocking the calling thread.
    func find(_ hop: LoadHop) async -> LookupResult {
        var found = memory.find(hop, at: generations)
        guard let cache = diskToRead(hop, found) else { return accepted(found, hop) }
        if let file = await variants.read(hop) {
            disk.complete(&found, with: file)
        } else {
            disk.complete(&found, with: await disk.read(hop, from: cache))
        }
        return accepted(found, hop)
    }

    /// As ``find(_:)``; blocks the calling thread while the disk is read.
    func findBlocking(_ hop: LoadHop) -> LookupResult {
        var found = memory.find(hop, at: generations)
        guard let cache = diskToRead(hop, found) else { return accepted(found, hop) }
        if let file = variants.readBlocking(hop) {
            disk.complete(&found, with: file)
        } else {
            disk.complete(&found, with: disk.readBlocking(hop, from: cache))
        }
        return accepted(found, hop)
    }

    /// Decodes the variant file of the result. If it does not decode, the stored body is read instead.
    func decodeVariantFile(of found: inout LookupResult, _ hop: LoadHop) async {
        guard let file = found.variantFile, let decoding = hop.load.decoding, let cache = disk.disk else { return }
        if let image = await variants.image(file, decoding) {
            found.replaceVariantFile(with: image)
        } else {
            found.replaceVariantFile(with: await disk.read(hop, from: cache))
        }
    }

    /// As ``decodeVariantFile(of:_:)``; blocks the calling thread.
    func decodeVariantFileBlocking(of found: inout LookupResult, _ hop: LoadHop) {
        guard let file = found.variantFile, let decoding = hop.load.decoding, let cache = disk.disk else { return }
        if let image = variants.imageBlocking(file, decoding) {
            found.replaceVariantFile(with: image)
        } else {
            found.replaceVariantFile(with: disk.readBlocking(hop, from: cache))
        }
    }

    /// The disk cache to read; nil when there is none, when the load may not read it, or when the image in memory
    /// completes the load.
    private func diskToRead(_ hop: LoadHop, _ found: LookupResult) -> DiskCache? {
        guard let cache = disk.disk, hop.load.layers.contains(.readsDisk) else { return nil }
        if found.isInMemory, !found.isPurged,
            case .useStored(_, refresh: nil) = freshness.decide(hop, found, now: clock())
        {
            return nil
        }
        return cache
    }

    /// Removes a stored success from the result if the load does not accept its content type, so that the response is
    /// neither used nor validated (O43).
    private func accepted(_ found: LookupResult, _ hop: LoadHop) -> LookupResult {
        guard let response = found.entry?.response, Storability.isSuccess(response.status),
            !freshness.accepts(found, hop)
        else { return found }
        var found = found
        found.discardResponse()
        return found
    }
}

extension LookupResult {
    fileprivate mutating func replaceVariantFile(with image: DecodedImage) {
        guard let file = variantFile else { return }
        variantFile = nil
        cachedImage = .init(
            entry: file.entry, content: LoadContent(image: image), revision: file.source.revision,
            ticket: generations.disk)
    }

    /// Adds the stored body, unless it is no longer the one that the variant file was made from.
    fileprivate mutating func replaceVariantFile(with result: DiskLookup.Result) {
        guard let file = variantFile else { return }
        variantFile = nil
        guard let hit = result.hit, hit.revision.bodyName == file.source.revision.bodyName else { return }
        body = hit.body
        content = result.content
    }
}
