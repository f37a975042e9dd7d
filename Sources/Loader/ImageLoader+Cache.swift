#if Loader
public import PlatformImage

extension ImageLoader {
    /// The pictures in memory, by source and decoding.
    public var memoryStatistics: (count: Int, bytes: Int, peakBytes: Int) {
        guard let cache = images.memory?.cache else { return (0, 0, 0) }
        return (cache.count, cache.totalBytes, cache.peakTotalBytes)
    }

    /// What the disk cache of pictures holds and has done; nil without one.
    public var diskStatistics: DiskCache.Statistics? { images.disk?.statistics }

    /// What the disk cache of ``data(for:)`` holds and has done; nil without one.
    public var dataStatistics: DiskCache.Statistics? { data.disk?.statistics }

    /// Takes all pictures out of memory; loads under way keep what they bring out of it too. The disk is not touched.
    @discardableResult
    public func purgeMemory() async -> RemovalReport { images.memory?.purge() ?? RemovalReport() }

    /// Removes all entries of both disk caches; loads under way store nothing any more.
    ///
    /// Pictures in memory stay, and are not fresh any longer.
    @discardableResult
    public func purgeDisk() async -> RemovalReport { await onDisks { await $0.purge() } }

    /// Removes entries of both disk caches that were last used longer ago than `age`.
    @discardableResult
    public func clearCachedFiles(modifiedOlderThan age: Duration) async -> RemovalReport {
        await onDisks { await $0.clear(modifiedOlderThan: age) }
    }

    /// Removes entries of both disk caches whose body was stored longer ago than `age`; a 304 since does not count.
    @discardableResult
    public func clearCachedFiles(createdOlderThan age: Duration) async -> RemovalReport {
        await onDisks { await $0.clear(createdOlderThan: age) }
    }

    /// Returns when everything stored so far is visible to other processes and counted.
    public func flush() async {
        await images.disk?.flush()
        await data.disk?.flush()
    }

    private func onDisks(_ work: (DiskCache) async -> RemovalReport) async -> RemovalReport {
        var report = RemovalReport()
        for disk in [images.disk, data.disk] {
            guard let disk else { continue }
            let part = await work(disk)
            report.count += part.count
            report.bytes += part.bytes
        }
        return report
    }

    /// Forgets the definitive failures of one address, whoever asks as this request does.
    public func forgetFailures(for request: ImageRequest) {
        let pipeline = images
        guard let hop = LoadHop(Load(request, pipeline), pipeline) else { return }
        pipeline.shared.failures.forget(hop.key)
    }

    /// Forgets all definitive failures.
    public func forgetFailures() {
        images.shared.failures.forgetAll()
        data.shared.failures.forgetAll()
    }

    /// Evicts the least recently used pictures until the rest is at most this fraction of the limit.
    ///
    /// - Parameter fraction: 0...1; anything else traps.
    public func relieveMemoryPressure(to fraction: Double) {
        images.memory?.cache.relieveMemoryPressure(to: fraction)
    }

    /// Removes what is stored of a picture: on disk every variant, in memory the one that the request decodes to.
    public func removeImage(for request: ImageRequest, layers: CacheLayers = .all) async {
        let pipeline = images
        guard let hop = LoadHop(Load(request, pipeline), pipeline) else { return }
        if layers.contains(.writesMemory) { pipeline.memory?.cache.removeValue(for: hop.imageKey) }
        guard layers.contains(.writesDisk), let disk = pipeline.disk else { return }
        await pipeline.onDisk { _ = disk.remove(hop.key) }
    }

    /// Stores a file's bytes under an address, as if its origin had sent them now with these fields.
    ///
    /// - Parameters:
    ///   - fields: Say how long it is fresh, as a server's do; without Cache-Control it is validated on first use.
    /// - Returns: False when it is not on disk: no disk cache, a fault, too large.
    /// - Throws: `invalidURL`, or what decoding throws: what is no picture is not stored.
    @discardableResult
    public func store(
        _ bytes: [UInt8], fields: HeaderFields = [:], for request: ImageRequest
    ) async throws(LoadError) -> Bool {
        let pipeline = images
        let load = Load(request, pipeline)
        guard let hop = LoadHop(load, pipeline), let decoding = load.decoding else {
            throw load.error(.invalidURL, "no http or https address")
        }
        let found = FoundEntry(moments: pipeline.moments)
        let image = try await pipeline.decode(bytes, .unnamed, hop, decoding)
        let now = pipeline.now
        let response = StoredResponse(
            status: 200, fields: fields, requestTime: now, responseTime: now, createdAt: now,
            vary: Vary.values(of: fields, request: hop.request.fields) ?? [])
        let entry = CacheEntry(key: hop.key, response: response)
        var revision: DiskCache.Revision?
        if let disk = pipeline.disk, request.layers.contains(.writesDisk) {
            revision = await pipeline.onDisk {
                guard disk.store(entry, body: bytes, ticket: found.moments.disk) else { return nil }
                return disk.head(hop.key, varying: hop.varying)?.revision
            }
        }
        let content = LoadContent(image: image, bytes: pipeline.configuration.retainsEncodedData ? bytes : nil)
        pipeline.remember(content, entry, revision, hop, found.moments)
        return revision != nil
    }

    /// The picture that memory holds for a request, fresh or not; nil for none. Never waits, for no disk either.
    public func pictureInMemory(for request: ImageRequest) -> PlatformImage? {
        let pipeline = images
        guard let hop = LoadHop(Load(request, pipeline), pipeline) else { return nil }
        return pipeline.memory?.cache.value(for: hop.imageKey)?.content.image?.bitmap
    }
}
#endif
