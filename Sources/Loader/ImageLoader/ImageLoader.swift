internal import PlatformImage
internal import Synchronization

/// Loads images from memory, disk and network, and caches them as the server and the configuration require.
///
/// ```swift
/// let loader = try ImageLoader(transport: transport)
/// let image = try await loader.image(for: ImageRequest(url: "https://example.com/a.png"))
/// ```
///
/// A loader may be used from any thread. Loading never blocks the caller's thread on disk, decoding or network.
public final class ImageLoader: Sendable {
    private struct State {
        var configuration: Configuration
        var images: LoadPipeline
        var data: LoadPipeline
        var number: UInt64 = 0
        var isInvalidated = false
    }

    private let state: Mutex<State>
    /// Weak references to the prefetches that may be running; those of released prefetches are removed when the next
    /// prefetch starts.
    private let prefetches = Mutex<[WeakPrefetchWork]>([])
    private let shared: LoadPipeline.Shared
    private let memory: ImageMemoryCache

    /// Creates a loader and the missing directories of its caches.
    ///
    /// If a directory cannot be created, loads still work: nothing is stored, and the next store tries again. The fault
    /// is reported as a ``LoaderEvent`` and counted in ``diskStatistics``.
    ///
    /// - Parameters:
    ///   - configuration: Settings of the loader.
    ///   - transport: Sends the HTTP requests; may be shared with other loaders.
    /// - Throws: `configuration` for a value out of range, or a setting that the transport does not support.
    public init(
        configuration: Configuration = Configuration(), transport: any HTTPTransport
    ) throws(LoadError) {
        try configuration.validate()
        try transport.validate(configuration.trust)
        let decodeQueue = DecodeQueue(budget: DecodeBudget(maxBytes: configuration.maxInFlightDecodedBytes))
        let lanes = RequestLanes(urgentWidth: configuration.urgentWidth, slowWidth: configuration.slowWidth)
        let reporter = LoadReporter(configuration)
        let fetches = Fetches()
        shared = LoadPipeline.Shared(
            transport: transport, fetches: fetches, decodeQueue: decodeQueue, lanes: lanes,
            failures: NegativeCache(maxCount: configuration.negativeCacheMaxCount), reporter: reporter,
            cache: .images)
        memory = ImageMemoryCache(
            maxBytes: configuration.memoryCacheMaxBytes, maxCount: configuration.memoryCacheMaxCount)
        let imageDisk = Self.disk(configuration.cacheDirectory, configuration, reporter)
        let dataDisk = Self.disk(configuration.dataDirectory, configuration, reporter)
        let images = LoadPipeline(
            configuration, number: 0, disk: imageDisk, peer: dataDisk, memory: memory,
            partitionKey: Self.partitionKey(configuration.cacheDirectory), shared: shared)
        let data = LoadPipeline(
            configuration, number: 0, disk: dataDisk, peer: imageDisk, memory: nil,
            partitionKey: Self.partitionKey(configuration.dataDirectory),
            shared: LoadPipeline.Shared(
                transport: transport, fetches: fetches, decodeQueue: decodeQueue, lanes: lanes,
                failures: NegativeCache(maxCount: configuration.negativeCacheMaxCount), reporter: reporter,
                cache: .data))
        state = Mutex(State(configuration: configuration, images: images, data: data))
        reportUnlimitedDisks(configuration, replacing: nil)
    }

    /// Reports the directories whose disk cache has no size limit. After a change of the configuration, directories
    /// whose disk cache had no limit before the change are not reported again.
    private func reportUnlimitedDisks(_ configuration: Configuration, replacing old: Configuration?) {
        guard configuration.diskCacheMaxBytes == nil else { return }
        let known = old.flatMap { $0.diskCacheMaxBytes == nil ? [$0.cacheDirectory, $0.dataDirectory] : nil } ?? []
        for directory in [configuration.cacheDirectory, configuration.dataDirectory] {
            guard let directory, !known.contains(directory) else { continue }
            shared.reporter.report(.diskCacheUnlimited(directory: directory))
        }
    }

    private static func disk(
        _ directory: String?, _ configuration: Configuration, _ reporter: LoadReporter
    ) -> DiskCache? {
        directory.map { directory in
            DiskCache(
                directory: directory, maxBytes: configuration.diskCacheMaxBytes,
                maxBodyBytes: configuration.maxResponseBytes, now: configuration.clock,
                onFault: { reporter.report(.diskFault($0, directory: directory, message: $1)) })
        }
    }

