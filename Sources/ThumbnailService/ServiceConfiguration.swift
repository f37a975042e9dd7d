#if Service
import PlatformImage

/// Everything that an operator decides, with the defaults of a service that fetches nothing and stores nothing.
public struct ServiceConfiguration: Sendable {
    /// Where requests come in.
    public var server = Server()
    /// Who may ask for what.
    public var signing = Signing()
    /// Where pictures come from.
    public var source = Source()
    /// What a request may cost.
    public var limits = Limits()
    /// What results look like.
    public var output = Output()
    /// What is kept, and for how long.
    public var cache = Cache()
    /// Turns identifiers of IIIF into sources; nil switches the dialect off.
    public var iiif: IdentifierMap?

    /// The defaults.
    public init() {}
}

extension ServiceConfiguration {
    /// Where requests come in.
    public struct Server: Hashable, Sendable {
        /// The address to listen on.
        public var host = "127.0.0.1"
        /// 0 for any port that is free.
        public var port = 8080
        /// What clients reach the service under, such as `https://images.example`; nil takes the Host field of a
        /// request, which is right where nothing stands in front of the service.
        public var publicURL: String?
        /// Connections at once; more wait in the backlog of the system.
        public var maxConnections = 4_096
        /// Until a connection without a request is closed.
        public var idleTimeout = Duration.seconds(60)
        /// For everything that one request does.
        public var deadline = Duration.seconds(20)
        /// Bytes of a request target.
        public var maxTargetBytes = 8_192
        /// Bytes of all header fields of a request.
        public var maxHeaderBytes = 16_384
        /// For requests that are under way when the service is told to stop.
        public var drainTimeout = Duration.seconds(25)
        /// Adds `X-Cache` and `Server-Timing` to answers.
        public var showsDebugFields = false

        /// The defaults.
        public init() {}
    }

    /// Who may ask for what.
    public struct Signing: Hashable, Sendable {
        /// Secrets: the first signs, all verify. Empty with ``allowsUnsafe`` off is no service.
        public var keys: [[UInt8]] = []
        /// Takes targets that begin with `/unsafe/`.
        public var allowsUnsafe = false
        /// How the rest of a target becomes a signature: the first signs, all verify.
        public var algorithms: [SigningKeys.Algorithm] = [.sha1, .sha256]
        /// Takes targets with a query, which is then signed and part of the source's address.
        public var signsQueries = false
        /// Takes a signature of the percent-decoded target too.
        public var acceptsDecoded = false

        /// The defaults.
        public init() {}
    }

    /// Where pictures come from.
    public struct Source: Hashable, Sendable {
        /// False fetches nothing: bodies of POST requests and files alone.
        public var fetches = true
        /// Hosts: exact names, `*.example.com` for all names below one, `*` for every host. Empty for none.
        public var allow: [String] = []
        /// Ports that may be connected to.
        public var ports: Set<Int> = [80, 443]
        /// Address ranges in CIDR form that may be connected to although they are blocked by default.
        public var allowedRanges: [String] = []
        /// The scheme of a source that names none.
        public var defaultScheme = "http"
        /// The folder of sources that are files; nil for none.
        public var fileRoot: String?
        /// Until a connection stands.
        public var connectTimeout = Duration.seconds(2)
        /// Without a byte from the origin.
        public var idleTimeout = Duration.seconds(5)
        /// For a whole fetch.
        public var timeout = Duration.seconds(15)
        /// Hops that are followed; 0 for none.
        public var maxRedirects = 5

        /// The defaults.
        public init() {}
    }

    /// What a request may cost.
    public struct Limits: Hashable, Sendable {
        /// Bytes of a source.
        public var sourceBytes = 32 << 20
        /// Pixels of a source.
        public var sourcePixels = 50_000_000
        /// Pixels of a side of a result.
        public var resultSide = 8_192
        /// Pixels of a result.
        public var resultPixels = 50_000_000
        /// Bytes that all renders may hold at once.
        public var inFlightBytes = 512 << 20
        /// Renders that may wait.
        public var queue = 256
        /// Renders at once; 0 means one per core.
        public var threads = 0

        /// The defaults.
        public init() {}
    }

    /// What results look like.
    public struct Output: Hashable, Sendable {
        /// 1 to 100, of a JPEG without a wish of its own.
        public var quality = 80
        /// Refuses a filter whose name is not known, where it is left out and named in the answer otherwise.
        public var refusesUnknownFilters = false

        /// The defaults.
        public init() {}
    }

    /// What is kept, and for how long.
    public struct Cache: Hashable, Sendable {
        /// The folder of both disk caches; nil keeps nothing on disk.
        public var directory: String?
        /// Bytes of results in memory; 0 keeps none there.
        public var resultMemory = 128 << 20
        /// Bytes of results on disk; 0 keeps none there.
        public var resultDisk = 10 << 30
        /// Bytes of sources on disk; 0 keeps none there.
        public var sourceDisk = 10 << 30
        /// How the lifetime of a result follows from its source's.
        public var mode = Mode.shorter
        /// The lifetime of a result by itself.
        public var lifetime = Duration.seconds(86_400)
        /// For how long a client may show a stale result while it asks anew.
        public var staleWhileRevalidate = Duration.zero
        /// For how long an answer without a picture may be kept.
        public var negativeLifetime = Duration.seconds(60)

        /// How the lifetime of a result follows from its source's.
        public enum Mode: String, Hashable, Sendable, CaseIterable {
            /// ``Cache/lifetime``, whatever the source says.
            case ttl
            /// The source's.
            case passthrough
            /// The shorter of both.
            case shorter = "min"
        }

        /// The defaults.
        public init() {}
    }

    /// Identifiers and what they stand for.
    public struct IdentifierMap: Hashable, Sendable {
        /// Put before an identifier, percent-encoded as a path; nil for none.
        public var urlPrefix: String?
        /// The folder in which an identifier names a file; looked into first. Nil for none.
        public var fileRoot: String?

        /// A map of these parts.
        public init(urlPrefix: String? = nil, fileRoot: String? = nil) {
            self.urlPrefix = urlPrefix
            self.fileRoot = fileRoot
        }
    }
}

extension ServiceConfiguration.Limits {
    /// What the decoder is told.
    var decode: DecodeLimits {
        var limits = DecodeLimits()
        limits.maxPixels = sourcePixels
        limits.maxInputBytes = sourceBytes
        return limits
    }
}

extension ServiceConfiguration.Cache {
    /// What lifetimes are worked out from.
    var lifetimes: CacheLifetime.Settings {
        CacheLifetime.Settings(
            mode: mode.lifetimeMode, ttl: Int(clamping: lifetime.components.seconds),
            staleWhileRevalidate: Int(clamping: staleWhileRevalidate.components.seconds),
            negativeTTL: Int(clamping: negativeLifetime.components.seconds))
    }
}

extension ServiceConfiguration.Cache.Mode {
    fileprivate var lifetimeMode: CacheLifetime.Mode {
        switch self {
        case .ttl: .ttl
        case .passthrough: .passthrough
        case .shorter: .min
        }
    }
}
#endif
