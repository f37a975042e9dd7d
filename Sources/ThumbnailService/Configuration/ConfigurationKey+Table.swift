extension ConfigurationKey {
    /// All configuration keys, in the order of the documentation.
    static let all: [ConfigurationKey] = server + signing + source + iiif + limits + output + cache

    /// Returns the key with this name; nil for an unknown name.
    static func named(_ name: String) -> ConfigurationKey? { byName[name] }

    private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

    private static let server: [ConfigurationKey] = [
        .init(
            "server.host", \.service.server.host, .text("IP address or host name"),
            "IP address or host name to listen on."),
        .init(
            "server.port", \.service.server.port, .integer(0...65_535, "port"),
            "Port to listen on; 0 selects a free port."),
        .init(
            "server.publicURL", optional: \.service.server.publicURL, .text("URL"),
            """
            Public base URL for the `id` in `info.json` and for canonical links, such as `https://images.example`; \
            by default, the `id` contains the host of the request.
            """),
        .init(
            "server.allowOrigin", each: \.service.server.allowedOrigins, .origin,
            """
            Origins whose scripts may read images and errors (`Access-Control-Allow-Origin`); without it, all origins \
            may read IIIF responses, and none other responses.
            """),
        .init(
            "server.adminPort", optional: \.service.server.adminPort, .integer(0...65_535, "port"), none: "off",
            "Port for metrics and health; 0 selects a free port."),
        .init(
            "server.adminHost", \.service.server.adminHost, .text("IP address or host name"),
            "IP address or host name for metrics and health; `0.0.0.0` for all IPv4 addresses of the machine."),
        adminToken,
        .init(
            "server.maxConnections", \.service.server.maxConnections, .integer(1...1_000_000),
            """
            Maximum number of connections. At the limit, the connection that has been idle longest is closed; \
            if no connection is idle, new connections wait.
            """),
        .init(
            "server.connectionsPerClient", optional: \.service.server.maxConnectionsPerClient, .integer(1...1_000_000),
            none: "off", "Maximum number of connections per client, which is an IPv4 address or an IPv6 /64 network."),
        .init(
            "server.proxies", each: \.service.server.proxies, .text("IP address range"),
            """
            IP addresses of proxies, which `server.connectionsPerClient` does not limit. \
            `server.connectionsPerClient` has no effect with `server.trustForwardedFor`.
            """),
        .init(
            "server.headerTimeout", \.service.server.headerTimeout, .duration(),
            "Time limit for receiving the header of a request."),
        .init(
            "server.requestTimeout", \.service.server.requestTimeout, .duration(),
            "Time limit for receiving a complete request with its body."),
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
            "Maximum total size of the header fields of a request."),
        .init(
            "server.trustForwardedFor", \.service.server.trustsForwardedFor, .boolean,
            """
            Uses the last element of `X-Forwarded-For` as the IP address of the client for \
            `limits.rendersPerClient`.
            """),
        .init(
            "server.debugHeaders", \.service.server.showsDebugFields, .boolean,
            "Adds `X-Cache` and `Server-Timing` to responses."),
        .init(
            "drain.delay", \.service.server.drainDelay, .duration(allowsZero: true),
            """
            Time between the shutdown signal and closing the listener, in which `/health/ready` has the status 503 and \
            requests are served.
            """),
        .init(
            "drain.timeout", \.service.server.drainTimeout, .duration(),
            "Time limit after the end of `drain.delay` for completing the requests in progress."),
        .init(
            "log.level", \.service.log.level, .choice,
            "Lowest level of the log lines. With the option `--quiet`, it is `error`."),
    ]

    private static let adminToken = {
        var key = ConfigurationKey(
            "server.adminToken", shape: .one, syntax: "text of 16 bytes or more without spaces",
            """
            Token that requests for metrics must contain, as `Authorization: Bearer TOKEN`; set only by the environment.
            """
        ) { draft, texts in
            let text = texts.joined(separator: ",")
            guard !text.isEmpty else {
                draft.service.server.adminToken = nil
                return nil
            }
            guard text.utf8.count >= 16, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return text }
            draft.service.server.adminToken = text
            return nil
        } format: { draft in
            [draft.service.server.adminToken ?? ""]
        }
        key.isSecret = true
        return key
    }()

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
            "IP addresses that sources may be fetched from although they are blocked by default."
        ),
        .init(
            "source.defaultScheme", \.isSecureByDefault, .either("http", "https"),
            "Scheme of source URLs that contain no scheme."),
        .init(
            "source.fileRoot", optional: \.service.source.fileRoot, .text("directory"),
            "Root directory of file sources."),
        .init(
            "source.connectTimeout", \.service.source.connectTimeout, .duration(),
            "Time limit for establishing a connection to the origin."),
        .init(
            "source.firstByte", \.service.source.firstByteTimeout, .duration(),
            "Maximum time without a byte from the origin, before the first byte and between two bytes."),
        .init(
            "source.minRate", \.service.source.minRate, .bytes(0...1 << 40),
            "Minimum transfer rate of a source in bytes per second, measured over 5 s; 0 means no minimum."),
        .init(
            "source.timeout", \.service.source.timeout, .duration(), "Time limit for the complete fetch of a source."),
        .init(
            "source.redirects", \.service.source.maxRedirects, .integer(0...20),
            "Maximum number of redirects of a fetch."),
        .init(
            "source.staleIfError", \.service.source.staleIfError, .duration(allowsZero: true),
            """
            Time after the end of its freshness in which a stored source is used because its origin cannot be \
            reached, times out or responds with 500, 502, 503 or 504; 0 disables this.
            """),
        .init(
            "source.userAgent", \.service.source.userAgent, .fieldValue("ASCII text"),
            "Field `User-Agent` of fetches."),
    ]

    private static let limits: [ConfigurationKey] = [
        .init(
            "limits.sourceBytes", \.service.limits.sourceBytes, .bytes(1...1 << 40),
            "Maximum size of a source in bytes."),
        .init(
            "limits.sourcePixels", \.service.limits.sourcePixels, .pixels(1...1_000_000_000_000),
            "Maximum number of pixels of a source."),
        .init(
            "limits.frames", \.service.limits.frames, .integer(0...1_000_000),
            "Maximum number of frames or pages of a source; 0 means no limit."),
        .init(
            "limits.resultSide", \.service.limits.resultSide, .integer(1...65_535),
            "Maximum width and maximum height of a result in pixels."),
        .init(
            "limits.resultPixels", \.service.limits.resultPixels, .pixels(1...4_294_836_225),
            "Maximum number of pixels of a result."),
        .init(
            "limits.work", \.service.limits.work, .duration(),
            """
            Maximum work of computing a result, estimated in advance as time of one core at 3 GHz: 12.9 megapixels of \
            PNG or WebP, 71 of JPEG. Decoding may take three fifths of it. More is refused with 422; an animation then \
            has one frame.
            """),
        .init(
            "limits.inFlightBytes", \.service.limits.inFlightBytes, .bytes(1 << 20...1 << 50),
            "Memory budget of all concurrent renders and POST bodies.",
            note: "512MiB, or a quarter of the cgroup memory limit if the quarter is smaller"),
        .init("limits.queue", \.service.limits.queue, .integer(1...1_000_000), "Maximum number of waiting renders."),
        .init(
            "limits.queueWait", \.service.limits.queueWait, .duration(),
            "Maximum expected waiting time of a render; a render with a longer expected waiting time is rejected."),
        .init(
            "limits.rendersPerClient", optional: \.service.limits.rendersPerClient, .integer(1...1_000_000),
            none: "off", "Maximum number of new renders per client in one minute."),
        .init(
            "decode.threads", \.service.limits.threads, .integer(0...1_024),
            "Number of concurrent renders; 0 means one per available processor."),
        .init(
            "decode.failOn", \.service.decode.failOn, .choice,
            "Least severe damage for which a source is rejected; `none` rejects only sources that cannot be decoded."),
        .init(
            "decode.isolation", \.service.decode.isIsolated, .boolean,
            "Decodes sources in sandboxed worker processes; `off` decodes them in the process of the service."),
        .init(
            "decode.decoder", optional: \.service.decode.decoderPath, .text("path"),
            "Path of the worker program; by default `imagetool-decoder` in the folder of the running program."),
    ]

    private static let cache: [ConfigurationKey] = [
        .init(
            "cache.directory", optional: \.service.cache.directory, .text("directory"),
            "Directory of both disk caches; without it, nothing is stored on disk."),
        .init(
            "cache.resultMemory", \.service.cache.resultMemory, .bytes(0...1 << 50),
            "Maximum total size of the results in memory; 0 disables this cache.",
            note: "128MiB, or a quarter of the cgroup memory limit if the quarter is smaller"),
        .init(
            "cache.resultDisk", \.service.cache.resultDisk, .bytes(0...1 << 50),
            "Maximum total size of the results on disk; 0 disables this cache."),
        .init(
            "cache.sourceDisk", \.service.cache.sourceDisk, .bytes(0...1 << 50),
            "Maximum total size of the sources on disk; 0 disables this cache."),
        .init(
            "cache.mode", \.service.cache.mode, .choice,
            """
            Lifetime of a result: `ttl` uses `cache.ttl`, `passthrough` the lifetime that the origin declares, \
            `min` the shorter of both.
            """),
        .init(
            "cache.ttl", \.service.cache.lifetime, .duration(allowsZero: true),
            "Lifetime of a result for the modes `ttl` and `min` of `cache.mode`."),
        .init(
            "cache.swr", \.service.cache.staleWhileRevalidate, .duration(allowsZero: true),
            "Time after the end of the lifetime in which clients may use a stale result while they revalidate it."),
        .init(
            "cache.negativeTTL", \.service.cache.negativeLifetime, .duration(allowsZero: true),
            """
            Lifetime of error responses and of the information that a source does not exist; maximum lifetime of \
            images with `X-Image-Status`.
            """),
        .init(
            "cache.immutable", \.service.cache.isImmutable, .boolean,
            "Adds the directive `immutable` to `Cache-Control` in responses."),
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
