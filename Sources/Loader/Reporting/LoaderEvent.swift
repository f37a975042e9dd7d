#if Loader
/// Something that happened in a loader, for those who operate it.
///
/// Addresses are shown as ``ImageLoader/Configuration/redactURL`` says, and no event holds a field of a request or a
/// response: what is secret in them goes nowhere.
public struct LoaderEvent: Hashable, Sendable {
    /// What happened.
    public let kind: Kind
    /// The address that it happened to, redacted; nil when it concerns no single one.
    public let url: String?

    /// Which category the event belongs to, exactly one.
    public var category: Categories { kind.category }

    /// What is told of; several may be chosen.
    public struct Categories: OptionSet, Hashable, Sendable {
        /// A bit for each category.
        public let rawValue: UInt8

        /// The categories of these bits; those without a meaning choose nothing.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A request went out.
        public static var request: Self { Self(rawValue: 1) }
        /// A response came in.
        public static var response: Self { Self(rawValue: 2) }
        /// Misses, servers that say too little about caching, removals.
        public static var cache: Self { Self(rawValue: 4) }
        /// Failures, repetitions, faults of the disk.
        public static var error: Self { Self(rawValue: 8) }
        /// Pictures in memory that were given up.
        public static var memory: Self { Self(rawValue: 16) }
        /// All of them.
        public static var all: Self { [.request, .response, .cache, .error, .memory] }
    }

    /// What happened; more may be added, so switch over it with a default.
    public enum Kind: Hashable, Sendable {
        /// A load looked into the caches and found nothing for its address, also nothing stale; once a load.
        case cacheMiss
        /// A success says too little about how long it may be kept; once an address, as far as they are remembered.
        case cachePolicyWarning(CachePolicyWarning)
        /// A request goes out; `attempt` counts those of its load from 1, over redirects and repetitions.
        case requestSent(attempt: Int)
        /// A response has ended, whole, refused or cut short: its bytes as they came, and the time since the request.
        case responseReceived(status: Int, bytes: Int, duration: Duration)
        /// An attempt failed with this code and another one, counted from 2, follows after the delay.
        case retrying(attempt: Int, delay: Duration, code: LoadError.Code)
        /// A load failed, or a renewal in the background; those that were cancelled are not told of.
        case failed(code: LoadError.Code, status: Int?, isFatal: Bool, message: String)
        /// What is stored of one picture was removed at the host's wish.
        case imageRemoved
        /// The host purged or cleared the disk caches of so many files and bytes.
        case filesRemoved(count: Int, bytes: Int)
        /// The host took all pictures out of memory.
        case memoryPurged(count: Int, bytes: Int)
        /// So many bytes of pictures were given up under pressure.
        case memoryRelieved(bytes: Int)
        /// The disk did not do what it was to, for the first time in this way; no load fails for it. A folder that cannot
        /// be made is told of so, and turns the disk cache off until it can be.
        case diskFault(DiskCache.Fault, directory: String, message: String)
        /// So many events and records were left out because the sinks took longer than the loads.
        case reportsDropped(count: Int)
    }
}

/// What a server's success lacks.
public enum CachePolicyWarning: String, Hashable, Sendable, CaseIterable {
    /// Neither an ETag nor Cache-Control or Expires: nothing says how long it is good, and it can hardly be validated.
    case neitherETagNorLifetime
    /// An ETag and neither Cache-Control nor Expires: each load asks the server again.
    case etagOnly
}

extension LoaderEvent.Kind {
    var category: LoaderEvent.Categories {
        switch self {
        case .requestSent: .request
        case .responseReceived: .response
        case .cacheMiss, .cachePolicyWarning, .imageRemoved, .filesRemoved: .cache
        case .retrying, .failed, .diskFault, .reportsDropped: .error
        case .memoryPurged, .memoryRelieved: .memory
        }
    }
}

extension CachePolicyWarning {
    /// What is wrong with a success of these fields; nil for nothing.
    init?(_ fields: HeaderFields) {
        guard !fields.contains("Cache-Control"), !fields.contains("Expires") else { return nil }
        self = fields.contains("ETag") ? .etagOnly : .neitherETagNorLifetime
    }
}

extension LoaderEvent: CustomStringConvertible {
    /// The event and the redacted URL, in one line.
    public var description: String { "\(kind)\(url.map { " \($0)" } ?? "")" }
}
#endif
