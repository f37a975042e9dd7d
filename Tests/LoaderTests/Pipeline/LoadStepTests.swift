import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite struct LoadStepTests {
    @Test(.requirement("O3", "O6", "O33")) func configurationDefaultsAreAsDocumented() {
        let defaults = ImageLoader.Configuration()

        #expect(!defaults.cacheImagesInMemory)
        #expect(defaults.memoryCacheMaxBytes == 25 * 1024 * 1024)
        #expect(defaults.memoryCacheMaxCount == nil)
        #expect(!defaults.trustAnySSLCertificate)
        #expect(defaults.trustedHosts.isEmpty)
        #expect(defaults.additionalTrustRoots.isEmpty)
        #expect(defaults.useServerCachePolicy)
        #expect(defaults.defaultCacheControlMaxAge == .zero)
        #expect(
            Set(defaults.acceptedContentTypes.map(\.description)) == [
                "image/png", "image/jpg", "image/jpeg", "image/bmp", "image/gif", "image/tiff",
                "image/webp",
            ])
        #expect(defaults.defaultCacheControlMaxAgeForErrors == .zero)
        #expect(defaults.maxAttemptsForErrors == 3)
        #expect(defaults.cacheDirectory?.hasSuffix("/ImageCache") == true)
        #expect(defaults.dataDirectory?.hasSuffix("/DataCache") == true)
        #expect(defaults.diskCacheMaxBytes == nil)
        #expect(defaults.basicAuth == nil)
        #expect(defaults.credentialOrigins.isEmpty)
        #expect(defaults.urgentWidth == 8)
        #expect(defaults.slowWidth == 1)
        #expect(defaults.negativeCacheMaxAge == nil)
        #expect(defaults.negativeCacheMaxCount == 1_024)
        #expect(defaults.retry == .none)
        #expect(defaults.maxRetryDelay == .seconds(30))
        #expect(!defaults.keepsDownloadingWhenCancelled)
        #expect(defaults.staleIfError == .never)
        #expect(defaults.deliversStaleBeforeValidation)
        #expect(defaults.maxResponseBytes == 67_108_864)
        #expect(defaults.decodeLimits == DecodeLimits())
        #expect(defaults.decodeLimits.maxPixels == 100_000_000)
        #expect(defaults.maxDecodedBytes == 402_653_184)
        #expect(defaults.maxInFlightDecodedBytes == 536_870_912)
        #expect(!defaults.retainsEncodedData)
        #expect(defaults.connectTimeout == .seconds(10))
        #expect(defaults.idleTimeout == .seconds(60))
        #expect(defaults.totalTimeout == nil)
        #expect(defaults.maxRedirects == 20)
    }

    @Test(.requirement("O5", "O58")) func invalidSettingsThrowAConfigurationError() throws {
        let changes: [(inout ImageLoader.Configuration) -> Void] = [
            { $0.memoryCacheMaxBytes = -1 }, { $0.memoryCacheMaxCount = 0 }, { $0.diskCacheMaxBytes = -1 },
            { $0.maxRedirects = -1 }, { $0.maxAttemptsForErrors = -1 }, { $0.maxResponseBytes = -1 },
            { $0.maxDecodedBytes = 0 }, { $0.maxInFlightDecodedBytes = $0.maxDecodedBytes - 1 },
            { $0.negativeCacheMaxCount = -1 }, { $0.negativeCacheMaxAge = .seconds(-1) }, { $0.urgentWidth = 0 },
            { $0.slowWidth = 0 }, { $0.connectTimeout = .seconds(-1) },
            { $0.idleTimeout = .seconds(-1) }, { $0.totalTimeout = .seconds(-1) },
            { $0.defaultCacheControlMaxAge = .seconds(-1) }, { $0.maxRetryDelay = .seconds(-1) },
            { $0.defaultCacheControlMaxAgeForErrors = .seconds(-1) }, { $0.trustAnySSLCertificate = true },
        ]
        for change in changes {
            #expect(throws: LoadError.configuration("")) { try LoaderBench(ScriptedTransport(.offline), change) }
        }
    }

    @Test(.requirement("O7", "O15")) func invalidURLFailsWithoutARequest() async throws {
        let bench = try LoaderBench(.offline)
        let before = bench.folder.files

        for url in ["", " ", "picture.png", "http://", "http://a b/", "http://host:port/"] {
            #expect(await bench.steps(ImageRequest(url: url)) == ["failed invalidURL"], "\(url)")
        }
        for url in ["ftp://example.com/a.png", "file:///a.png", "data:image/png;base64,AA=="] {
            #expect(await bench.steps(ImageRequest(url: url)) == ["failed unsupportedScheme"], "\(url)")
        }

        #expect(bench.transport.requests.isEmpty)
        #expect(bench.folder.files == before)
    }

    @Test(.requirement("O8", "O19")) func loadedImageIsFoundOnDiskByANewLoader() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))

        let loaded = try await bench.loader.image(for: ImageRequest(url: LoaderBench.url))
        #expect(loaded.source == .networkToDisk)
        #expect(loaded.isStored)
        let again = try LoaderBench(ScriptedTransport(.offline), in: bench.folder)
        let found = try await again.loader.image(for: ImageRequest(url: LoaderBench.url))

        #expect(found.source == .disk)
        #expect(found.isFresh)
        #expect(found.bitmap.digest == loaded.bitmap.digest)
        let expected = try ImageDecoder().decode(TestImage.first)
        #expect(found.bitmap.digest == expected.bitmap.digest)
        #expect(again.transport.requests.isEmpty)
    }

    @Test(.requirement("O9", "O52", "O64"), arguments: [false, true])
    func freshImageIsDeliveredWithoutARequest(inMemory: Bool) async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.cacheImagesInMemory = inMemory }

        #expect(await bench.steps() == ["sending", "finished networkToDisk"])
        let source = inMemory ? "memory" : "disk"
        #expect(await bench.steps() == ["cached \(source) fresh", "finished \(source)"])

        #expect(bench.transport.requests.count == 1)
        #expect(bench.isIdle)
    }

    @Test(.requirement("O10", "O12", "O20", "O22", "O23", "O30"), arguments: [false, true])
    func staleImageIsDeliveredBeforeRevalidation(inMemory: Bool) async throws {
        let bench = try LoaderBench(
            .image(TestImage.first, maxAge: 10, etag: "\"1\""), .status(304, ["Cache-Control": "max-age=10"])
        ) { $0.cacheImagesInMemory = inMemory }
        let source = inMemory ? "memory" : "disk"

        _ = await bench.steps()
        for round in 0..<3 {
            bench.clock.advance(11)
            #expect(
                await bench.steps() == [
                    "cached \(source) stale", "sending after image", "finished networkNotModified",
                ], "\(round)")
            // The 304 response has renewed the lifetime.
            #expect(await bench.steps() == ["cached \(source) fresh", "finished \(source)"], "\(round)")
        }

        #expect(bench.transport.requests.count == 4)
        #expect(bench.transport.requests[1].fields[lines: "If-None-Match"] == [Array("\"1\"".utf8)])
    }

    @Test(.requirement("O22", "O30"), arguments: [false, true])
    func newImageReplacesTheStaleImage(inMemory: Bool) async throws {
        let bench = try LoaderBench(
            .image(TestImage.first, maxAge: 10, etag: "\"1\""), .image(TestImage.second, maxAge: 10)
        ) { $0.cacheImagesInMemory = inMemory }
        let request = ImageRequest(url: LoaderBench.url)

        _ = await bench.steps()
        bench.clock.advance(11)
        let source = inMemory ? "memory" : "disk"
        #expect(
            await bench.steps() == ["cached \(source) stale", "sending after image", "finished networkToDisk"])

        let found = try await bench.loader.image(for: request)
        let expected = try ImageDecoder().decode(TestImage.second)
        #expect(found.bitmap.digest == expected.bitmap.digest)
        #expect(found.isFresh)
    }

    @Test(.requirement("O24")) func responseWithoutCacheControlUsesTheDefaultLifetime() async throws {
        let bench = try LoaderBench(.image(TestImage.first)) { $0.defaultCacheControlMaxAge = .seconds(10) }

        _ = await bench.steps()
        bench.clock.advance(9)
        #expect(await bench.steps() == ["cached disk fresh", "finished disk"])
        bench.clock.advance(2)
        #expect(await bench.steps() == ["cached disk stale", "sending after image", "finished networkToDisk"])
    }

    @Test func staleImageIsNotDeliveredBeforeRevalidationWhenStaleDeliveryIsDisabled() async throws {
        let bench = try LoaderBench(.image(TestImage.first, etag: "\"1\""), .status(304)) {
            $0.deliversStaleBeforeValidation = false
        }

        _ = await bench.steps()
        #expect(await bench.steps() == ["sending", "finished networkNotModified"])
    }

    @Test(.requirement("O2", "O19")) func loadsSucceedWithoutAUsableDiskCache() async throws {
        for change in [
            { $0.cacheDirectory = nil }, { $0.cacheDirectory = "/proc/no/such/folder" },
            { $0.diskCacheMaxBytes = 10 },
        ] as [(inout ImageLoader.Configuration) -> Void] {
            let bench = try LoaderBench(ScriptedTransport(.image(TestImage.first, maxAge: 60)), change)
            let loaded = try await bench.loader.image(for: ImageRequest(url: LoaderBench.url))
            #expect(loaded.source == .networkToDisk)
            #expect(!loaded.isStored)
            #expect(await bench.steps() == ["sending", "finished networkToDisk"])
        }
    }

    @Test(.requirement("O31")) func storedImageStaysFreshWithServerCachePolicyDisabled() async throws {
        var reply = ScriptedReply.image(TestImage.first)
        reply.fields.append("Cache-Control", "no-store")
        let bench = try LoaderBench(reply) { $0.useServerCachePolicy = false }

        _ = await bench.steps()
        bench.clock.advance(1_000_000)
        #expect(await bench.steps() == ["cached disk fresh", "finished disk"])
        #expect(
            await bench.steps(ImageRequest(url: LoaderBench.url, policy: .reload)) == [
                "sending", "finished networkToDisk",
            ])
    }

    @Test(.requirement("O27")) func noStoreResponseIsDeliveredAndNotStored() async throws {
        var reply = ScriptedReply.image(TestImage.first)
        reply.fields.append("Cache-Control", "no-store")
        let bench = try LoaderBench(reply) { $0.cacheImagesInMemory = true }

        for _ in 0..<2 { #expect(await bench.steps() == ["sending", "finished networkToDisk"]) }
        #expect(bench.storedFiles.isEmpty)
        #expect(bench.loader.memoryStatistics.count == 0)
    }

    @Test(.requirement("O71", "O90"))
    func cachePolicyAndFreshnessDetermineTheStepsOfALoad() async throws {
        let fresh = ["cached disk fresh", "finished disk"]
        let validated = ["cached disk stale", "sending after image", "finished networkNotModified"]
        let loaded = ["sending", "finished networkToDisk"]
        let table: [(policy: CachePolicy, none: [String], fresh: [String], stale: [String])] = [
            (.default, loaded, fresh, validated),
            (.revalidate, loaded, validated, validated),
            (.reload, loaded, loaded, loaded),
            (.cacheElseLoad, loaded, fresh, ["cached disk stale", "finished disk"]),
            (.cacheOnly, ["failed notInCache"], fresh, ["cached disk stale", "finished disk"]),
        ]
        for row in table {
            let bench = try LoaderBench(
                ScriptedTransport { request, _ in
                    request.fields.contains("If-None-Match")
                        ? .status(304) : .image(TestImage.first, maxAge: 10, etag: "\"1\"")
                })
            let request = ImageRequest(url: LoaderBench.url, policy: row.policy)
            #expect(await bench.steps(request) == row.none, "\(row.policy)")
            _ = await bench.steps()
            #expect(await bench.steps(request) == row.fresh, "\(row.policy)")
            bench.clock.advance(11)
            #expect(await bench.steps(request) == row.stale, "\(row.policy)")
            #expect(bench.isIdle)
        }
    }
}
