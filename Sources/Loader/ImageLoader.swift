#if Loader
internal import PlatformImage
internal import Synchronization

/// Loads pictures: from memory, from disk, from the network, and keeps them as the server and the host say.
///
/// ```swift
/// let loader = try ImageLoader(transport: transport)
/// let picture = try await loader.image(for: ImageRequest(url: "https://example.com/a.png"))
/// ```
///
/// A loader may be used from any thread. No load waits for a disk, a decoder or a network on its caller's thread.
public final class ImageLoader: Sendable {
    private struct State {
        var configuration: Configuration
        var images: LoadPipeline
        var data: LoadPipeline
        var number: UInt64 = 0
    }

    private let state: Mutex<State>
    private let shared: LoadPipeline.Shared
    private let memory: PictureMemory

    /// A loader; makes the folders of its caches when they are missing.
    ///
    /// A folder that cannot be made turns the disk cache off, and loads still work.
    ///
    /// - Parameters:
    ///   - configuration: What the host decides.
    ///   - transport: Takes requests to the network; may be shared with other loaders.
    /// - Throws: `configuration` for a figure out of its range, or a setting that the transport cannot honour.
    public init(
        configuration: Configuration = Configuration(), transport: any HTTPTransport
    ) throws(LoadError) {
        try configuration.validate()
        try transport.validate(configuration.trust)
        let decodeQueue = DecodeQueue(budget: DecodeBudget(maxBytes: configuration.maxInFlightDecodedBytes))
        let lanes = RequestLanes(urgentWidth: configuration.urgentWidth, slowWidth: configuration.slowWidth)
        shared = LoadPipeline.Shared(
            transport: transport, decodeQueue: decodeQueue, lanes: lanes,
            failures: NegativeCache(maxCount: configuration.negativeCacheMaxCount))
        memory = PictureMemory(
            maxBytes: configuration.memoryCacheMaxBytes, maxCount: configuration.memoryCacheMaxCount)
        let images = LoadPipeline(
            configuration, number: 0, disk: Self.disk(configuration.cacheDirectory, configuration), memory: memory,
            partitionKey: Self.partitionKey(configuration.cacheDirectory), shared: shared)
        let data = LoadPipeline(
            configuration, number: 0, disk: Self.disk(configuration.dataDirectory, configuration), memory: nil,
            partitionKey: Self.partitionKey(configuration.dataDirectory),
            shared: LoadPipeline.Shared(
                transport: transport, decodeQueue: decodeQueue, lanes: lanes,
                failures: NegativeCache(maxCount: configuration.negativeCacheMaxCount)))
        state = Mutex(State(configuration: configuration, images: images, data: data))
    }

    private static func disk(_ directory: String?, _ configuration: Configuration) -> DiskCache? {
        directory.map { DiskCache(directory: $0, maxBytes: configuration.diskCacheMaxBytes, now: configuration.clock) }
    }

    private static func partitionKey(_ directory: String?) -> PartitionKey {
        directory.map { PartitionKey(directory: $0) } ?? PartitionKey()
    }

    /// What loads that begin now go by.
    public var configuration: Configuration { state.locked(in: self) { $0.configuration } }

    /// Changes the configuration; limits and widths act at once, the rest on loads that begin later.
    ///
    /// - Parameter change: Gets the configuration as it is; is called again when another change came meanwhile.
    /// - Throws: As the initialiser; nothing is changed then.
    public func update(_ change: @Sendable (inout Configuration) -> Void) throws(LoadError) {
        // Folders are opened outside the lock; when another change came meanwhile this one is made again on top of it.
        while true {
            let old = state.locked(in: self) { $0 }
            var new = old
            change(&new.configuration)
            try new.configuration.validate()
            try shared.transport.validate(new.configuration.trust)
            new.number += 1
            new.images = Self.pipeline(old.images, new, \.cacheDirectory)
            new.data = Self.pipeline(old.data, new, \.dataDirectory)
            let next = new
            let isDone = state.locked(in: self) { state in
                guard state.number == old.number else { return false }
                state = next
                return true
            }
            guard isDone else { continue }
            let configuration = next.configuration
            next.images.disk?.maxBytes = configuration.diskCacheMaxBytes
            next.data.disk?.maxBytes = configuration.diskCacheMaxBytes
            memory.cache.maxBytes = configuration.memoryCacheMaxBytes
            if !configuration.cacheImagesInMemory { _ = memory.purge() }
            shared.lanes.setWidths(urgent: configuration.urgentWidth, slow: configuration.slowWidth)
            return
        }
    }

