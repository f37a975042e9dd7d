#if Loader
public import Logging
public import PlatformImage

extension ImageLoader {
    /// What a host decides about a loader.
    ///
    /// Negative sizes and durations make ``ImageLoader/init(configuration:transport:)`` throw.
    public struct Configuration: Sendable {
        /// True keeps decoded pictures in memory.
        public var cacheImagesInMemory = false
        /// Bytes of all pictures in memory; 0 keeps none.
        public var memoryCacheMaxBytes = 26_214_400
        /// Pictures in memory, at least 1; nil for no limit but the bytes. Fixed when the loader is made.
        public var memoryCacheMaxCount: Int?
        /// True keeps the bytes of a picture in memory with it, and counts them.
        public var retainsEncodedData = false
        /// The folder of the disk cache; nil for none. It is made when it is missing.
        public var cacheDirectory = Self.defaultDirectory(named: "ImageCache")
        /// The folder of ``ImageLoader/data(for:)``, apart from the pictures; nil for none.
        public var dataDirectory = Self.defaultDirectory(named: "DataCache")
        /// Bytes of all files of the disk cache; nil for no limit, 0 stores nothing.
        public var diskCacheMaxBytes: Int?

        /// Believes every certificate of every host; a transport that cannot makes the loader's initialiser throw.
        public var trustAnySSLCertificate = false
        /// Hosts, in lower case, whose certificates are believed whatever they are.
        public var trustedHosts: Set<String> = []
        /// Certificates in PEM form that are believed besides the system's.
        public var additionalTrustRoots: [String] = []
        /// Until a connection stands; nil for ever.
        public var connectTimeout: Duration? = .seconds(10)
        /// Without a byte in either direction; nil for ever.
        public var idleTimeout: Duration? = .seconds(60)
        /// For a whole exchange; nil for ever.
        public var totalTimeout: Duration?
        /// Who the loader says it is; nil for nobody.
        public var basicAuth: BasicAuth?
        /// Origins that ``basicAuth`` is told; empty for whichever the caller asks.
        public var credentialOrigins: Set<Origin> = []
        /// How long a 404, a 410, a type that is not accepted and a body that is no picture are remembered, in memory;
        /// nil for not at all.
        public var negativeCacheMaxAge: Duration?
        /// Failures that are remembered so at once; fixed when the loader is made.
        public var negativeCacheMaxCount = 1_024
        /// Is given each request that is about to be sent, also those of redirects and of further attempts, with the
        /// fields that the cache has added, and gives back the one to send; nil sends them as they are.
        ///
        /// It may change fields and the query of the address, to sign them, and nothing else: not the method, the host or
        /// the path. What it adds never reaches the next hop. Responses are stored under the request as it was before, so
        /// set ``ImageRequest/partition`` when they depend on who signs. Its error, and a change that is not its to make,
        /// ends the load with `configuration`; cancelling the load cancels it.
        public var requestModifier: (@Sendable (HTTPRequest) async throws -> HTTPRequest)?
        /// Redirects that one load follows; 0 makes the first one an error.
        public var maxRedirects = 20

        /// False makes every stored success fresh for ever and ignores what the server says about caching.
        public var useServerCachePolicy = true
        /// Freshness of a response with neither Cache-Control nor Expires, counted anew from each 304; 0 validates
        /// always.
        public var defaultCacheControlMaxAge = Duration.zero
        /// Silence after ``maxAttemptsForErrors`` errors in a row; 0 for none.
        public var defaultCacheControlMaxAgeForErrors = Duration.zero
        /// Loads in a row that must fail before the silence begins; 0 acts as 1.
        public var maxAttemptsForErrors = 3
        /// When a stale picture answers instead of an error.
        public var staleIfError = StaleIfError.never
        /// True for a loader whose answers go to more than one user; ``CacheSettings/isSharedCache``.
        public var isSharedCache = false
        /// Whether a stale picture is shown before the request that validates it has been answered.
        public var deliversStaleBeforeValidation = true

        /// Types of which pictures may be, `image/*` among them possible; empty for any image.
        public var acceptedContentTypes: Set<ContentType> = [.png, .jpg, .jpeg, .bmp, .gif, .tiff]
        /// Bytes of one body.
        public var maxResponseBytes = 67_108_864
        /// What a decode may cost, together with those of the request.
        public var decodeLimits = DecodeLimits()
        /// Bytes of one decoded picture.
        public var maxDecodedBytes = 402_653_184
        /// Bytes that decodes may hold at once, at least ``maxDecodedBytes``; fixed when the loader is made.
        public var maxInFlightDecodedBytes = 536_870_912

