#if Loader
internal import Dispatch
internal import PlatformImage
internal import Synchronization

/// The way from a request to an answer, with the values of one configuration: memory, disk, decision, network, gate,
/// decode, store.
///
/// Loads keep the pipeline they began with; a changed configuration makes another one over the same caches.
final class LoadPipeline: Sendable {
    typealias Fetches = InFlightRequests<FetchKey, FetchEnd>
    typealias Decodes = InFlightRequests<DecodeKey, Result<DecodedImage, DecodeError>>

    let configuration: ImageLoader.Configuration
    let settings: CacheSettings
    let disk: DiskCache?
    let memory: PictureMemory?
    let shared: Shared
    let partitionKey: PartitionKey
    /// Tells fetches of one configuration from those of another.
    let number: UInt64

    /// What lives as long as the loader.
    struct Shared: Sendable {
        let transport: any HTTPTransport
        let fetches = Fetches()
        let decodes = Decodes()
        let decodeQueue: DecodeQueue
        /// Remembers colour transforms for all loads; each has options of its own.
        let decoder = ImageDecoder()
        let lanes: RequestLanes
        let failures: NegativeCache
        /// Where the disk is waited for, so that neither callers nor Swift's shared threads are.
        let diskQueue = DispatchQueue(label: "ImageLoader.disk", attributes: .concurrent)
    }

    init(
        _ configuration: ImageLoader.Configuration, number: UInt64, disk: DiskCache?, memory: PictureMemory?,
        partitionKey: PartitionKey, shared: Shared
    ) {
        self.configuration = configuration
        self.number = number
        settings = configuration.cacheSettings
        self.disk = disk
        self.memory = memory
        self.partitionKey = partitionKey
        self.shared = shared
    }

    var now: WallTime { configuration.clock() }

    /// Runs work that waits for the disk.
    func onDisk<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            shared.diskQueue.async { continuation.resume(returning: work()) }
        }
    }

    /// Loads, and tells of the steps before the end.
    func run(_ load: Load, tell: LoadChannel<LoadEvent>? = nil) async throws(LoadError) -> LoadAnswer {
        var walk = LoadWalk(self, load, tell)
        return try await walk.run()
    }
}

/// What a pipeline is asked for.
struct Load: Sendable {
    var url: String
    var fields: HeaderFields
    var policy: CachePolicy
    /// How the body becomes a picture; nil leaves it as bytes.
    var decoding: Decoding?
    var priority: PriorityCell
    var partition: String?
    var cacheKey: String?
    var layers: CacheLayers
    var isKept: Bool
    /// Nil accepts everything.
    var acceptedContentTypes: Set<ContentType>?

    struct Decoding: Sendable {
        var decoder: ImageDecoder
        /// As in ``ImageCacheKey/variant``.
        var variant: String
    }

    /// The error for this address.
    func error(_ code: LoadError.Code, _ message: String) -> LoadError {
        LoadError(code, url: Redaction.shown(url), message)
    }
}

/// Pictures in memory with the responses they come from.
final class PictureMemory: Sendable {
    /// A picture, and what the policy must know of it.
    struct Picture: Sendable {
        var entry: CacheEntry
        var content: LoadContent
        /// Names the body on disk that it was made of; nil when it was not stored.
        var revision: DiskCache.Revision?
        /// Of the disk cache, when the picture came; a purge of the disk since then ends its freshness.
        var ticket: DiskCache.Ticket?
    }

    let cache: MemoryCache<ImageCacheKey, Picture>
    private let purges = Mutex<UInt64>(0)

    init(maxBytes: Int, maxCount: Int?) { cache = MemoryCache(maxBytes: maxBytes, maxCount: maxCount) }

    /// Names the present, for ``insert(_:for:since:)``.
    var moment: UInt64 { purges.locked(in: self) { $0 } }

    /// Keeps a picture of a load that began at `moment`, unless the memory has been purged since.
    func insert(_ picture: Picture, for key: ImageCacheKey, since moment: UInt64) {
        guard self.moment == moment else { return }
        cache.insert(picture, for: key, cost: picture.content.byteCount)
        if self.moment != moment { cache.removeValue(for: key) }
    }

    /// Takes everything out, and keeps out what loads under way bring later.
    func purge() -> RemovalReport {
        purges.locked(in: self) { $0 += 1 }
        let report = RemovalReport(count: cache.count, bytes: cache.totalBytes)
        cache.removeAll()
        return report
    }
}
#endif
