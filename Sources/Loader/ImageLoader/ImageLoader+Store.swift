public import PlatformImage

extension ImageLoader {
    /// Removes the stored image of a request: every decoding variant from memory and every `Vary` variant from disk.
    ///
    /// The bytes that ``ImageLoader/data(for:)`` stored for the same URL are removed too, and so is the file of the
    /// request's own thumbnail and processors (``ImageRequest/variantFormat``). The files of other variants are no
    /// longer used; they are evicted as least recently used entries.
    ///
    /// A load that is already running does not add its image to memory, but may still store it on disk.
    ///
    /// - Parameters:
    ///   - request: The request whose cache key is removed; its decode options are ignored, except for the
    ///     file of its own variant.
    ///   - layers: The image is removed from memory if this contains `writesMemory`, and from disk if it contains
    ///     `writesDisk`.
    public func removeImage(for request: ImageRequest, layers: CacheLayers = .all) async {
        let pipeline = images
        guard let hop = LoadHop(Load(request, pipeline), pipeline) else { return }
        defer { pipeline.shared.reporter.report(.imageRemoved, url: hop.url) }
        if layers.contains(.writesMemory) { pipeline.memory?.remove(hop.key) }
        guard layers.contains(.writesDisk) else { return }
        // The partitions of credentials depend on the directory of the cache.
        let data = data
        let dataKey = LoadHop(Load(request, data), data)?.key ?? hop.key
        await pipeline.shared.diskQueue.run {
            _ = pipeline.disk?.remove(hop.key)
            _ = data.disk?.remove(dataKey)
        }
        await pipeline.lookup.variants.remove(hop)
    }

    /// Stores the bytes of an image file, as if the origin had just sent them with these fields.
    ///
    /// - Parameters:
    ///   - bytes: The body of the response, encoded with the `Content-Encoding` that `fields` declares.
    ///   - fields: Response fields, which determine freshness; without Cache-Control the entry is validated on first
    ///     use.
    ///   - request: URL, decode options and the layers to write.
    /// - Returns: False when the bytes are not on disk: there is no disk cache, the layers of the request exclude it, a
    ///   disk fault occurred, the bytes are too large, or `fields` forbid storing. Fields that forbid storing also
    ///   prevent storing in memory: `Vary: *`, and with ``Configuration/useServerCachePolicy`` also directives such as
    ///   `no-store`.
    /// - Throws: `invalidURL`, or the error of decoding; bytes that cannot be decoded are not stored.
    @discardableResult
    public func store(
        _ bytes: [UInt8], fields: HeaderFields = [:], for request: ImageRequest
    ) async throws(LoadError) -> Bool {
        let pipeline = images
        let load = Load(request, pipeline)
        guard let hop = LoadHop(load, pipeline), let decoding = load.decoding else {
            throw load.error(.invalidURL, "the URL or the cache key is not a valid http or https URL")
        }
        let generations = pipeline.lookup.generations
        let body: [UInt8]
        do throws(ContentCodingError) {
            body = try ContentDecoder.content(of: bytes, fields, maxBytes: pipeline.settings.maxResponseBytes)
        } catch {
            throw LoadError(
                error, url: Redaction.masked(request.url), limit: pipeline.settings.maxResponseBytes)
        }
        let image = try await pipeline.decoder.decode(body, .unidentified, hop, decoding.declaring(fields))
        guard let entry = Self.entry(hop, fields, pipeline) else { return false }
        var revision: DiskCache.Revision?
        if let disk = pipeline.disk, request.layers.contains(.writesDisk) {
            revision = await pipeline.shared.diskQueue.run {
                disk.storeEntry(entry, body: bytes, ticket: generations.disk)
            }
        }
        pipeline.writer.remember(
            pipeline.decoder.content(image, body), StoredState(entry: entry, revision: revision), hop, generations)
        return revision != nil
    }

    /// Stores a bitmap in memory, as if the origin had just sent it with these fields.
    ///
    /// It is not written to disk, because there are no encoded bytes; purging the disk leaves it fresh.
    ///
    /// - Parameters:
    ///   - bitmap: The bitmap to store in memory.
    ///   - fields: Response fields, which determine freshness; without Cache-Control the entry is validated on first
    ///     use.
    ///   - request: URL and decode options. A load with other decode options does not find the bitmap.
    /// - Returns: False when it is not stored: the memory cache is off or not among the request's layers, the bitmap is
    ///   too large, or the fields forbid storing.
    /// - Throws: `invalidURL`.
    @discardableResult
    public func store(
        _ bitmap: PlatformImage, fields: HeaderFields = [:], for request: ImageRequest
    ) throws(LoadError) -> Bool {
        let pipeline = images
        let load = Load(request, pipeline)
        guard let hop = LoadHop(load, pipeline) else {
            throw load.error(.invalidURL, "the URL or the cache key is not a valid http or https URL")
        }
        guard let memory = pipeline.memory, pipeline.settings.cacheImagesInMemory,
            request.layers.contains(.writesMemory), let entry = Self.entry(hop, fields, pipeline)
        else { return false }
        let cachedImage = ImageMemoryCache.CachedImage(
            entry: entry, content: LoadContent(image: DecodedImage(bitmap)),
            revision: nil, ticket: nil)
        return memory.insert(cachedImage, for: hop.imageKey, since: memory.generation)
    }

    /// The cache entry for a response that the application supplies; nil when the response may not be stored.
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
