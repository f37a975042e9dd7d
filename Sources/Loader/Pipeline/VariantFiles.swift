internal import Dispatch
internal import PlatformImage
internal import Synchronization

/// Files on disk with the encoded results of ``ImageRequest/thumbnail`` and ``ImageRequest/processors``.
///
/// A file is an entry of the disk cache of images. It names the stored body that it was made from and is used only
/// while that body is stored, so it is fresh, expires, and is purged together with it.
struct VariantFiles: Sendable {
    /// The files that are being written; a second load does not write the same file.
    final class Writes: Sendable {
        private let tasks = Mutex<[CacheKey: Task<Void, Never>]>([:])

        /// Number of files that are being written.
        var count: Int { tasks.locked(in: self) { $0.count } }

        /// Starts to write the file of a key, unless it is being written.
        func start(_ key: CacheKey, _ write: @escaping @Sendable () async -> Void) {
            tasks.locked(in: self) { tasks in
                guard tasks[key] == nil else { return }
                tasks[key] = Task {
                    await write()
                    self.tasks.locked(in: self) { $0[key] = nil }
                }
            }
        }

        /// Returns when the file of a key is not being written.
        func finish(_ key: CacheKey) async { await tasks.locked(in: self) { $0[key] }?.value }

        /// Returns when the files that are being written now are written.
        func finish() async {
            for task in tasks.locked(in: self, { Array($0.values) }) { await task.value }
        }
    }

    let disk: DiskCache?
    /// The disk cache of data, which may contain the source.
    let peer: DiskCache?
    /// The queue for blocking disk access.
    let queue: DispatchQueue
    let decodeQueue: DecodeQueue
    let writes: Writes

    /// A variant file that was read but not decoded, with the stored response of its source.
    struct File: Sendable {
        /// The name of the variant, as in ``ImageVariant/name``.
        let variant: String
        let source: DiskCache.Header
        /// The response of the source, and the errors that are stored for the load.
        let entry: CacheEntry
        /// True when the source is in the disk cache of data.
        let isSourceFromPeer: Bool
        let bytes: [UInt8]
        /// The header of the source image.
        let header: ImageHeader
    }

    /// Reads the variant file of a load; nil when the load does not use one, or when there is none for the stored
    /// source. Blocks the calling thread. Counts as an access of the source.
    func readBlocking(_ hop: LoadHop) -> File? {
        guard let disk, let decoding = hop.load.decoding, let key = hop.variantKey else { return nil }
        let stored = disk.header(hop.key, varying: hop.varying, touches: true)
        let isFromPeer = stored?.entry.response == nil
        guard let source = isFromPeer ? peer?.header(hop.key, varying: hop.varying, touches: true) : stored,
            source.entry.response != nil, let hit = disk.read(key, varying: hop.varying),
            let fields = hit.entry.response?.fields,
            fields[Self.sourceField] == Array(source.revision.bodyName.utf8),
            let header = fields[Self.headerField].flatMap({ ImageHeader(cacheText: $0) })
        else { return nil }
        let entry = CacheEntry(
            key: hop.key, response: source.entry.response, failure: stored?.entry.failure)
        return File(
            variant: decoding.variant, source: source, entry: entry, isSourceFromPeer: isFromPeer, bytes: hit.body,
            header: header)
    }

    /// As ``readBlocking(_:)``, without blocking the calling thread.
    func read(_ hop: LoadHop) async -> File? {
        guard disk != nil, hop.variantKey != nil else { return nil }
        return await queue.run(timing: hop.load.meter) { readBlocking(hop) }
    }

    /// The image of a file; nil when it does not decode.
    func image(_ file: File, _ decoding: Load.Decoding) async -> DecodedImage? {
        let decoded = try? await decodeQueue.decode(
            file.bytes, with: Self.decoder(decoding), priority: decoding.priority.decodePriority)
        return decoded.flatMap { Self.image($0, file) }
    }

