#if Service
extension ConfigurationKey {
    /// All configuration keys, in the order of the documentation.
    static let all: [ConfigurationKey] = server + signing + source + iiif + limits + output + cache

    /// Returns the key of that name; nil for an unknown name.
    static func named(_ name: String) -> ConfigurationKey? { byName[name] }

    private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

    private static let server: [ConfigurationKey] = [
        .init("server.host", \.service.server.host, .text("address"), "Address to listen on."),
        .init(
            "server.port", \.service.server.port, .integer(0...65_535, "port"),
            "Port to listen on; 0 selects a free port."),
        .init(
            "server.publicURL", optional: \.service.server.publicURL, .text("URL"),
            "Public base URL, such as `https://images.example`; the default is the Host field of the request."),
        .init(
            "server.adminPort", optional: \.service.server.adminPort, .integer(0...65_535, "port"), none: "off",
            "Port for metrics and health on the loopback interface; 0 selects a free port."),
        .init(
            "server.maxConnections", \.service.server.maxConnections, .integer(1...1_000_000),
            "Maximum connections. The last slot closes the longest idle one; if none is idle, new ones wait."),
        .init(
            "server.connectionsPerClient", optional: \.service.server.maxConnectionsPerClient, .integer(1...1_000_000),
            none: "off", "Maximum connections per IPv4 address or IPv6 /64 network outside of `server.proxies`."),
        .init(
            "server.proxies", each: \.service.server.proxies, .text("IP address range"),
            "Ranges without `server.connectionsPerClient`; with `server.trustForwardedFor`, no client has that limit."),
        .init(
            "server.headerTimeout", \.service.server.headerTimeout, .duration(),
            "Time limit for the header of a request."),
        .init(
            "server.requestTimeout", \.service.server.requestTimeout, .duration(),
            "Time limit for a complete request with its body."),
        .init(
            "server.idleTimeout", \.service.server.idleTimeout, .duration(),
            "Time after which an idle connection is closed."),
        .init(
            "server.deadline", \.service.server.deadline, .duration(),
            "Time limit for the complete processing of a request."),
        .init(
            "server.targetBytes", \.service.server.maxTargetBytes, .bytes(1...8_192),
            "Maximum length of a request target."),
        .init(
            "server.headerBytes", \.service.server.maxHeaderBytes, .bytes(256...1 << 20),
            "Maximum size of all header fields of a request."),
        .init(
            "server.trustForwardedFor", \.service.server.trustsForwardedFor, .boolean,
            "Uses the last element of `X-Forwarded-For` as the client address for `limits.rendersPerClient`."),
        .init(
            "server.debugHeaders", \.service.server.showsDebugFields, .boolean,
            "Adds `X-Cache` and `Server-Timing` to responses."),
        .init(
            "drain.delay", \.service.server.drainDelay, .duration(allowsZero: true),
            "Time between the shutdown signal and closing the listener; readiness is 503 meanwhile."),
        .init(
            "drain.timeout", \.service.server.drainTimeout, .duration(),
            "Time limit for running requests after the shutdown signal."),
    ]

    private static let source: [ConfigurationKey] = [
        .init(
            "source.fetch", \.service.source.fetches, .boolean,
            "Fetches sources over the network; `off` allows only POST bodies and files."),
        .init(
            "source.allow", each: \.service.source.allow, .text("host, `*.example.com` or `*`"),
            "Hosts that sources may be fetched from."),
        .init(
            "source.ports", each: \.ports, .integer(1...65_535, "port"), "Ports that sources may be fetched from."),
        .init(
            "source.allowCIDR", each: \.service.source.allowedRanges, .text("IP address range"),
            "Ranges that are allowed although they are blocked by default."),
        .init(
            "source.defaultScheme", \.isSecureByDefault, .either("http", "https"),
            "Scheme of sources without one."),
        .init(
            "source.fileRoot", optional: \.service.source.fileRoot, .text("directory"),
            "Root directory of file sources."),
        .init(
            "source.connectTimeout", \.service.source.connectTimeout, .duration(),
            "Time limit for establishing a connection."),
        .init(
            "source.firstByte", \.service.source.firstByteTimeout, .duration(),
            "Time limit without a byte from the origin, before the first and between any two."),
        .init(
            "source.minRate", \.service.source.minRate, .bytes(0...1 << 40),
            "Minimum bytes per second of a body, measured over 5 s; 0 for no limit."),
        .init("source.timeout", \.service.source.timeout, .duration(), "Time limit for a complete fetch."),
        .init("source.redirects", \.service.source.maxRedirects, .integer(0...20), "Maximum number of redirects."),
    ]

