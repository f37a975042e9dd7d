#if Service
extension ConfigurationKey {
    /// All configuration keys, in the order of the documentation.
    static let all: [ConfigurationKey] = server + signing + source + iiif + limits + output + cache

    /// Returns the key of that name; nil for an unknown name.
    static func named(_ name: String) -> ConfigurationKey? { byName[name] }

    private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

    private static let server: [ConfigurationKey] = [
        .init("server.host", \.service.server.host, .text("address"), "Where the service listens."),
        .init(
            "server.port", \.service.server.port, .integer(0...65_535, "port"),
            "The port it listens on; 0 for any that is free."),
        .init(
            "server.publicURL", optional: \.service.server.publicURL, .text("address"),
            "What clients reach the service under, such as `https://images.example`; the Host field without it."),
        .init(
            "server.adminPort", optional: \.service.server.adminPort, .integer(0...65_535, "port"), none: "off",
            "The port for metrics, on loopback; 0 for any that is free."),
        .init(
            "server.maxConnections", \.service.server.maxConnections, .integer(1...1_000_000),
            "Connections at once; the last place closes the longest idle one, and without an idle one more wait."),
        .init(
            "server.connectionsPerClient", optional: \.service.server.maxConnectionsPerClient, .integer(1...1_000_000),
            none: "off", "Connections at once of one IPv4 address or IPv6 /64 that is not among `server.proxies`."),
        .init(
            "server.proxies", each: \.service.server.proxies, .text("address range"),
            "Ranges that `server.connectionsPerClient` does not count; every address with `server.trustForwardedFor`."),
        .init(
            "server.headerTimeout", \.service.server.headerTimeout, .duration(),
            "Until the header of a request is there."),
        .init(
            "server.requestTimeout", \.service.server.requestTimeout, .duration(),
            "Until a request is there with its body."),
        .init(
            "server.idleTimeout", \.service.server.idleTimeout, .duration(),
            "Until a connection without a request is closed."),
        .init("server.deadline", \.service.server.deadline, .duration(), "For everything that one request does."),
        .init(
            "server.targetBytes", \.service.server.maxTargetBytes, .bytes(1...8_192),
            "Of a request's target, at most."),
        .init(
            "server.headerBytes", \.service.server.maxHeaderBytes, .bytes(256...1 << 20),
            "Of all header fields of a request, at most."),
        .init(
            "server.trustForwardedFor", \.service.server.trustsForwardedFor, .boolean,
            "Takes a client's address from the last element of `X-Forwarded-For`, for `limits.rendersPerClient`."),
        .init(
            "server.debugHeaders", \.service.server.showsDebugFields, .boolean,
            "Adds `X-Cache` and `Server-Timing` to answers."),
        .init(
            "drain.delay", \.service.server.drainDelay, .duration(allowsZero: true),
            "Between the signal to stop and closing the listener; readiness is 503 meanwhile."),
        .init(
            "drain.timeout", \.service.server.drainTimeout, .duration(),
            "For requests that are under way when the service is told to stop."),
    ]

    private static let source: [ConfigurationKey] = [
        .init(
            "source.fetch", \.service.source.fetches, .boolean, "Off fetches nothing: bodies of POST and files alone."),
        .init(
            "source.allow", each: \.service.source.allow, .text("host, `*.example.com` or `*`"),
            "Hosts that sources may come from."),
        .init(
            "source.ports", each: \.ports, .integer(1...65_535, "port"), "Ports that may be connected to."),
        .init(
            "source.allowCIDR", each: \.service.source.allowedRanges, .text("address range"),
            "Ranges that may be connected to although they are blocked."),
        .init(
            "source.defaultScheme", \.isSecureByDefault, .either("http", "https"),
            "The scheme of a source that names none."),
        .init(
            "source.fileRoot", optional: \.service.source.fileRoot, .text("folder"),
            "Holds the sources that are files."),
        .init("source.connectTimeout", \.service.source.connectTimeout, .duration(), "Until a connection stands."),
        .init(
            "source.firstByte", \.service.source.firstByteTimeout, .duration(),
            "Without a byte from the origin, before the first and between any two."),
        .init(
            "source.minRate", \.service.source.minRate, .bytes(0...1 << 40),
            "A second, that a body has to bring over 5 s; 0 for any."),
        .init("source.timeout", \.service.source.timeout, .duration(), "For a whole fetch."),
        .init("source.redirects", \.service.source.maxRedirects, .integer(0...20), "Hops that are followed."),
    ]

    private static let limits: [ConfigurationKey] = [
        .init("limits.sourceBytes", \.service.limits.sourceBytes, .bytes(1...1 << 40), "Of a source, at most."),
        .init(
            "limits.sourcePixels", \.service.limits.sourcePixels, .pixels(1...1_000_000_000_000),
            "Of a source, at most."),
        .init(
            "limits.frames", \.service.limits.frames, .integer(0...1_000_000),
            "Frames or pages that a source may have, 0 for any; one alone is shown."),
        .init("limits.resultSide", \.service.limits.resultSide, .integer(1...65_535), "Pixels of a side of a result."),
        .init(
            "limits.resultPixels", \.service.limits.resultPixels, .pixels(1...4_294_836_225),
            "Of a result, at most."),
        .init(
            "limits.inFlightBytes", \.service.limits.inFlightBytes, .bytes(1 << 20...1 << 50),
            "That all renders and bodies of POST may hold at once.",
            note: "512MiB; a quarter of the cgroup's memory if that is less"),
        .init("limits.queue", \.service.limits.queue, .integer(1...1_000_000), "Renders that may wait."),
        .init(
            "limits.queueWait", \.service.limits.queueWait, .duration(),
            "For how long a render may be expected to wait before it is refused."),
        .init(
            "limits.rendersPerClient", optional: \.service.limits.rendersPerClient, .integer(1...1_000_000),
            none: "off", "New renders a minute that one client may cause."),
        .init(
            "decode.threads", \.service.limits.threads, .integer(0...1_024),
            "Renders at once; 0 means one per available processor."),
        .init("decode.failOn", \.service.decode.failOn, .choice, "Which damage makes a source no picture."),
    ]

    private static let cache: [ConfigurationKey] = [
        .init(
            "cache.directory", optional: \.service.cache.directory, .text("folder"),
            "Of both disk caches; nothing is kept on disk without it."),
        .init("cache.resultMemory", \.service.cache.resultMemory, .bytes(0...1 << 50), "Of results in memory."),
        .init("cache.resultDisk", \.service.cache.resultDisk, .bytes(0...1 << 50), "Of results on disk."),
        .init("cache.sourceDisk", \.service.cache.sourceDisk, .bytes(0...1 << 50), "Of sources on disk."),
        .init(
            "cache.mode", \.service.cache.mode, .choice,
            "Lifetime of a result: `cache.ttl`, what the origin says, or the shorter of both."),
        .init(
            "cache.ttl", \.service.cache.lifetime, .duration(allowsZero: true), "The lifetime of a result by itself."),
        .init(
            "cache.swr", \.service.cache.staleWhileRevalidate, .duration(allowsZero: true),
            "For how long a stale result may be shown while it is asked for anew."),
        .init(
            "cache.negativeTTL", \.service.cache.negativeLifetime, .duration(allowsZero: true),
            "For how long an answer without a picture may be kept, and a missing source is not asked for again."),
        .init("cache.immutable", \.service.cache.isImmutable, .boolean, "Says in answers that they never change."),
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
