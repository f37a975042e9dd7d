public import PlatformImage

extension ImageLoader {
    /// Settings of a loader.
    ///
    /// Negative sizes and durations make ``ImageLoader/init(configuration:transport:)`` throw.
    public struct Configuration: Sendable {
        /// True stores decoded images in memory.
        public var cacheImagesInMemory = false
        /// Maximum size of all images in memory, in bytes; 0 stores none.
        public var memoryCacheMaxBytes = 26_214_400
        /// Maximum number of images in memory, at least 1; nil means no limit. Fixed when the loader is created.
        public var memoryCacheMaxCount: Int?
        /// True stores the encoded bytes of an image in memory too and counts them against the limit.
        public var retainsEncodedData = false
        /// Directory of the disk cache of images, created when it is missing; nil disables it.
        public var cacheDirectory = Self.defaultDirectory(named: "ImageCache")
        /// Directory of the disk cache of ``ImageLoader/data(for:)``, separate from the images; nil disables it.
        public var dataDirectory = Self.defaultDirectory(named: "DataCache")
        /// Maximum size of all files of one disk cache, in bytes; nil means no limit, 0 stores nothing.
        public var diskCacheMaxBytes: Int?

        /// True accepts every certificate of every host; the loader's initialiser throws when the transport does not
        /// support it.
        public var trustAnySSLCertificate = false
        /// Hosts, in lower case, whose certificates are accepted without verification.
        public var trustedHosts: Set<String> = []
        /// Certificates in PEM form that are trusted in addition to those of the system.
        public var additionalTrustRoots: [String] = []
        /// Timeout for establishing a connection; nil means no timeout.
        public var connectTimeout: Duration? = .seconds(10)
        /// Timeout without a byte in either direction; nil means no timeout.
        public var idleTimeout: Duration? = .seconds(60)
        /// Timeout for one exchange, from the start of the request to the end of the response body; nil means no
        /// timeout.
        public var totalTimeout: Duration?
        /// HTTP Basic credentials of the loader; nil for none.
        public var basicAuth: BasicAuth?
        /// Origins that may receive ``basicAuth``; empty means the origin of any image URL. A redirect to a different
        /// origin removes the credentials.
        public var credentialOrigins: Set<Origin> = []
        /// Time for which a failure is cached in memory: status 404 or 410, a content type that is not accepted, or a
        /// body that cannot be decoded; nil disables this.
        public var negativeCacheMaxAge: Duration?
        /// Maximum number of failures that are cached for ``negativeCacheMaxAge``; fixed when the loader is created.
        public var negativeCacheMaxCount = 1_024
        /// Modifies each request before it is sent, including redirects and retries; its argument contains the fields
        /// that the cache adds. Nil sends requests unchanged.
        ///
        /// It may change header fields and the query of the URL, for example to sign them; a changed method, host or
        /// path ends the load with `configuration`, as does an error that it throws. Its changes do not apply to the
        /// next request of a redirect chain. Responses are stored under the unmodified request: set
        /// ``ImageRequest/partition`` when they depend on the signature. Cancelling the load cancels the call.
        public var requestModifier: (@Sendable (HTTPRequest) async throws -> HTTPRequest)?
        /// Value of the User-Agent field of requests that have none of their own (RFC 9110 §10.1.5); nil sends no such
        /// field. By default `PlatformImage/` and the version of the package; some origins refuse requests without it.
        public var userAgent: String? = "PlatformImage/\(platformImageVersion)"
        /// Maximum number of redirects that one load follows; 0 makes the first redirect an error.
        public var maxRedirects = 20

        /// False treats every stored success and redirect as fresh forever and ignores the server's cache directives.
        public var useServerCachePolicy = true
        /// Freshness lifetime of a response with neither Cache-Control nor Expires; each 304 restarts it. With 0 such a
        /// response is stale immediately.
        public var defaultCacheControlMaxAge = Duration.zero
        /// Time for which a URL is not requested after ``failedLoadsBeforePause`` consecutive loads with an error
        /// response; 0 disables this.
        public var defaultCacheControlMaxAgeForErrors = Duration.zero
        /// Number of consecutive loads of a URL that end with an error response (status 400 to 599 without explicit
        /// freshness) before its requests are suspended for ``defaultCacheControlMaxAgeForErrors``; 0 acts as 1.
        /// Failures without a response do not count.
        ///
        /// Prefer the alias ``failedLoadsBeforePause``: a load counts once, however many attempts ``retry`` allows.
        public var maxAttemptsForErrors = 3
        /// Condition under which a stale image replaces an error (RFC 5861 §4).
        public var staleIfError = StaleIfError.never
        /// True for a loader whose responses are served to more than one user; see ``CacheSettings/isSharedCache``.
        public var isSharedCache = false
        /// True delivers a stale image before the response to its validation request is received.
        public var deliversStaleBeforeValidation = true

        /// Accepted content types of images, `image/*` allowed; empty accepts any image.
        public var acceptedContentTypes: Set<ContentType> = [.png, .jpg, .jpeg, .bmp, .gif, .tiff, .webp]
        /// Maximum size of one response body, in bytes.
        public var maxResponseBytes = 67_108_864
        /// Decode limits; a limit of the request applies when it is lower.
        public var decodeLimits = DecodeLimits()
        /// Place where images are decoded: in this process, or in sandboxed worker processes.
        ///
        /// A load fails with `undecodable` when the body ended its worker process, and with `processing` when no worker
        /// process was available.
        public var isolation = DecodeIsolation.inProcess
        /// Maximum size of one decoded image, in bytes.
        public var maxDecodedBytes = 402_653_184
        /// Maximum memory of all running decodes, in bytes, at least ``maxDecodedBytes``; fixed when the loader is
        /// created.
        public var maxInFlightDecodedBytes = 536_870_912