    /// The pipeline over the caches of the old one, but for a folder that has changed.
    private static func pipeline(
        _ old: LoadPipeline, _ new: State, _ folder: KeyPath<Configuration, String?>
    ) -> LoadPipeline {
        let path = new.configuration[keyPath: folder]
        let isKept = old.configuration[keyPath: folder] == path
        return LoadPipeline(
            new.configuration, number: new.number, disk: isKept ? old.disk : disk(path, new.configuration),
            memory: old.memory, partitionKey: isKept ? old.partitionKey : partitionKey(path), shared: old.shared)
    }

    var images: LoadPipeline { state.locked(in: self) { $0.images } }
    var data: LoadPipeline { state.locked(in: self) { $0.data } }

    /// Loads a picture.
    ///
    /// A stale picture within its `stale-while-revalidate` window is returned at once and renewed in the background.
    ///
    /// - Throws: What went wrong; `cancelled` as soon as the calling task is cancelled.
    public func image(for request: ImageRequest) async throws(LoadError) -> LoadedImage {
        let pipeline = images
        let answer = try await pipeline.run(Load(request, pipeline))
        return try Self.picture(answer, request)
    }

    /// Loads a picture and tells of every step.
    public func events(for request: ImageRequest) -> LoadEventStream { events(for: request, priority: nil) }

    func events(for request: ImageRequest, priority: PriorityCell?) -> LoadEventStream {
        LoadEventStream { [self] channel in
            let pipeline = images
            var load = Load(request, pipeline)
            if let priority { load.priority = priority }
            let result: Result<LoadedImage, LoadError>
            do throws(LoadError) {
                let answer = try await pipeline.run(load, tell: channel)
                result = .success(try Self.picture(answer, request))
            } catch {
                result = .failure(error)
            }
            channel.send(.finished(result))
        }
    }

    private static func picture(_ answer: LoadAnswer, _ request: ImageRequest) throws(LoadError) -> LoadedImage {
        guard let image = answer.image else {
            throw LoadError(.undecodable, url: Redaction.shown(request.url), "no picture")
        }
        return image
    }
}

extension Load {
    init(_ request: ImageRequest, _ pipeline: LoadPipeline) {
        let configuration = pipeline.configuration
        url = request.url
        fields = request.fields
        policy = request.policy
        priority = PriorityCell(request.priority)
        partition = request.partition
        cacheKey = request.cacheKey
        layers = request.layers
        isKept = request.keepsDownloadingWhenCancelled ?? configuration.keepsDownloadingWhenCancelled
        acceptedContentTypes = configuration.acceptedContentTypes
        var options = request.decodeOptions
        // Both have a say, and the picture has four bytes a pixel.
        let scale = options.scaleDenominator
        let pixels = (configuration.maxDecodedBytes / 4).multipliedReportingOverflow(by: scale * scale)
        if options.limits != configuration.decodeLimits {
            options.limits = options.limits.lowered(to: configuration.decodeLimits)
        }
        if !pixels.overflow {
            options.limits.maxPixels = min(options.limits.maxPixels ?? .max, max(1, pixels.partialValue))
        }
        var decoder = pipeline.shared.decoder
        decoder.options = options
        decoding = Decoding(decoder: decoder, variant: request.decodeOptions.cacheVariant)
    }
}

extension DecodeLimits {
    /// The lower of both for what decides about memory and time before all else.
    fileprivate func lowered(to other: DecodeLimits) -> DecodeLimits {
        func lower(_ a: Int?, _ b: Int?) -> Int? { a.map { a in b.map { min(a, $0) } ?? a } ?? b }
        var limits = self
        for property in Self.properties {
            limits[keyPath: property] = lower(self[keyPath: property], other[keyPath: property])
        }
        return limits
    }

    private static var properties: [WritableKeyPath<DecodeLimits, Int?>] {
        [
            \.maxInputBytes, \.maxSide, \.maxPixels, \.maxMemory, \.maxFrames, \.maxTotalPixels, \.maxScans,
            \.maxScanSamples, \.maxPages, \.maxSamplesPerPixel, \.maxTileSide, \.maxMetadataItem, \.maxMetadataTotal,
            \.maxChunks,
        ]
    }
}
#endif