    private static let limits: [ConfigurationKey] = [
        .init("limits.sourceBytes", \.service.limits.sourceBytes, .bytes(1...1 << 40), "Maximum size of a source."),
        .init(
            "limits.sourcePixels", \.service.limits.sourcePixels, .pixels(1...1_000_000_000_000),
            "Maximum pixels of a source."),
        .init(
            "limits.frames", \.service.limits.frames, .integer(0...1_000_000),
            "Maximum frames or pages of a source; 0 for no limit. Only one of them is rendered."),
        .init(
            "limits.resultSide", \.service.limits.resultSide, .integer(1...65_535),
            "Maximum side of a result in pixels."),
        .init(
            "limits.resultPixels", \.service.limits.resultPixels, .pixels(1...4_294_836_225),
            "Maximum pixels of a result."),
        .init(
            "limits.inFlightBytes", \.service.limits.inFlightBytes, .bytes(1 << 20...1 << 50),
            "Memory budget of all renders and POST bodies.",
            note: "512MiB, or a quarter of the cgroup memory limit if that is less"),
        .init("limits.queue", \.service.limits.queue, .integer(1...1_000_000), "Maximum number of waiting renders."),
        .init(
            "limits.queueWait", \.service.limits.queueWait, .duration(),
            "Maximum expected wait of a render; a render with a longer one is rejected."),
        .init(
            "limits.rendersPerClient", optional: \.service.limits.rendersPerClient, .integer(1...1_000_000),
            none: "off", "Maximum new renders per minute and client."),
        .init(
            "decode.threads", \.service.limits.threads, .integer(0...1_024),
            "Number of concurrent renders; 0 means one per available processor."),
        .init("decode.failOn", \.service.decode.failOn, .choice, "Damage from which a source is rejected."),
    ]

    private static let cache: [ConfigurationKey] = [
        .init(
            "cache.directory", optional: \.service.cache.directory, .text("directory"),
            "Directory of both disk caches; without it, nothing is stored on disk."),
        .init(
            "cache.resultMemory", \.service.cache.resultMemory, .bytes(0...1 << 50),
            "Maximum size of results in memory."),
        .init("cache.resultDisk", \.service.cache.resultDisk, .bytes(0...1 << 50), "Maximum size of results on disk."),
        .init("cache.sourceDisk", \.service.cache.sourceDisk, .bytes(0...1 << 50), "Maximum size of sources on disk."),
        .init(
            "cache.mode", \.service.cache.mode, .choice,
            "Lifetime of a result: `cache.ttl`, the origin's lifetime, or the shorter of both."),
        .init(
            "cache.ttl", \.service.cache.lifetime, .duration(allowsZero: true),
            "Lifetime of a result regardless of its source."),
        .init(
            "cache.swr", \.service.cache.staleWhileRevalidate, .duration(allowsZero: true),
            "Time in which clients may use a stale result while they revalidate it."),
        .init(
            "cache.negativeTTL", \.service.cache.negativeLifetime, .duration(allowsZero: true),
            "Lifetime of error responses and of missing sources."),
        .init("cache.immutable", \.service.cache.isImmutable, .boolean, "Adds the directive `immutable` to responses."),
    ]
}

extension ConfigurationDraft {
    /// Allowed ports in ascending order.
    fileprivate var ports: [Int] {
        get { service.source.ports.sorted() }
        set { service.source.ports = Set(newValue) }
    }

    fileprivate var isSecureByDefault: Bool {
        get { service.source.defaultScheme == "https" }
        set { service.source.defaultScheme = newValue ? "https" : "http" }
    }
}
#endif