        /// Maximum number of concurrent fetches of urgent priority (width of the urgent lane).
        public var urgentWidth = 8
        /// Maximum number of concurrent fetches of slow priority (width of the slow lane); they start only while no
        /// urgent fetch waits or runs.
        public var slowWidth = 1
        /// Retries of failed attempts within a load.
        public var retry = RetryPolicy.none
        /// Maximum delay between two attempts; a longer `Retry-After` ends the load.
        public var maxRetryDelay = Duration.seconds(30)
        /// True completes and stores a download even if all loads that wait for it are cancelled.
        public var keepsDownloadingWhenCancelled = false
        /// Categories of events that are reported to ``eventSink``.
        public var eventCategories: LoaderEvent.Categories = [.cache, .error]
        /// Receives every event of the chosen categories, one at a time on a separate queue; it may use the loader.
        /// Events are dropped while 8,192 events and records wait for delivery. Nil disables it.
        public var eventSink: (@Sendable (LoaderEvent) -> Void)?
        /// Receives a record of every load that ends, one at a time on the queue of ``eventSink``. Nil disables it.
        public var recordSink: (@Sendable (LoadRecord) -> Void)?
        /// False sets ``LoaderEvent/isLogged`` of cache misses to false, so that logs omit them.
        public var logCacheMisses = true
        /// False sets ``LoaderEvent/isLogged`` of warnings about incomplete cache directives to false, so that logs
        /// omit them.
        public var logResponseWarnings = true
        /// Redacts URLs for events, logs and records; its argument has no user information and no fragment, but has its
        /// query. Nil hides the complete query, as in errors.
        public var redactURL: (@Sendable (String) -> String)?

        /// The calendar clock for computing ages.
        public var clock: @Sendable () -> WallTime = { .now }

        /// The default configuration.
        public init() {}

        /// The default configuration with another directory for images.
        public init(cacheDirectory: String) { self.cacheDirectory = cacheDirectory }
    }
}

extension ImageLoader.Configuration {
    /// Number of consecutive loads of a URL that end with an error response (status 400 to 599 without explicit
    /// freshness) before its requests are suspended for ``defaultCacheControlMaxAgeForErrors``; 0 acts as 1. Failures
    /// without a response do not count. The same value as ``maxAttemptsForErrors``, which is the name of the original
    /// design.
    public var failedLoadsBeforePause: Int {
        get { maxAttemptsForErrors }
        set { maxAttemptsForErrors = newValue }
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

    /// Throws `configuration` for the first value that is out of range.
    func validate() throws(LoadError) {
        let sizes: [(name: String, value: Int?, min: Int)] = [
            ("memoryCacheMaxBytes", memoryCacheMaxBytes, 0), ("memoryCacheMaxCount", memoryCacheMaxCount, 1),
            ("diskCacheMaxBytes", diskCacheMaxBytes, 0), ("maxRedirects", maxRedirects, 0),
            ("negativeCacheMaxCount", negativeCacheMaxCount, 0),
            ("maxAttemptsForErrors", maxAttemptsForErrors, 0), ("maxResponseBytes", maxResponseBytes, 0),
            ("maxDecodedBytes", maxDecodedBytes, 1),
            ("maxInFlightDecodedBytes", maxInFlightDecodedBytes, maxDecodedBytes),
            ("urgentWidth", urgentWidth, 1), ("slowWidth", slowWidth, 1),
        ]
        for size in sizes {
            guard let value = size.value, value < size.min else { continue }
            throw .configuration("\(size.name) is \(value); the minimum is \(size.min)")
        }
        let durations: [(name: String, value: Duration?)] = [
            ("connectTimeout", connectTimeout), ("idleTimeout", idleTimeout), ("totalTimeout", totalTimeout),
            ("negativeCacheMaxAge", negativeCacheMaxAge), ("defaultCacheControlMaxAge", defaultCacheControlMaxAge),
            ("maxRetryDelay", maxRetryDelay),
            ("defaultCacheControlMaxAgeForErrors", defaultCacheControlMaxAgeForErrors),
        ]
        for duration in durations {
            guard let value = duration.value, value < .zero else { continue }
            throw .configuration("\(duration.name) is \(value); the minimum is 0 seconds")
        }
    }
}

extension ImageLoader.Configuration {
    /// `$XDG_CACHE_HOME` if it is absolute, otherwise `$HOME/.cache`, followed by the program's name and `name`; nil
    /// when neither variable contains an absolute path.
    static func defaultDirectory(named name: String) -> String? {
        guard let base = folder(in: "XDG_CACHE_HOME") ?? folder(in: "HOME").map({ $0 + "/.cache" }) else { return nil }
        let program = CommandLine.arguments.first?.split(separator: "/").last.map { String($0) } ?? "PlatformImage"
        return "\(base)/\(program)/\(name)"
    }

    /// The absolute path in an environment variable; nil for anything else.
    private static func folder(in variable: String) -> String? {
        System.variable(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
