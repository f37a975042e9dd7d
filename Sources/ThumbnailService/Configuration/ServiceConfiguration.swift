import PlatformImage
import PlatformImageLoader

/// Configuration of the service. With the defaults, it fetches from no host and stores nothing on disk.
public struct ServiceConfiguration: Sendable {
    /// Listener, timeouts and connection limits.
    public var server = Server()
    /// Log of a program that writes one by this configuration, such as `imagetool serve`.
    public var log = Log()
    /// Signatures of targets.
    public var signing = Signing()
    /// Sources of images.
    public var source = Source()
    /// Limits on the cost of a request.
    public var limits = Limits()
    /// Decoding of sources.
    public var decode = Decode()
    /// Properties of results.
    public var output = Output()
    /// Sizes and lifetimes of the caches.
    public var cache = Cache()
    /// Map from IIIF identifiers to sources; nil disables IIIF targets.
    public var iiif: IdentifierMap?
    /// Demonstration page at `/gallery`; nil disables it.
    public var gallery: Gallery?

    /// Creates the default configuration.
    public init() {}
}

extension ServiceConfiguration {
    /// Listener, timeouts and connection limits.
    public struct Server: Hashable, Sendable {
        /// Address to listen on.
        public var host = "127.0.0.1"
        /// Port to listen on; 0 for any free port.
        public var port = 8080
        /// Public base URL, such as `https://images.example`; nil uses the Host field of a request, which is correct
        /// without a proxy in front of the service. `info.json` of IIIF contains this URL; when the URL is nil,
        /// `info.json` is sent with `no-store`.
        public var publicURL: String?
        /// Origins whose scripts may read responses: `*` for all, or `https://app.example`, `http://localhost:3000`.
        /// Empty for the standard: all origins for IIIF targets, none for other targets.
        public var allowedOrigins: [String] = []
        /// Maximum number of connections. When a new connection reaches this number, the connection that has been idle
        /// longest is closed; when none is idle, further connections wait in the backlog of the system.
        public var maxConnections = 4_096
        /// Maximum number of connections per client, which is an IPv4 address or an IPv6 /64 network; nil for no limit.
        /// The limit does not apply to ``proxies``, nor to any client when ``trustsForwardedFor`` is true.
        public var maxConnectionsPerClient: Int? = 256
        /// Address ranges of proxies in CIDR notation. The default is loopback and the ranges for private networks (RFC
        /// 1918, RFC 4193, link-local).
        public var proxies = [
            "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "::1/128", "fc00::/7",
            "fe80::/10",
        ]
        /// Port of the administration listener for metrics and health; 0 for any free port, nil for none.
        public var adminPort: Int? = 9_090
        /// IP address or host name of the administration listener.
        public var adminHost = "127.0.0.1"
        /// Token that requests for metrics must contain in the field `Authorization`, as `Bearer TOKEN`; nil for none.
        public var adminToken: String?
        /// Time limit for the header of a request, from the first byte of the request; for the first request, from the
        /// start of the connection.
        public var headerTimeout = Duration.seconds(5)
        /// Time limit for a complete request with its body, from the first byte of the request; for the first request,
        /// from the start of the connection.
        public var requestTimeout = Duration.seconds(10)
        /// Time after which an idle connection is closed.
        public var idleTimeout = Duration.seconds(60)
        /// Time limit for the complete processing of a request.
        public var deadline = Duration.seconds(20)
        /// Maximum length of a request target in bytes.
        public var maxTargetBytes = 8_192
        /// Maximum total size of all header fields of a request in bytes.
        public var maxHeaderBytes = 16_384
        /// Time between the shutdown signal and the closing of the listener; the readiness check responds with status
        /// 503 during this time.
        public var drainDelay = Duration.zero
        /// Time limit for running requests during shutdown, from the end of ``drainDelay``.
        public var drainTimeout = Duration.seconds(25)
        /// Uses the last element of `X-Forwarded-For` as the client's address. Enable it only when a proxy that sets
        /// the field is the only client that can reach the service.
        public var trustsForwardedFor = false
        /// Adds `X-Cache` and `Server-Timing` to responses.
        public var showsDebugFields = false

        /// Creates the default configuration.
        public init() {}
    }

    /// The log.
    public struct Log: Hashable, Sendable {
        /// Lowest level of the entries.
        public var level = Level.info

