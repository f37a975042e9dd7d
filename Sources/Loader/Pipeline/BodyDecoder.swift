internal import PlatformImage

/// Decodes bodies on the decode queue.
///
/// Loads that decode the same body with the same options share one decode. Thumbnails of one body that wait together
/// are made by one decode.
struct BodyDecoder: Sendable {
    typealias Decodes = InFlightRequests<DecodeKey, Result<DecodedImage, DecodeError>>

    let decodes: Decodes
    let batches: ThumbnailBatches<DecodeKey>
    let queue: DecodeQueue
    let counters: LoadCounters
    let retainsEncodedData: Bool

    /// Decodes a body for one load; concurrent calls with the same body and options share the decode.
    func decode(
        _ body: [UInt8], _ source: DecodeSource, _ hop: LoadHop, _ decoding: Load.Decoding
    ) async throws(LoadError) -> DecodedImage {
        let steps = decoding.steps
        switch await shared(body, source, decoding, steps.pixelName, hasProcessors: !steps.processors.isEmpty) {
        case .success(let image): return image
        case .failure(let error): throw LoadError(error, at: hop.url)
        }
    }

    /// Decodes a stored body; blocks the calling thread until the decode queue has decoded it.
    func decodeBlocking(_ body: [UInt8], _ decoding: Load.Decoding) throws(DecodeError) -> DecodedImage {
        let (decoder, priority) = (decoding.decoder, decoding.priority.decodePriority)
        let image =
            if let thumbnail = decoding.steps.thumbnail {
                try queue.thumbnailBlocking(of: body, options: thumbnail, with: decoder, priority: priority)
            } else {
                try queue.decodeBlocking(body, with: decoder, priority: priority)
            }
        let processors = decoding.steps.processors
        if processors.isEmpty { return image }
        let byteCount = processors.byteCount(width: image.bitmap.width, height: image.bitmap.height)
        return try queue.runBlocking(priority, byteCount: byteCount) { (flag) throws(DecodeError) in
            try decoding.process(image, flag)
        }
    }

    /// The content of a received body for the loads that wait for its fetch. A body that does not decode is never
    /// stored, so the body is decoded until one image shows that it can be decoded; the loads make their variants of it
    /// after the fetch. For a prefetch to disk and for a load of encoded bytes, only the header of the image is checked
    /// (O42).
    ///
    /// - Parameters:
    ///   - fields: The fields of the response.
    ///   - hop: The request of the load that started the fetch.
    ///   - waiting: The decodings of the loads that wait for the fetch.
    func content(
        of bytes: [UInt8], _ fields: HeaderFields, _ hop: LoadHop, waiting: [Load.Decoding]
    ) async -> Result<FetchedContent, FetchFailure> {
        guard let decoding = hop.load.decoding else { return await undecodedContent(of: bytes, fields, hop) }
        let begin = ContinuousClock.now
        defer { hop.load.meter.add(\.decode, since: begin) }
        let content = FetchedContent(plain: LoadContent())
        let decodings = (waiting.isEmpty ? [decoding] : waiting).map { $0.declaring(fields) }
        if await isDecodable(bytes, decodings, addingTo: content.images) { return .success(content) }
        var errors: [String: LoadError] = [:]
        var firstError: LoadError?
        for decoding in decodings {
            guard case .failure(let error)? = content.images[decoding.steps.unprocessedName] else { continue }
            let loadError = LoadError(error, at: hop.url)
            errors[decoding.variant] = loadError
            firstError = firstError ?? loadError
        }
        let error = errors[decoding.variant] ?? firstError ?? .cancelled(url: Redaction.masked(hop.url))
        return .failure(FetchFailure(error: error, variants: errors))
    }

    /// A decoded image, with its encoded bytes if the configuration retains them.
    func content(_ image: DecodedImage, _ bytes: [UInt8]) -> LoadContent {
        LoadContent(image: image, bytes: retainsEncodedData ? bytes : nil)
    }

    private func undecodedContent(
        of bytes: [UInt8], _ fields: HeaderFields, _ hop: LoadHop
    ) async -> Result<FetchedContent, FetchFailure> {
        let content = FetchedContent(plain: LoadContent(bytes: bytes))
        guard var decoder = hop.load.headerDecoder else { return .success(content) }
        decoder.options.declaredContentType = ContentTypeFilter.declaredToDecoder(fields)
        do throws(DecodeError) {
            try await queue.checkHeader(of: bytes, with: decoder, priority: hop.load.priority.decodePriority)
            return .success(content)
        } catch {
            // A load that shares this fetch and decodes the image fetches it again with its decode options, and may
            // succeed.
            let error = LoadError(error, at: hop.url)
            return .failure(FetchFailure(error: error, variants: hop.load.checkedVariant.map { [$0: error] }))
        }
    }
}

