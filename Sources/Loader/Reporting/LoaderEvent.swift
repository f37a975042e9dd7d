/// An event in a loader, for monitoring.
///
/// URLs are redacted by ``ImageLoader/Configuration/redactURL``, and no event contains fields of a request or a
/// response, because they may be secret.
public struct LoaderEvent: Hashable, Sendable {
    /// The kind of the event with its values.
    public let kind: Kind
    /// The redacted URL that the event concerns; nil when it does not concern a single URL.
    public let url: String?
    /// False for an event that the configuration excludes from logs: a cache miss without
    /// ``ImageLoader/Configuration/logCacheMisses``, or a cache policy warning without
    /// ``ImageLoader/Configuration/logResponseWarnings``.
    public let isLogged: Bool

    /// The category of the event.
    public var category: Categories { kind.category }

    /// A log level, in the order of severity.
    public enum Level: String, Hashable, Sendable, CaseIterable {
        /// Normal work, for debugging.
        case debug
        /// An action of the application.
        case info
        /// An unusual condition that the loader handles itself.
        case notice
        /// A condition that an operator should correct.
        case warning
        /// A failure.
        case error
    }

    /// A set of event categories.
    public struct Categories: OptionSet, Hashable, Sendable {
        /// One bit per category.
        public let rawValue: UInt8

        /// Creates a set from bits; undefined bits select nothing.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A request was sent.
        public static var request: Self { Self(rawValue: 1) }
        /// A response was received.
        public static var response: Self { Self(rawValue: 2) }
        /// Cache misses, missing caching fields of responses, removal of one image, purges of the disk caches, and disk
        /// caches without a size limit.
        public static var cache: Self { Self(rawValue: 4) }
        /// Failures, retries, disk faults, ignored content codings, and dropped events or records.
        public static var error: Self { Self(rawValue: 8) }
        /// Purges of the memory cache, and evictions of images under memory pressure.
        public static var memory: Self { Self(rawValue: 16) }
        /// All categories.
        public static var all: Self { [.request, .response, .cache, .error, .memory] }
    }

    /// The kind of an event; cases may be added, so a switch over it needs a default.
    public enum Kind: Hashable, Sendable {
        /// A load read the caches and found no response that it may use, not even a stale one; once per load.
        case cacheMiss
        /// A successful response lacks caching headers; once per URL, while it is among the last 4,096 URLs with a
        /// warning. Not reported when ``CacheSettings/useServerCachePolicy`` is false.
        case cachePolicyWarning(CachePolicyWarning)
        /// A request is sent; `attempt` counts the requests of its load from 1, including redirects and retries.
        case requestSent(attempt: Int)
        /// A response was used although it declares a content coding that is not known, because its content begins like
        /// an image; `coding` is the printable part of the coding's name.
        case contentCodingIgnored(coding: String)
        /// A response has ended (complete, rejected or truncated): body bytes as received, and time since the request.
        case responseReceived(status: Int, bytes: Int, duration: Duration)
        /// An attempt failed with this code, and the next one follows after `delay`; `attempt` is the number of the
        /// next attempt, at least 2.
        case retrying(attempt: Int, delay: Duration, code: LoadError.Code)
        /// A load or a background revalidation failed; cancellation is not reported.
        case failed(code: LoadError.Code, status: Int?, isFatal: Bool, message: String)
        /// The application removed the stored data of one image.
        case imageRemoved
        /// The application purged or cleared the disk cache; number and total bytes of the removed files.
        case filesRemoved(count: Int, bytes: Int)
        /// The application purged the memory cache; number and total bytes of the removed images.
        case memoryPurged(count: Int, bytes: Int)
        /// Images were evicted under memory pressure; `bytes` is their size.
        case memoryRelieved(bytes: Int)
        /// The first disk fault of its kind; no load fails because of it. The event also reports a folder that
        /// cannot be created; the disk cache is then disabled until the folder can be created.
        case diskFault(DiskCache.Fault, directory: String, message: String)
        /// A disk cache has no size limit, because ``ImageLoader/Configuration/diskCacheMaxBytes`` is nil.
        /// Reported when the loader is created, and when a change of the configuration removes the limit.
        case diskCacheUnlimited(directory: String)
        /// This many events and records were dropped because the sinks were slower than the loads.
        case reportsDropped(count: Int)
    }
}

/// Missing caching information in a successful response.
public enum CachePolicyWarning: String, Hashable, Sendable, CaseIterable {
    /// No ETag, Cache-Control or Expires: the lifetime is unknown, and only Last-Modified, if present, permits
    /// validation.
    case neitherETagNorLifetime
    /// An ETag, but neither Cache-Control nor Expires: each load validates, unless
    /// ``CacheSettings/defaultCacheControlMaxAge`` sets a lifetime.
    case etagOnly
}

extension LoaderEvent.Kind {
    var category: LoaderEvent.Categories {
        switch self {
        case .requestSent: .request
        case .responseReceived: .response
        case .cacheMiss, .cachePolicyWarning, .imageRemoved, .filesRemoved, .diskCacheUnlimited: .cache
        case .retrying, .failed, .diskFault, .contentCodingIgnored, .reportsDropped: .error
        case .memoryPurged, .memoryRelieved: .memory
        }
    }
}

extension CachePolicyWarning {
    /// Checks the fields of a successful response; nil when none of the warnings applies.
    init?(_ fields: HeaderFields) {
        guard !fields.contains("Cache-Control"), !fields.contains("Expires") else { return nil }
        self = fields.contains("ETag") ? .etagOnly : .neitherETagNorLifetime
    }
}

extension LoaderEvent: CustomStringConvertible {
    /// The event and the redacted URL, in one line.
    public var description: String { "\(kind)\(url.map { " \($0)" } ?? "")" }
}