        /// A level, in the order of severity.
        public enum Level: String, Hashable, Sendable, CaseIterable {
            /// All entries; the service has none below ``debug``.
            case trace
            /// Also health checks.
            case debug
            /// Also successful and rejected requests.
            case info
            /// Unusual events of normal operation.
            case notice
            /// Events that the operator should know.
            case warning
            /// Failures, among them requests with status 5xx.
            case error

            /// The lowest level of a ``ServiceLog``.
            package var minimum: ServiceLog.Level {
                switch self {
                case .trace, .debug: .debug
                case .info: .info
                case .notice: .notice
                case .warning: .warning
                case .error: .error
                }
            }
        }

        /// Creates the default configuration.
        public init() {}
    }

    /// Signatures of targets.
    public struct Signing: Hashable, Sendable {
        /// Secret keys of 16 bytes or more: the first key creates signatures, and signatures of every key are accepted.
        /// An empty list is an error unless ``allowsUnsafe`` is true.
        public var keys: [[UInt8]] = []
        /// Accepts unsigned targets that begin with `/unsafe/`.
        public var allowsUnsafe = false
        /// Accepted signature algorithms; the first one is used to create signatures.
        public var algorithms: [SigningKeys.Algorithm] = [.sha1, .sha256]
        /// Accepts targets with a query, which is then signed and part of the source's URL.
        public var signsQueries = false
        /// Also accepts a signature of the percent-decoded target.
        public var acceptsDecoded = false

        /// Creates the default configuration.
        public init() {}
    }

    /// Sources of images.
    public struct Source: Hashable, Sendable {
        /// Enables fetching over the network; false allows only bodies of POST requests and files as sources.
        public var fetches = true
        /// Allowed hosts: exact names, `*.example.com` for all subdomains, `*` for every host. An empty list allows no
        /// host.
        public var allow: [String] = []
        /// Allowed ports.
        public var ports: Set<Int> = [80, 443]
        /// Address ranges in CIDR notation that are allowed although they are blocked by default.
        public var allowedRanges: [String] = []
        /// Scheme for source URLs without a scheme.
        public var defaultScheme = "http"
        /// Root directory of file sources; nil for none.
        public var fileRoot: String?
        /// Time limit for establishing a connection.
        public var connectTimeout = Duration.seconds(2)
        /// Maximum time without a byte from the origin, before the first byte of a response and between any two bytes.
        public var firstByteTimeout = Duration.seconds(5)
        /// Minimum transfer rate of a body in bytes per second, measured over 5 s; 0 for no limit.
        public var minRate = 1_000
        /// Time limit for a complete fetch.
        public var timeout = Duration.seconds(15)
        /// Maximum number of redirects; 0 for none.
        public var maxRedirects = 5
        /// Time after the end of its freshness in which a stored source is used because its origin cannot be reached,
        /// times out or responds with 500, 502, 503 or 504; 0 for none. Sources with `must-revalidate`,
        /// `proxy-revalidate`, `s-maxage` or `no-cache` are not used (RFC 9111 §4.2.4).
        public var staleIfError = Duration.seconds(3_600)
        /// Value of the User-Agent field of fetches (RFC 9110 §10.1.5).
        public var userAgent = "imagetool"

        /// Creates the default configuration.
        public init() {}
    }

    /// Limits on the cost of a request.
    public struct Limits: Hashable, Sendable {
        /// Maximum size of an encoded source in bytes.
        public var sourceBytes = 32 << 20
        /// Maximum number of pixels of a source.
        public var sourcePixels = 50_000_000
        /// Maximum frames or pages of a source; 0 for no limit.
        public var frames = 0
        /// Maximum side of a result in pixels.
        public var resultSide = 8_192
        /// Maximum number of pixels of a result.
        public var resultPixels = 50_000_000
        /// Maximum work of computing a result, estimated in advance from sizes and formats as time of one core at 3
        /// GHz; it depends neither on the clock nor on the processor. Decoding the source may take three fifths of it.
        public var work = Duration.seconds(3)
        /// Memory budget in bytes of all renders, and of the bodies of POST requests until their renders are queued.
        /// Bodies use at most half of the budget, or ``sourceBytes`` if that is larger.
        public var inFlightBytes = Limits.defaultInFlightBytes
        /// Maximum number of waiting renders.
        public var queue = 256
        /// Maximum expected wait of a render; a render with a longer expected wait is rejected immediately.
        public var queueWait = Duration.seconds(5)
        /// Maximum number of new renders per minute and client; nil for no limit.
        public var rendersPerClient: Int?
        /// Number of concurrent renders; 0 means one per available processor.
        public var threads = 0