extension BodyDecoder {
    /// Decodes a received body until one image is made: first all thumbnails with equal decode options by one decode,
    /// then a complete image. An empty crop also shows that the body can be decoded.
    private func isDecodable(
        _ body: [UInt8], _ waiting: [Load.Decoding], addingTo images: FetchedImages
    ) async -> Bool {
        // All loads wait for this decode, so it has the highest priority.
        let highest = waiting.map(\.priority).max { $0.priority < $1.priority }
        for var group in Self.groups(waiting) {
            if let highest { group.decoding.priority = highest }
            let (decoding, sizes) = (group.decoding, group.sizes)
            var results: [Result<DecodedImage, DecodeError>] = []
            if sizes.isEmpty {
                results.append(await completeImage(of: body, decoding))
                images.add(results[0], named: decoding.steps.unprocessedName)
            } else {
                let made = await thumbnails(of: body, decoding) { sizes.map(\.size) }
                for (name, size) in sizes {
                    guard let result = made[size] else { continue }
                    results.append(result)
                    images.add(result, named: name)
                }
            }
            for result in results {
                switch result {
                case .success: return true
                case .failure(let error): if error.code == .emptyCrop { return true }
                }
            }
        }
        return false
    }

    /// Decodings that are made by one decode: a complete image, or the thumbnails with equal decode options.
    private struct Group {
        var decoding: Load.Decoding
        /// The different sizes with their ``ImageVariant/unprocessedName``; empty for a complete image.
        var sizes: [(name: String, size: ThumbnailOptions)] = []
    }

    /// The groups of thumbnails, then those of complete images, each in the order of the decodings.
    private static func groups(_ decodings: [Load.Decoding]) -> [Group] {
        var (thumbnails, complete): ([Group], [Group]) = ([], [])
        for decoding in decodings {
            let steps = decoding.steps
            func isGroup(_ group: Group) -> Bool { group.decoding.steps.decodeName == steps.decodeName }
            guard let size = steps.thumbnail else {
                if !complete.contains(where: isGroup) { complete.append(Group(decoding: decoding)) }
                continue
            }
            let index = thumbnails.firstIndex(where: isGroup) ?? thumbnails.endIndex
            if index == thumbnails.endIndex { thumbnails.append(Group(decoding: decoding)) }
            if !thumbnails[index].sizes.contains(where: { $0.size == size }) {
                thumbnails[index].sizes.append((steps.unprocessedName, size))
            }
        }
        return thumbnails + complete
    }

    /// An image with or without the processors of its variant, shared with concurrent calls for the same pixels.
    private func shared(
        _ body: [UInt8], _ source: DecodeSource, _ decoding: Load.Decoding, _ name: String, hasProcessors: Bool
    ) async -> Result<DecodedImage, DecodeError> {
        if let known = source.images?[name] { return known }
        guard let key = DecodeKey(source, variant: name) else {
            return await image(of: body, source, decoding, hasProcessors: hasProcessors)
        }
        let waiter = decodes.join(key, wantsProgress: false) { _ in
            // The key contains the object identifier of the fetch, so the fetch must outlive the decode.
            defer { withExtendedLifetime(source) {} }
            // Another decode with this key may have ended before this one started.
            if let known = source.images?[name] { return known }
            let result = await image(of: body, source, decoding, hasProcessors: hasProcessors)
            source.images?.add(result, named: name)
            return result
        }
        return await waiter.output() ?? .failure(.cancelled)
    }