    private static func partitionKey(_ directory: String?) -> PartitionKey {
        directory.map { PartitionKey(directory: $0) } ?? PartitionKey()
    }

    /// The configuration that new loads use.
    public var configuration: Configuration { state.locked(in: self) { $0.configuration } }

    /// Changes the configuration. The size limits of the caches in bytes, disabling
    /// ``Configuration/cacheImagesInMemory``, the maximum numbers of concurrent fetches, and the settings of events,
    /// records and logging apply immediately. Changes of settings that are fixed when the loader is created have no
    /// effect. All other changes apply to loads that begin later.
    ///
    /// - Parameter change: Modifies the current configuration; it is called again after a concurrent change.
    /// - Throws: As the initialiser; the configuration is then unchanged.
    public func update(_ change: @Sendable (inout Configuration) -> Void) throws(LoadError) {
        // Directories are opened outside the lock. If the configuration was changed meanwhile, the update is repeated
        // with the changed configuration.
        while true {
            let old = state.locked(in: self) { $0 }
            var new = old
            change(&new.configuration)
            try new.configuration.validate()
            try shared.transport.validate(new.configuration.trust)
            new.number += 1
            let imageDisk = Self.disk(of: old.images, old.configuration, new.configuration, \.cacheDirectory)
            let dataDisk = Self.disk(of: old.data, old.configuration, new.configuration, \.dataDirectory)
            new.images = Self.pipeline(
                old.images, old.configuration, new, \.cacheDirectory, disk: imageDisk, peer: dataDisk)
            new.data = Self.pipeline(
                old.data, old.configuration, new, \.dataDirectory, disk: dataDisk, peer: imageDisk)
            let next = new
            let isDone = state.locked(in: self) { state in
                guard state.number == old.number else { return false }
                let isInvalidated = state.isInvalidated
                state = next
                state.isInvalidated = isInvalidated
                return true
            }
            guard isDone else { continue }
            reportUnlimitedDisks(next.configuration, replacing: old.configuration)
            // Configurations are applied outside the lock, so an older one may be applied after a newer one. Each call
            // repeats until it has applied the latest configuration.
            var applied = next
            while true {
                apply(applied)
                let latest = state.locked(in: self) { $0 }
                if latest.number == applied.number { return }
                applied = latest
            }
        }
    }

    /// Applies the settings that take effect immediately.
    private func apply(_ state: State) {
        let configuration = state.configuration
        state.images.disk?.maxBytes = configuration.diskCacheMaxBytes
        state.data.disk?.maxBytes = configuration.diskCacheMaxBytes
        state.images.disk?.maxBodyBytes = configuration.maxResponseBytes
        state.data.disk?.maxBodyBytes = configuration.maxResponseBytes
        memory.cache.maxBytes = configuration.memoryCacheMaxBytes
        memory.setEnabled(configuration.cacheImagesInMemory)
        shared.lanes.setWidths(urgent: configuration.urgentWidth, slow: configuration.slowWidth)
        let running = prefetches.locked(in: self) { $0.compactMap(\.work) }
        for work in running { work.advance() }
        shared.reporter.configure(configuration, number: state.number)
    }

    /// Registers a prefetch, so that it can start more loads when the maximum number of concurrent fetches is increased
    /// later.
    func register(_ work: PrefetchWork) {
        prefetches.locked(in: self) { prefetches in
            prefetches.removeAll { $0.work == nil }
            prefetches.append(WeakPrefetchWork(work: work))
        }
    }

    /// The disk cache of the old pipeline, or a new one when the directory is changed.
    private static func disk(
        of old: LoadPipeline, _ oldConfiguration: Configuration, _ new: Configuration,
        _ folder: KeyPath<Configuration, String?>
    ) -> DiskCache? {
        oldConfiguration[keyPath: folder] == new[keyPath: folder]
            ? old.disk : disk(new[keyPath: folder], new, old.shared.reporter)
    }

    /// A pipeline with the new configuration and the memory cache of the old pipeline.
    private static func pipeline(
        _ old: LoadPipeline, _ oldConfiguration: Configuration, _ new: State, _ folder: KeyPath<Configuration, String?>,
        disk: DiskCache?, peer: DiskCache?
    ) -> LoadPipeline {
        let path = new.configuration[keyPath: folder]
        let isUnchanged = oldConfiguration[keyPath: folder] == path
        let rulesAreUnchanged =
            old.settings.cache == new.configuration.cacheSettings
            && old.settings.acceptedContentTypes == new.configuration.acceptedContentTypes
        return LoadPipeline(
            new.configuration, number: new.number, rules: rulesAreUnchanged ? old.rules : new.number,
            disk: disk, peer: peer, memory: old.memory,
            partitionKey: isUnchanged ? old.partitionKey : partitionKey(path), shared: old.shared)
    }