        /// Creates the default configuration.
        public init() {}
    }

    /// Decoding of sources.
    public struct Decode: Hashable, Sendable {
        /// Decodes sources in sandboxed worker processes, so that a memory error in a codec cannot reach the keys, the
        /// caches and the network of the service. `imagetool serve` enables it by default; a program that embeds the
        /// service must then contain the executable `imagetool-decoder`. Linux only.
        public var isIsolated = false
        /// Path of `imagetool-decoder`; nil for the folder of the running program. Unused unless ``isIsolated`` is
        /// true.
        public var decoderPath: String?
        /// Kinds of damage for which a source is rejected.
        public var failOn = Damage.none

        /// Kinds of damage for which a source is rejected.
        public enum Damage: String, Hashable, Sendable, CaseIterable {
            /// No kind: the decodable part of a damaged source is rendered.
            case none
            /// A truncated source.
            case truncated
            /// Truncation, and wrong checksums, codes or structure.
            case corrupt
            /// Truncation, corruption, and any other anomaly for which the decoder has a warning.
            case warning
        }

        /// Creates the default configuration.
        public init() {}
    }

    /// Properties of results.
    public struct Output: Hashable, Sendable {
        /// Default quality of JPEG and WebP, 1 to 100.
        public var quality = 80
        /// Negotiates the format of the result by the `Accept` field when the target does not name a format.
        public var negotiates = false
        /// Formats that ``negotiates`` may select; those without a built-in encoder are ignored.
        public var formats = NegotiatedFormat.allCases
        /// Sends still results as WebP to clients whose `Accept` field names `image/webp`, when the target does not
        /// name a format; as thumbor with `AUTO_WEBP`. Without effect when ``negotiates`` is true.
        public var sendsWebP = false
        /// Includes all frames of an animated source in results of thumbor targets, if the output format supports it;
        /// false includes only the first frame.
        public var keepsAnimations = true
        /// Time in which a still result is also encoded in other accepted formats, to send the smallest file at equal
        /// measured quality; nil encodes only one format. Applies when the target does not name a format.
        public var searchBudget: Duration?
        /// Metadata of the source that a result contains. With ``Metadata/strip``, results are sRGB without a profile;
        /// with all other values, a result also has the colour space and the ICC profile of its source if the source
        /// has an RGB profile. GIF results have neither.
        public var metadata = Metadata.strip
        /// Allowed widths in pixels, which are also the allowed heights for targets without a width; empty allows any
        /// size.
        public var sizes: [Int] = []
        /// Refuses targets without a preset, and targets with options other than presets and `meta`.
        public var presetsOnly = false
        /// Presets by name. A preset is a part of a target, such as `fit-in/300x200/filters:quality(70)`; the filter
        /// `preset(name)` inserts it.
        public var presets: [String: String] = [:]
        /// Treats an IIIF size `!w,h` (without `^`) that is larger than the region in both dimensions as `max`, instead
        /// of refusing it.
        public var clampsConfinedSizes = false
        /// Value of `Cross-Origin-Resource-Policy`; nil omits the field.
        public var resourcePolicy: ResourcePolicy?
        /// Refuses targets with unknown filters; false ignores these filters and lists them in the response.
        public var refusesUnknownFilters = false

        /// Pages that may embed a result (Fetch standard, `Cross-Origin-Resource-Policy`).
        public enum ResourcePolicy: String, Hashable, Sendable, CaseIterable {
            /// Pages of the same origin.
            case sameOrigin = "same-origin"
            /// Pages of the same site.
            case sameSite = "same-site"
            /// All pages.
            case crossOrigin = "cross-origin"
        }

        /// Metadata that results contain, rewritten for their pixels; the names are those of `MetadataPolicy`.
        public enum Metadata: String, Hashable, Sendable, CaseIterable {
            /// No metadata.
            case strip
            /// Copyright, author, credit and licence only.
            case copyright
            /// Everything except positions, names of places and data of unknown meaning.
            case withoutLocation = "no-location"
            /// EXIF, XMP and IPTC.
            case all

