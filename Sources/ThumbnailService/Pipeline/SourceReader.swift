import PlatformImage
import PlatformImageLoader

/// Reads the bytes of sources.
protocol SourceReading: Sendable {
    /// Reads a source.
    ///
    /// - Throws: `malformed` for an invalid URL, `notFound`, `hostRefused`, `portRefused`, `schemeRefused`,
    ///   `addressRefused`, `tooLarge`, `originFailed`, `originTimeout`, `overloaded`, `internalFault`; `deadline` when
    ///   the calling task is cancelled.
    func read(_ source: SourceName) async throws(ServiceError) -> SourceBytes

    /// Waits until all fetched sources are on disk.
    func flush() async

    /// Bytes of sources on disk, as far as they have been counted since the start.
    var storedBytes: Int { get }

    /// Statistics of the disk cache of sources; nil without one.
    var diskStatistics: DiskCache.Statistics? { get }

    /// Removes all sources from disk.
    func purgeDisk() async
}

extension SourceReading {
    var storedBytes: Int { 0 }
    var diskStatistics: DiskCache.Statistics? { nil }

    func purgeDisk() async {}
}

/// Reads sources by name: URLs with the loader and its disk cache, files from a directory. A configured map converts
/// IIIF identifiers to files or URLs.
final class SourceReader: SourceReading {
    let loader: ImageLoader
    private let fetches: Bool
    private let policy: SourcePolicy
    private let files: SourceFiles?
    private let identifiers: ServiceConfiguration.IdentifierMap?
    private let identifierFiles: SourceFiles?
    private let metrics: ServiceMetrics?
    /// Queue for reading files and hashing bytes.
    private let queue = BlockingQueue(label: "ThumbnailService.files")

    /// Creates a reader.
    ///
    /// - Throws: `internalFault` for invalid settings.
    init(
        _ configuration: ServiceConfiguration, resolver: any Resolver = SystemResolver(),
        metrics: ServiceMetrics? = nil
    ) throws(ServiceError) {
        self.metrics = metrics
        let source = configuration.source
        policy = try SourcePolicy(allow: source.allow, ports: source.ports, exceptions: source.allowedRanges)
        fetches = source.fetches
        let limit = configuration.limits.sourceBytes
        files = try Self.files(source.fileRoot, limit)
        identifiers = configuration.iiif
        if let prefix = identifiers?.urlPrefix, !ServiceConfiguration.IdentifierMap.isPrefix(prefix) {
            throw ServiceError(
                .internalFault, "iiif.map: \(prefix) is not an http or https URL that has a host and ends with /")
        }
        identifierFiles = try Self.files(configuration.iiif?.fileRoot, limit)

        var settings = ImageLoader.Configuration()
        settings.cacheDirectory = nil
        settings.dataDirectory =
            configuration.cache.sourceDisk > 0 ? configuration.cache.directory.map { $0 + "/sources" } : nil
        settings.diskCacheMaxBytes = configuration.cache.sourceDisk
        settings.isSharedCache = true
        settings.maxResponseBytes = limit
        settings.connectTimeout = source.connectTimeout
        settings.idleTimeout = source.firstByteTimeout
        settings.totalTimeout = source.timeout
        settings.maxRedirects = source.maxRedirects
        settings.userAgent = source.userAgent
        settings.staleIfError = source.staleIfError > .zero ? .upTo(source.staleIfError) : .never
        settings.negativeCacheMaxAge = configuration.cache.negativeLifetime
        settings.urgentWidth = 64
        settings.eventCategories = []
        do {
            loader = try ImageLoader(
                configuration: settings,
                transport: GuardedTransport(
                    policy: policy, resolver: resolver, minRate: TransferRate(bytesPerSecond: source.minRate)))
        } catch {
            throw ServiceError(.internalFault, "the loader cannot be created: \(error.message)")
        }
    }

    func read(_ source: SourceName) async throws(ServiceError) -> SourceBytes {
        switch source {
        case .body:
            throw ServiceError(.internalFault, "the source is the request body, which is neither a file nor a URL")
        case .file(let path):
            guard let files else {
                throw ServiceError(.notFound, "the source is a file, but source.fileRoot is not set")
            }
            return try await read(path, in: files)
        case .url(let url): return try await fetch(url)
        case .identifier(let name): return try await read(identifier: name)
        }
    }

    func flush() async { await loader.flush() }

    var storedBytes: Int { loader.dataStatistics?.bytes ?? 0 }

    var diskStatistics: DiskCache.Statistics? { loader.dataStatistics }

    func purgeDisk() async { await loader.purgeDisk() }

    private func fetch(_ url: String) async throws(ServiceError) -> SourceBytes {
        guard fetches else { throw ServiceError(.hostRefused, "fetching of sources is disabled (source.fetch)") }
        _ = try policy.validate(url)
        var request = DataRequest(url: url)
        request.fields = ["Accept-Encoding": "identity"]
        let begin = ContinuousClock.now
        let exchange = OriginExchange(RequestTrace.current?.context)
        do {
            let data = try await OriginExchange.$current.withValue(exchange) { try await loader.data(for: request) }
            metrics?.recordFetch(
                data.source, hasSourceCache: loader.dataStatistics != nil, wasSent: exchange.wasSent,
                in: begin.duration(to: .now))
            if let reason = data.staleReason.map({ ServiceError($0) }) {
                RequestTrace.current?.update { $0.staleReason = reason }
            }
            return await queue.run {
                SourceBytes(
                    data.bytes, url: url, fields: data.fields, isFresh: data.isFresh,
                    replacesError: data.staleReason != nil, now: .now)
            }
        } catch {
            guard let error = error as? LoadError else {
                throw ServiceError(.internalFault, "the source could not be loaded")
            }
            throw Self.serviceError(error)
        }
    }

    /// Converts an error of the loader. The URL of the source itself was checked before the load, so that a refused
    /// host, port or scheme is that of a redirect.
    private static func serviceError(_ error: LoadError) -> ServiceError {
        let failure = ServiceError(error)
        guard [.hostRefused, .portRefused, .schemeRefused].contains(failure.reason) else { return failure }
        return ServiceError(
            failure.reason, code: failure.code, detail: failure.detail ?? "the origin redirected to it", failure.message
        )
    }

    private func read(identifier name: String) async throws(ServiceError) -> SourceBytes {
        if let identifierFiles {
            do throws(ServiceError) {
                return try await read(name, in: identifierFiles)
            } catch {
                guard error.reason == .notFound, identifiers?.urlPrefix != nil else { throw error }
            }
        }
        guard let prefix = identifiers?.urlPrefix else {
            throw ServiceError(.notFound, "iiif.map contains neither a directory nor a URL prefix")
        }
        // Percent-encoded as path segments (RFC 3986 §3.3); slashes are not encoded.
        return try await fetch(prefix + PercentEncoding.encode(name, allowed: .pathSegment.union("/")))
    }

    private func read(_ path: String, in files: SourceFiles) async throws(ServiceError) -> SourceBytes {
        let source = await queue.run {
            Result { () throws(ServiceError) in
                let file = try files.read(path)
                return SourceBytes(file.bytes, lastModified: file.modified)
            }
        }
        return try source.get()
    }

    private static func files(_ root: String?, _ limit: Int) throws(ServiceError) -> SourceFiles? {
        guard let root else { return nil }
        return try SourceFiles(root: root, maxBytes: limit)
    }
}
