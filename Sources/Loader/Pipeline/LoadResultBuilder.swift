internal import PlatformImage

/// Builds the result of one load from a stored response or a finished fetch, and decodes the body where needed.
struct LoadResultBuilder: Sendable {
    let decoder: BodyDecoder
    let writer: CacheWriter
    let lookup: CacheLookup
    let freshness: FreshnessRules

    /// The result from a stored response; nil when its content type is not accepted or its body does not decode.
    ///
    /// - Parameters:
    ///   - found: Receives the decoded image, so that the body is not decoded again if the origin confirms it with 304.
    ///   - timings: Timings of the load; the decoding time is added.
    func result(
        _ stored: CachedResponse, of found: inout LookupResult, at hop: LoadHop, _ timings: inout LoadTimings
    ) async throws(LoadError) -> LoadResult? {
        guard freshness.accepts(found, hop), let content = try await content(of: &found, at: hop, &timings) else {
            return nil
        }
        return LoadResult(
            content: content, source: found.isInMemory ? .memory : .disk, isFresh: stored.isFresh,
            isStored: found.isStored, staleReason: stored.staleReason.map { LoadError($0, of: hop.load) },
            status: stored.status, fields: stored.fields, timings: timings)
    }

    /// The image in memory, the decoded variant file or stored body, or for a data load the bytes of the body; nil when
    /// there is no body or it does not decode.
    private func content(
        of found: inout LookupResult, at hop: LoadHop, _ timings: inout LoadTimings
    ) async throws(LoadError) -> LoadContent? {
        await decodeVariantFile(of: &found, hop, &timings)
        if let cachedImage = found.cachedImage {
            if !found.isInMemory, let entry = found.entry {
                // The image of a variant file.
                let state = StoredState(entry: entry, revision: found.bodyRevision)
                writer.rememberInMemory(cachedImage.content, state, hop, found.generations)
            }
            return cachedImage.content
        }
        guard let body = found.content else { return nil }
        guard let decoding = hop.load.decoding else { return LoadContent(bytes: body) }
        let begin = ContinuousClock.now
        defer { timings.decode += .now - begin }
        do throws(LoadError) {
            let decoding = decoding.declaring(found.entry?.response?.fields)
            let content = decoder.content(try await decoder.decode(body, found.identity, hop, decoding), body)
            if let entry = found.entry {
                writer.remember(
                    content, StoredState(entry: entry, revision: found.bodyRevision), hop, found.generations)
                found.cachedImage = .init(
                    entry: entry, content: content, revision: found.bodyRevision, ticket: found.generations.disk)
            }
            return content
        } catch {
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }

    private func decodeVariantFile(of found: inout LookupResult, _ hop: LoadHop, _ timings: inout LoadTimings) async {
        guard found.variantFile != nil else { return }
        let begin = ContinuousClock.now
        await lookup.decodeVariantFile(of: &found, hop)
        timings.decode += .now - begin
    }

    /// The result from a successful fetch; nil when the fetch used the stored body, and that body is no longer
    /// available or does not decode.
    func result(
        _ fetched: FetchedResponse, _ hop: LoadHop, _ found: LookupResult, _ timings: inout LoadTimings
    ) async throws(LoadError) -> LoadResult? {
        var result = LoadResult(
            content: LoadContent(), source: .networkToDisk, isFresh: fetched.isFresh, isStored: fetched.isStored,
            staleReason: fetched.staleReason, status: fetched.status, fields: fetched.fields)
        switch fetched.kind {
        case .received: break
        case .notModified: result.source = .networkNotModified
        case .stored: result.source = found.isInMemory ? .memory : .disk
        }
        var found = found
        if let file = fetched.content.variantFile, file.variant == hop.load.decoding?.variant {
            // The fetch repeated the lookup of the load that started it.
            found.cachedImage = nil
            found.entry = file.entry
            found.variantFile = file
        }
        if fetched.isStoredResponse(of: found) { await decodeVariantFile(of: &found, hop, &timings) }
        if let content = fetched.content.content(for: hop.load.decoding) {
            result.content = content
        } else if fetched.kind != .received, let cachedImage = found.cachedImage,
            cachedImage.entry.response?.createdAt == fetched.createdAt
        {
            result.content = cachedImage.content
        } else if let body = await body(of: fetched, hop, found) {
            guard let decoding = hop.load.decoding else {
                result.content = LoadContent(bytes: body)
                return result
            }
            let begin = ContinuousClock.now
            do throws(LoadError) {
                let decoding = decoding.declaring(fetched.fields)
                result.content = decoder.content(try await decoder.decode(body, .fetch(fetched), hop, decoding), body)
            } catch {
                guard error.code == .undecodable, fetched.kind != .received else {
                    throw error.withResponse(FailedResponse(status: fetched.status, fields: fetched.fields, body: body))
                }
                return nil
            }
            timings.decode += .now - begin
        } else {
            return nil
        }
        if let entry = fetched.entry, fetched.staleReason == nil {
            writer.remember(
                result.content, StoredState(entry: entry, revision: fetched.revision), hop, found.generations)
        }
        return result
    }

    /// The body of a fetch without its content codings; nil when it is no longer available. It is read from disk when
    /// the load that started the fetch used its image in memory or its variant file, and this load needs another image.
    private func body(of fetched: FetchedResponse, _ hop: LoadHop, _ found: LookupResult) async -> [UInt8]? {
        if let body = fetched.body ?? found.content(storedAt: fetched) { return body }
        guard fetched.kind != .received, let revision = fetched.revision, let disk = lookup.disk.disk,
            hop.load.layers.contains(.readsDisk)
        else { return nil }
        let stored = await lookup.disk.read(hop, from: disk)
        return stored.hit?.revision.bodyName == revision.bodyName ? stored.content : nil
    }
}

/// The result of one request of a redirect chain.
enum HopResult: Sendable {
    case result(LoadResult)
    /// A redirect to follow.
    case redirect(ResponseHead)

    /// The result of a redirect response: the redirect to follow, or the response itself with
    /// ``RedirectMode/manual``.
    ///
    /// - Throws: `unexpectedStatus` for an image load with ``RedirectMode/manual``.
    init(redirect response: FailedResponse, isStored: Bool, source: LoadSource, _ load: Load) throws(LoadError) {
        guard load.redirect == .manual else {
            self = .redirect(ResponseHead(status: response.status, fields: response.fields))
            return
        }
        guard load.content == .data else {
            let error = LoadError(
                .unexpectedStatus, url: Redaction.masked(load.url), statusCode: response.status,
                "status \(response.status): the request disables redirects")
            throw error.withResponse(response)
        }
        self = .result(
            LoadResult(
                content: LoadContent(bytes: response.body), source: source, isFresh: true, isStored: isStored,
                status: response.status, fields: response.fields))
    }
}