    /// As ``image(_:_:)``; blocks the calling thread.
    func imageBlocking(_ file: File, _ decoding: Load.Decoding) -> DecodedImage? {
        let decoded = try? decodeQueue.decodeBlocking(
            file.bytes, with: Self.decoder(decoding), priority: decoding.priority.decodePriority)
        return decoded.flatMap { Self.image($0, file) }
    }

    /// Starts to encode and store an image, if the load requests that, its source is on disk, and no file of this
    /// source exists. The load does not wait for it. After a failure, the next load decodes the source.
    func startStoring(_ image: DecodedImage, _ state: StoredState, _ hop: LoadHop, _ ticket: DiskCache.Ticket?) {
        guard let disk, hop.load.layers.contains(.writesDisk), let key = hop.variantKey,
            let format = hop.load.decoding?.steps.fileFormat, let revision = state.revision,
            let response = state.entry?.response, image.status == .complete, image.header.warnings.isEmpty,
            image.header.iccProfileDescription == nil
        else { return }
        writes.start(key) {
            await store(image, as: format, key, of: revision, response, on: disk, hop, ticket)
        }
    }

    private func store(
        _ image: DecodedImage, as format: EncodedFormat, _ key: CacheKey, of revision: DiskCache.Revision,
        _ response: StoredResponse, on disk: DiskCache, _ hop: LoadHop, _ ticket: DiskCache.Ticket?
    ) async {
        let source = revision.bodyName
        let isStored = await queue.run {
            disk.header(key, varying: hop.varying)?.entry.response?.fields[Self.sourceField] == Array(source.utf8)
        }
        guard !isStored,
            let bytes = try? await decodeQueue.encode(
                image.bitmap, as: format, priority: hop.load.priority.decodePriority,
                byteCount: ImageEncoder().workBytes(
                    width: image.bitmap.width, height: image.bitmap.height, hasAlpha: true, as: format))
        else { return }
        let fields: HeaderFields = [
            "Content-Type": format.contentType.description, Self.sourceField: source,
            Self.headerField: image.header.cacheText,
        ]
        let file = CacheEntry(
            key: key,
            response: StoredResponse(
                status: 200, fields: fields, requestTime: response.requestTime, responseTime: response.responseTime,
                createdAt: disk.now(), vary: response.vary))
        _ = await queue.run { disk.storeEntry(file, body: bytes, varying: hop.varying, ticket: ticket) }
    }

    /// Removes the variant file of a request, also one that is being written.
    func remove(_ hop: LoadHop) async {
        guard let disk, let key = hop.variantKey else { return }
        await writes.finish(key)
        await queue.run { _ = disk.remove(key) }
    }

    /// The pixels of a file are those of the result: upright and sRGB.
    private static func decoder(_ decoding: Load.Decoding) -> ImageDecoder {
        var decoder = decoding.decoder
        let limits = decoder.options.limits
        decoder.options = .asStored
        decoder.options.limits = limits
        return decoder
    }

    private static func image(_ decoded: DecodedImage, _ file: File) -> DecodedImage? {
        decoded.status == .complete ? DecodedImage(decoded.bitmap, header: file.header) : nil
    }

    /// Names the body that a file was made from.
    private static let sourceField = "Variant-Source"
    /// The header of the source image, as ``PlatformImage/ImageHeader/cacheText``.
    private static let headerField = "Variant-Header"
}

extension LoadHop {
    /// The key of the variant file of the load; nil when the load has none.
    var variantKey: CacheKey? {
        guard let steps = load.decoding?.steps, steps.fileFormat != nil else { return nil }
        return key.variant(named: steps.name)
    }
}

extension DiskCache.Revision {
    /// Identifies the stored body, independent of its file name, which changes when another `Vary` variant is stored.
    var bodyName: String {
        "\(family) \(createdAt.milliseconds) \(bodyLength) \(bodyChecksum)"
    }
}