    private func image(
        of body: [UInt8], _ source: DecodeSource, _ decoding: Load.Decoding, hasProcessors: Bool
    ) async -> Result<DecodedImage, DecodeError> {
        let steps = decoding.steps
        if hasProcessors {
            switch await shared(body, source, decoding, steps.unprocessedName, hasProcessors: false) {
            case .success(let image): return await process(image, decoding)
            case .failure(let error): return .failure(error)
            }
        }
        guard let thumbnail = steps.thumbnail else { return await completeImage(of: body, decoding) }
        // Loads check this before, lookups do not. NaN is not equal to itself and must not become a key.
        do throws(DecodeError) { try thumbnail.check() } catch { return .failure(error) }
        // A job's priority is fixed when it is enqueued, so a batch contains sizes of one priority.
        let priority = decoding.priority.decodePriority
        guard let key = DecodeKey(source, variant: "\(steps.decodeName) priority \(priority.rawValue)") else {
            return await thumbnails(of: body, decoding) { [thumbnail] }[thumbnail] ?? .failure(.cancelled)
        }
        return await batches.thumbnail(thumbnail, of: key) { sizes in
            await thumbnails(of: body, decoding, sizes)
        }
    }

    private func completeImage(
        of body: [UInt8], _ decoding: Load.Decoding
    ) async -> Result<DecodedImage, DecodeError> {
        do throws(DecodeError) {
            let image = try await queue.decode(
                body, with: decoding.decoder, priority: decoding.priority.decodePriority,
                timed: { [counters] image, time in
                    counters.countDecode(time)
                    return image
                })
            return .success(image)
        } catch {
            return .failure(error)
        }
    }

    /// Makes thumbnails by one decode. A size that exceeds a limit of memory only together with the others is made by a
    /// decode of its own.
    ///
    /// - Parameter sizes: Called once, when the decode starts.
    private func thumbnails(
        of body: [UInt8], _ decoding: Load.Decoding, _ sizes: @escaping @Sendable () -> [ThumbnailOptions]
    ) async -> ThumbnailResultsBySize {
        let (decoder, priority) = (decoding.decoder, decoding.priority.decodePriority)
        let time: @Sendable (Duration) -> Void = { [counters] in counters.countDecode($0) }
        let made = await queue.thumbnails(of: body, with: decoder, priority: priority, sizes: sizes, time: time)
        var results: ThumbnailResultsBySize = [:]
        for (size, result) in made {
            results[size] = result
            guard made.count > 1, case .failure(let error) = result, error.isMemoryLimit else { continue }
            let single = await queue.thumbnails(
                of: body, with: decoder, priority: priority, sizes: { [size] }, time: time)
            results[size] = single.first?.result
        }
        return results
    }

    private func process(
        _ image: DecodedImage, _ decoding: Load.Decoding
    ) async -> Result<DecodedImage, DecodeError> {
        let processors = decoding.steps.processors
        if processors.isEmpty { return .success(image) }
        let byteCount = processors.byteCount(width: image.bitmap.width, height: image.bitmap.height)
        do throws(DecodeError) {
            return .success(
                try await queue.run(priority: decoding.priority.decodePriority, byteCount: byteCount) {
                    (flag) throws(DecodeError) in try decoding.process(image, flag)
                })
        } catch {
            return .failure(error)
        }
    }
}

extension DecodeError {
    /// True when a limit of memory was exceeded: the same thumbnail may succeed without the others.
    var isMemoryLimit: Bool { code == .limitExceeded && (detail == "maxMemory" || detail == "decodeBudget") }
}

extension Load.Decoding {
    /// Applies the processors.
    func process(_ image: DecodedImage, _ flag: CancellationFlag?) throws(DecodeError) -> DecodedImage {
        image.replacing(
            try steps.processors.process(image.bitmap, limits: decoder.options.limits, cancellation: flag))
    }
}

/// Identifies a body, so that loads of one body can share its decode.
enum DecodeSource: Sendable {
    case disk(DiskCache.Revision)
    case fetch(FetchedResponse)
    case unidentified

    /// The images that were decoded from the body of a fetch; nil for another source.
    var images: FetchedImages? {
        if case .fetch(let fetched) = self { fetched.content.images } else { nil }
    }
}

/// Key of a shared decode: the body and the name of the pixels.
struct DecodeKey: Hashable, Sendable {
    private enum Body: Hashable, Sendable {
        case disk(DiskCache.Revision)
        case fetch(ObjectIdentifier)
    }

    private let body: Body
    private let variant: String

    /// Creates the key of a decode; nil for ``DecodeSource/unidentified``, which cannot be shared.
    init?(_ source: DecodeSource, variant: String) {
        switch source {
        case .disk(let revision): body = .disk(revision)
        case .fetch(let fetched): body = .fetch(ObjectIdentifier(fetched))
        case .unidentified: return nil
        }
        self.variant = variant
    }
}
