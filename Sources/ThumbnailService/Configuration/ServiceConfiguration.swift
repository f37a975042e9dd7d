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
    /// How sources are decoded.
    public var decode = Decode()
    /// What results look like.
    public var output = Output()
    /// What is kept, and for how long.
    public var cache = Cache()
    /// Turns identifiers of IIIF into sources; nil switches the dialect off.
    public var iiif: IdentifierMap?
    /// A page at `/gallery` to look at the service with; nil for no such page.
    public var gallery: Gallery?

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
        /// request, which is right where nothing stands in front of the service; `info.json` of IIIF, which contains
        /// it, is then not to be stored.
        public var publicURL: String?
        /// Connections at once. The last place closes the connection that has been idle for longest; where none is idle,
        /// more connections wait in the backlog of the system.
        public var maxConnections = 4_096
        /// Connections at once of one client, which is an IPv4 address or an IPv6 /64; nil for no limit. Addresses of
        /// ``proxies`` have none, and no address has one with ``trustsForwardedFor``.
        public var maxConnectionsPerClient: Int? = 256
        /// Address ranges in CIDR form whose connections are those of many clients. The default is loopback and the ranges
        /// for private networks (RFC 1918, RFC 4193, link-local).
        public var proxies = [
            "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "::1/128", "fc00::/7",
            "fe80::/10",
        ]
        /// The port of metrics and health for the operator, on the same machine; 0 for any that is free, nil for none.
        public var adminPort: Int? = 9_090
        /// Until the header of a request is there, from its first byte or from the connection's begin.
        public var headerTimeout = Duration.seconds(5)
        /// Until a request is there with its body, from its first byte or from the connection's begin.
        public var requestTimeout = Duration.seconds(10)
        /// Until a connection without a request is closed.
        public var idleTimeout = Duration.seconds(60)
        /// For everything that one request does.
        public var deadline = Duration.seconds(20)
        /// Bytes of a request target.
        public var maxTargetBytes = 8_192
        /// Bytes of all header fields of a request.
        public var maxHeaderBytes = 16_384
        /// Between being told to stop and closing the listener; readiness is 503 meanwhile.
        public var drainDelay = Duration.zero
        /// For requests that are under way when the service is told to stop.
        public var drainTimeout = Duration.seconds(25)
        /// Takes a client's address from the last element of X-Forwarded-For: only where a proxy that sets it stands in
        /// front of the service and nobody else can reach it.
        public var trustsForwardedFor = false
        /// Adds `X-Cache` and `Server-Timing` to answers.
        public var showsDebugFields = false

        /// The defaults.
        public init() {}
    }

    /// Who may ask for what.
    public struct Signing: Hashable, Sendable {
        /// Secrets of 16 bytes or more: the first signs, all verify. Empty with ``allowsUnsafe`` off is no service.
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
        /// Without a byte from the origin, before the first byte of a response and between any two.
        public var firstByteTimeout = Duration.seconds(5)
        /// Bytes a second that a body has to bring, over a window of 5 s; 0 for no such bound.
        public var minRate = 1_000
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
        /// Frames or pages that a source may have; 0 for any number. One alone is decoded.
        public var frames = 0
        /// Pixels of a side of a result.
        public var resultSide = 8_192
        /// Pixels of a result.
        public var resultPixels = 50_000_000
        /// Bytes that all renders, and the bodies of POST requests before them, may hold at once. Bodies have half of it, or
        /// one of ``sourceBytes`` where that is more.
        public var inFlightBytes = Limits.usualInFlightBytes
        /// Renders that may wait.
        public var queue = 256
        /// For how long a render may be expected to wait; beyond it is refused at once.
        public var queueWait = Duration.seconds(5)
        /// New renders a minute that one client may cause; nil for any number.
        public var rendersPerClient: Int?
        /// Renders at once; 0 means one per available processor.
        public var threads = 0

        /// The defaults.
        public init() {}
    }

    /// How sources are decoded.
    public struct Decode: Hashable, Sendable {
        /// Which damage makes a source no picture.
        public var failOn = Damage.none

        /// Which damage makes a source no picture.
        public enum Damage: String, Hashable, Sendable, CaseIterable {
            /// None: what can be decoded is shown.
            case none
            /// A source that ends too early.
            case truncated
            /// That, and wrong checksums, codes or structure.
            case corrupt
            /// That, and whatever else is odd.
            case warning
        }

        /// The defaults.
        public init() {}
    }

    /// What results look like.
    public struct Output: Hashable, Sendable {
        /// 1 to 100, of a JPEG without a wish of its own.
        public var quality = 80
        /// Chooses the format by the Accept field of a request, where target and dialect leave it open.
        public var negotiates = false
        /// Widths that a target may name, and heights where it names no width; empty for any.
        public var sizes: [Int] = []
        /// Refuses every target that is not made of presets alone.
        public var presetsOnly = false
        /// Parts of targets by name, such as `fit-in/300x200/filters:quality(70)`, for the filter `preset(name)`.
        public var presets: [String: String] = [:]
        /// Takes IIIF's `!w,h` that is larger than the region as the region itself, where it is refused otherwise.
        public var clampsConfinedSizes = false
        /// The value of Cross-Origin-Resource-Policy; nil leaves the field out.
        public var resourcePolicy: ResourcePolicy?
        /// Refuses a filter whose name is not known, where it is left out and named in the answer otherwise.
        public var refusesUnknownFilters = false

        /// Which pages may show a result (Fetch, `Cross-Origin-Resource-Policy`).
        public enum ResourcePolicy: String, Hashable, Sendable, CaseIterable {
            /// Pages of the same origin.
            case sameOrigin = "same-origin"
            /// Pages of the same site.
            case sameSite = "same-site"
            /// Every page.
            case crossOrigin = "cross-origin"
        }

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
        /// For how long an answer without a picture may be kept, and a missing source is not asked for again.
        public var negativeLifetime = Duration.seconds(60)
        /// Says in answers that they never change.
        public var isImmutable = false

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
        /// Put before an identifier, percent-encoded as a path; nil for none. An address of http or https that has a
        /// host and ends with `/`, without a query: identifiers then stay below it.
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

extension ServiceConfiguration {
    /// A page at `/gallery` that shows pictures with the place that each came from, tells how full the caches are and
    /// empties them: for looking at a service, not for one that strangers reach.
    public struct Gallery: Hashable, Sendable {
        /// One picture of the page.
        public struct Picture: Hashable, Sendable {
            /// As it stands at the end of a target, not encoded: an address, or the path of a file below
            /// ``ServiceConfiguration/Source/fileRoot``.
            public var source: String
            /// What people read: the text beside the picture and instead of it.
            public var name: String

            /// A picture of the page.
            public init(source: String, name: String) {
                self.source = source
                self.name = name
            }
        }

        /// In the order of the page.
        public var pictures: [Picture]

        /// A page of these pictures.
        public init(pictures: [Picture]) { self.pictures = pictures }
    }
}

extension ServiceConfiguration.Limits {
    /// 512 MiB, or a quarter of the limit on this process's memory, in bytes, when that is less: what the files of
    /// cgroups said when it was first asked for.
    public static let usualInFlightBytes = inFlightBytes(memoryLimit: AvailableMemory().cgroupLimit)

    /// At least 1 MiB; nil for no limit on memory.
    static func inFlightBytes(memoryLimit: Int?) -> Int { max(1 << 20, min(512 << 20, (memoryLimit ?? .max) / 4)) }
}
#endif
