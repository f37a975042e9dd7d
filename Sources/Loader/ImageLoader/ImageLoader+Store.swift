#if Loader
public import PlatformImage

extension ImageLoader {
    /// Removes what is stored of a picture, in memory however it was decoded and on disk in every variant.
    ///
    /// A load under way keeps what it brings out of memory, and may still store it on disk.
    ///
    /// - Parameters:
    ///   - request: Its key is what is removed; its decoding does not matter.
    ///   - layers: Those that are written are removed from.
    public func removeImage(for request: ImageRequest, layers: CacheLayers = .all) async {
        let pipeline = images
        guard let hop = LoadHop(Load(request, pipeline), pipeline) else { return }
        defer { pipeline.shared.reporter.report(.imageRemoved, url: hop.url) }
        if layers.contains(.writesMemory) { pipeline.memory?.remove(hop.key) }
        guard layers.contains(.writesDisk), let disk = pipeline.disk else { return }
        await pipeline.shared.diskQueue.run { _ = disk.remove(hop.key) }
    }

    /// Stores a file's bytes under an address, as if its origin had sent them now with these fields.
    ///
    /// - Parameters:
    ///   - bytes: As they would come, coded as a `Content-Encoding` among the fields says.
    ///   - fields: Say how long it is fresh, as a server's do; without Cache-Control it is validated on first use.
    ///   - request: Its address and decoding, and the layers that it writes.
    /// - Returns: False when it is not on disk: no disk cache, a fault, too large, or fields that forbid to store it,
    ///   such as `no-store` and `Vary: *`; nothing is kept then in memory either.
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
        let moments = pipeline.lookup.moments
        let body: [UInt8]
        do throws(ContentCodingError) {
            body = try ContentDecoder.content(of: bytes, fields, maxBytes: pipeline.settings.maxResponseBytes)
        } catch {
            throw LoadError(
                error, url: Redaction.shown(request.url), limit: pipeline.settings.maxResponseBytes)
        }
        let image = try await pipeline.decoder.decode(body, .unnamed, hop, decoding)
        guard let entry = Self.entry(hop, fields, pipeline) else { return false }
        var revision: DiskCache.Revision?
        if let disk = pipeline.disk, request.layers.contains(.writesDisk) {
            revision = await pipeline.shared.diskQueue.run { disk.keep(entry, body: bytes, ticket: moments.disk) }
        }
        pipeline.writer.remember(
            pipeline.decoder.content(image, body), StoredState(entry: entry, revision: revision), hop, moments)
        return revision != nil
    }

    /// Keeps a bitmap in memory under an address, as if its origin had sent it now with these fields.
    ///
    /// It is not on disk, for there are no bytes of a file; a purge of the disk leaves it fresh.
    ///
    /// - Parameters:
    ///   - bitmap: Kept in memory alone.
    ///   - fields: Say how long it is fresh, as a server's do; without Cache-Control it is validated on first use.
    ///   - request: Its address and decoding. A load that decodes otherwise does not find the bitmap.
    /// - Returns: False when it is not kept: memory is off or not among the request's layers, the bitmap is too large,
    ///   or the fields forbid to store it.
    /// - Throws: `invalidURL`.
    @discardableResult
    public func store(
        _ bitmap: PlatformImage, fields: HeaderFields = [:], for request: ImageRequest
    ) throws(LoadError) -> Bool {
        let pipeline = images
        let load = Load(request, pipeline)
        guard let hop = LoadHop(load, pipeline) else { throw load.error(.invalidURL, "no http or https address") }
        guard let memory = pipeline.memory, pipeline.settings.cacheImagesInMemory,
            request.layers.contains(.writesMemory), let entry = Self.entry(hop, fields, pipeline)
        else { return false }
        let picture = PictureMemory.Picture(
            entry: entry, content: LoadContent(image: DecodedImage(bitmap)),
            revision: nil, ticket: nil)
        return memory.insert(picture, for: hop.imageKey, since: memory.moment)
    }

    /// What is stored for a response that the host gives; nil when no load could be answered with it.
    private static func entry(_ hop: LoadHop, _ fields: HeaderFields, _ pipeline: LoadPipeline) -> CacheEntry? {
        let (settings, now) = (pipeline.settings.cache, pipeline.now)
        guard let vary = Vary.values(of: fields, request: hop.request.fields) else { return nil }
        let isAllowed = Storability.allows(
            status: 200, fields, CacheControl(fields), isShared: settings.isSharedCache)
        guard isAllowed || !settings.useServerCachePolicy else { return nil }
        let response = StoredResponse(
            status: 200, fields: fields, requestTime: now, responseTime: now, createdAt: now,
            vary: vary)
        return CacheEntry(key: hop.key, response: response)
    }
}
#endif