            /// The policy of the encoder.
            var policy: MetadataPolicy {
                switch self {
                case .strip: .strip
                case .copyright: .copyright
                case .withoutLocation: .withoutLocation
                case .all: .all
                }
            }
        }

        /// Creates the default configuration.
        public init() {}
    }

    /// Sizes and lifetimes of the caches.
    public struct Cache: Hashable, Sendable {
        /// Directory of both disk caches; nil disables them.
        public var directory: String?
        /// Maximum bytes of results in memory; 0 disables this cache.
        public var resultMemory = Cache.defaultResultMemory
        /// Maximum bytes of results on disk; 0 disables this cache.
        public var resultDisk = 10 << 30
        /// Maximum bytes of sources on disk; 0 disables this cache.
        public var sourceDisk = 10 << 30
        /// Computation of a result's lifetime.
        public var mode = Mode.shorter
        /// Configured lifetime of a result; ``mode`` determines whether it applies.
        public var lifetime = Duration.seconds(86_400)
        /// Time after the lifetime in which clients may use a stale result while they revalidate it.
        public var staleWhileRevalidate = Duration.zero
        /// Lifetime of the error responses that may be cached (404, 413, 415, 422), and of the record that a source is
        /// missing. It is also the maximum lifetime of images from damaged and stale sources.
        public var negativeLifetime = Duration.seconds(60)
        /// Adds the `immutable` directive to responses.
        public var isImmutable = false

        /// Computation of a result's lifetime.
        public enum Mode: String, Hashable, Sendable, CaseIterable {
            /// ``Cache/lifetime``, regardless of the source.
            case ttl
            /// The lifetime of the source.
            case passthrough
            /// The shorter of ``Cache/lifetime`` and the lifetime of the source.
            case shorter = "min"
        }

        /// Creates the default configuration.
        public init() {}
    }

    /// Map from IIIF identifiers to sources.
    public struct IdentifierMap: Hashable, Sendable {
        /// URL prefix; nil for none. Identifiers are percent-encoded and appended to it as a path. It must be an http
        /// or https URL with a host and a final `/`, without a query and a fragment.
        public var urlPrefix: String?
        /// Directory in which identifiers are file paths, with precedence over ``urlPrefix``; nil for none.
        public var fileRoot: String?

        /// Creates a map.
        public init(urlPrefix: String? = nil, fileRoot: String? = nil) {
            self.urlPrefix = urlPrefix
            self.fileRoot = fileRoot
        }
    }
}

extension ServiceConfiguration {
    /// Demonstration page at `/gallery`. It shows images and the cache layer that served each image, displays the fill
    /// levels of the caches, and has buttons to clear the caches. Do not enable it for a service that the public can
    /// reach.
    public struct Gallery: Hashable, Sendable {
        /// One image of the page.
        public struct Image: Hashable, Sendable {
            /// Source as a target contains it, but not percent-encoded: a URL, or the path of a file below
            /// ``ServiceConfiguration/Source/fileRoot``.
            public var source: String
            /// Caption and alternative text.
            public var name: String

            /// Creates an image of the page.
            public init(source: String, name: String) {
                self.source = source
                self.name = name
            }
        }

        /// Images in the order of the page.
        public var images: [Image]

        /// Creates a page.
        public init(images: [Image]) { self.images = images }
    }
}

extension ServiceConfiguration.Limits {
    /// Default of ``inFlightBytes``: 512 MiB, or a quarter of the cgroup memory limit of the process if that is less.
    /// The limit is read once, at the first access.
    public static let defaultInFlightBytes = inFlightBytes(memoryLimit: AvailableMemory().cgroupLimit)

    /// Returns the default budget for a memory limit, at least 1 MiB; nil means no memory limit.
    static func inFlightBytes(memoryLimit: Int?) -> Int { max(1 << 20, min(512 << 20, (memoryLimit ?? .max) / 4)) }
}

extension ServiceConfiguration.Cache {
    /// Default of ``resultMemory``: 128 MiB, or a quarter of the cgroup memory limit of the process if that is less.
    /// The limit is read once, at the first access.
    public static let defaultResultMemory = resultMemory(memoryLimit: AvailableMemory().cgroupLimit)

    /// Returns the default size for a memory limit; nil means no memory limit.
    static func resultMemory(memoryLimit: Int?) -> Int { min(128 << 20, (memoryLimit ?? .max) / 4) }
}