        /// Urgent fetches at once.
        public var urgentWidth = 8
        /// Slow fetches at once, while no urgent one is under way.
        public var slowWidth = 1
        /// Whether a failed attempt is repeated within its load.
        public var retry = RetryPolicy.none
        /// No wait between attempts is longer; an origin that asks for more ends the load.
        public var maxRetryDelay = Duration.seconds(30)
        /// True lets downloads end and be stored although nobody waits for them any more.
        public var keepsDownloadingWhenCancelled = false
        /// Which events are told of and logged; ``LoaderEvent/Categories``.
        public var eventCategories: LoaderEvent.Categories = [.cache, .error]
        /// Gets every event of the chosen categories, one after the other on a queue of its own; may use the loader. One
        /// that takes longer than the loads misses some. Nil for nobody.
        public var eventSink: (@Sendable (LoaderEvent) -> Void)?
        /// Gets a record of every load that ends, in the same way as ``eventSink``. Nil for nobody.
        public var recordSink: (@Sendable (LoadRecord) -> Void)?
        /// Where every event of the chosen categories becomes a message; nil for no log.
        public var logger: Logger?
        /// False leaves misses out of the log.
        public var logCacheMisses = true
        /// False leaves out of the log what servers fail to say about caching.
        public var logResponseWarnings = true
        /// What is shown of an address in events, logs and records: gets it without user information and fragment, with
        /// its query. Nil hides queries whole, as errors do.
        public var redactURL: (@Sendable (String) -> String)?

        /// The calendar clock that ages are computed with.
        public var clock: @Sendable () -> WallTime = { .now }

        /// The defaults.
        public init() {}

        /// The defaults with another folder for pictures.
        public init(cacheDirectory: String) { self.cacheDirectory = cacheDirectory }
    }
}

extension ImageLoader.Configuration {
    var cacheSettings: CacheSettings {
        var settings = CacheSettings()
        settings.useServerCachePolicy = useServerCachePolicy
        settings.defaultCacheControlMaxAge = defaultCacheControlMaxAge
        settings.defaultCacheControlMaxAgeForErrors = defaultCacheControlMaxAgeForErrors
        settings.maxAttemptsForErrors = maxAttemptsForErrors
        settings.staleIfError = staleIfError
        settings.isSharedCache = isSharedCache
        settings.deliversStaleBeforeValidation = deliversStaleBeforeValidation
        return settings
    }

    var trust: TrustSettings {
        var trust = TrustSettings()
        trust.trustAnySSLCertificate = trustAnySSLCertificate
        trust.trustedHosts = trustedHosts
        trust.additionalTrustRoots = additionalTrustRoots
        return trust
    }

    var timeouts: TransportTimeouts {
        var timeouts = TransportTimeouts()
        timeouts.connect = connectTimeout
        timeouts.idle = idleTimeout
        timeouts.total = totalTimeout
        return timeouts
    }

    /// Throws `configuration` for the first figure that is out of its range.
    func validate() throws(LoadError) {
        let sizes: [(name: String, value: Int?, least: Int)] = [
            ("memoryCacheMaxBytes", memoryCacheMaxBytes, 0), ("memoryCacheMaxCount", memoryCacheMaxCount, 1),
            ("diskCacheMaxBytes", diskCacheMaxBytes, 0), ("maxRedirects", maxRedirects, 0),
            ("negativeCacheMaxCount", negativeCacheMaxCount, 0),
            ("maxAttemptsForErrors", maxAttemptsForErrors, 0), ("maxResponseBytes", maxResponseBytes, 0),
            ("maxDecodedBytes", maxDecodedBytes, 1),
            ("maxInFlightDecodedBytes", maxInFlightDecodedBytes, maxDecodedBytes),
            ("urgentWidth", urgentWidth, 1), ("slowWidth", slowWidth, 1),
        ]
        for size in sizes {
            guard let value = size.value, value < size.least else { continue }
            throw .configuration("\(size.name) is \(value), not at least \(size.least)")
        }
        let durations: [(name: String, value: Duration?)] = [
            ("connectTimeout", connectTimeout), ("idleTimeout", idleTimeout), ("totalTimeout", totalTimeout),
            ("negativeCacheMaxAge", negativeCacheMaxAge), ("defaultCacheControlMaxAge", defaultCacheControlMaxAge),
            ("maxRetryDelay", maxRetryDelay),
            ("defaultCacheControlMaxAgeForErrors", defaultCacheControlMaxAgeForErrors),
        ]
        for duration in durations {
            guard let value = duration.value, value < .zero else { continue }
            throw .configuration("\(duration.name) is \(value), not at least 0 seconds")
        }
    }
}

extension ImageLoader.Configuration {
    /// `$XDG_CACHE_HOME`, if it is absolute, or else `~/.cache`, then the program's name and `name`; nil without both.
    static func defaultDirectory(named name: String) -> String? {
        guard let base = folder(in: "XDG_CACHE_HOME") ?? folder(in: "HOME").map({ $0 + "/.cache" }) else { return nil }
        let program = CommandLine.arguments.first?.split(separator: "/").last.map { String($0) } ?? "PlatformImage"
        return "\(base)/\(program)/\(name)"
    }

    /// The absolute path that a variable of the environment holds; nil for anything else.
    private static func folder(in variable: String) -> String? {
        System.variable(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
#endif