    var images: LoadPipeline { state.locked(in: self) { $0.images } }
    var data: LoadPipeline { state.locked(in: self) { $0.data } }

    /// The pipeline for a new image load.
    func beginImage() throws(LoadError) -> LoadPipeline { try begin { $0.images } }
    /// The pipeline for a new data load.
    func beginData() throws(LoadError) -> LoadPipeline { try begin { $0.data } }

    private func begin(_ pipeline: (State) -> LoadPipeline) throws(LoadError) -> LoadPipeline {
        guard let pipeline = state.locked(in: self, { $0.isInvalidated ? nil : pipeline($0) }) else {
            throw .configuration("the loader was invalidated")
        }
        return pipeline
    }

    /// Makes every later load fail with `configuration`, permanently; running loads continue.
    ///
    /// Cached responses can still be looked up, stored and removed.
    public func invalidate() { state.locked(in: self) { $0.isInvalidated = true } }

    /// Loads an image.
    ///
    /// A stale image within its `stale-while-revalidate` window is returned immediately and revalidated in the
    /// background (RFC 5861 §3). A fresh image in memory is returned without leaving the caller's executor.
    ///
    /// - Throws: The failure of the load; `cancelled` as soon as the calling task is cancelled; `configuration` after
    ///   ``invalidate()``.
    public nonisolated(nonsending) func image(for request: ImageRequest) async throws(LoadError) -> LoadedImage {
        let pipeline = try beginImage()
        if !Task.isCancelled, let image = pipeline.lookup.memory.image(for: request) {
            pipeline.shared.reporter.reportMemoryHit(request.url, status: image.status)
            return image
        }
        return try await load(request, by: pipeline)
    }

    @concurrent private func load(
        _ request: ImageRequest, by pipeline: LoadPipeline
    ) async throws(LoadError) -> LoadedImage {
        try Self.image(of: try await pipeline.run(Load(request, pipeline)), request)
    }

    /// Loads arbitrary bytes by the cache rules that apply to images, with a separate cache.
    ///
    /// An image of this URL that is stored or is being downloaded is used too, and ``image(for:)`` uses bytes that this
    /// method has stored or is downloading, so that both share one download. With credentials, this applies only to
    /// requests with equal ``DataRequest/partition``.
    ///
    /// - Throws: As ``image(for:)``, except decoding errors.
    public func data(for request: DataRequest) async throws(LoadError) -> LoadedData {
        let pipeline = try beginData()
        return try await pipeline.run(Load(request, pipeline)).data
    }

    /// Loads the encoded file of an image: as ``image(for:)``, but the result is the file, for example to send it on.
    ///
    /// Uses the cache of images: a stored file is returned without a request and without a decode, and this load and
    /// ``image(for:)`` share one download. The header of a downloaded file is checked, the pixels are not decoded. An
    /// image that is only in memory is used only if ``Configuration/retainsEncodedData`` is true.
    ///
    /// - Parameter request: Its thumbnail and its processors are ignored.
    /// - Throws: As ``image(for:)``; decoding errors only for the header.
    public func imageData(for request: ImageRequest) async throws(LoadError) -> LoadedData {
        let pipeline = try beginImage()
        return try await pipeline.run(Load(headerOf: request, pipeline)).data
    }

    /// Loads an image and reports each event of the load.
    public func events(for request: ImageRequest) -> LoadEventStream { events(for: request, priority: nil) }

    func events(for request: ImageRequest, priority: PriorityCell?) -> LoadEventStream {
        LoadEventStream { [self] channel in
            let result: Result<LoadedImage, LoadError>
            do throws(LoadError) {
                let pipeline = try beginImage()
                var load = Load(request, pipeline)
                if let priority { load.follow(priority) }
                let loaded = try await pipeline.run(load, reportingTo: channel)
                result = .success(try Self.image(of: loaded, request))
            } catch {
                result = .failure(error)
            }
            channel.send(.finished(result))
        }
    }

    private static func image(of loaded: LoadResult, _ request: ImageRequest) throws(LoadError) -> LoadedImage {
        guard let image = loaded.image else {
            throw LoadError(.undecodable, url: Redaction.masked(request.url), "the response contains no image")
        }
        return image
    }
}
