#if Loader
internal import Dispatch
internal import PlatformImage
internal import Synchronization

/// The way from a request to an answer, with the values of one configuration: memory, disk, decision, network, gate,
/// decode, store.
///
/// Loads keep the pipeline they began with; a changed configuration makes another one over the same caches.
final class LoadPipeline: Sendable {
    typealias Fetches = InFlightRequests<FetchKey, MeteredFetch>
    typealias Decodes = InFlightRequests<DecodeKey, Result<DecodedImage, DecodeError>>

    let configuration: ImageLoader.Configuration
    let settings: CacheSettings
    let disk: DiskCache?
    let memory: PictureMemory?
    let shared: Shared
    let partitionKey: PartitionKey
    let trustScope: TrustScope
    /// Tells fetches of one configuration from those of another.
    let number: UInt64
    /// Changes with whatever decides how long a picture in memory answers.
    let rules: UInt64
    /// False when a look in memory never decides a load: nothing is kept there, or credentials or trust settings of the
    /// configuration are part of the keys.
    let answersFromMemory: Bool

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
        let reporter: LoadReporter
        /// Where the disk is waited for, so that neither callers nor Swift's shared threads are.
        let diskQueue = DispatchQueue(label: "ImageLoader.disk", attributes: .concurrent)
    }

    init(
        _ configuration: ImageLoader.Configuration, number: UInt64, rules: UInt64 = 0, disk: DiskCache?,
        memory: PictureMemory?, partitionKey: PartitionKey, shared: Shared
    ) {
        self.configuration = configuration
        self.number = number
        self.rules = rules
        trustScope = TrustScope(configuration.trust)
        answersFromMemory =
            configuration.cacheImagesInMemory && configuration.basicAuth == nil && trustScope.isDefault
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
        let begin = ContinuousClock.now
        var walk = LoadWalk(self, load, tell)
        do throws(LoadError) {
            let answer = try await walk.run()
            noteEnd(load, answer, since: begin)
            return answer
        } catch {
            noteEnd(load, error, walk.timings, since: begin)
            throw error
        }
    }
}
#endif
