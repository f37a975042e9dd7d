import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Compares the result of the fast memory lookup with that of the full lookup, which uses the cache policy.
@Suite struct MemoryHitTests {
    /// Loader settings that influence the decision of the cache policy.
    private struct SettingsCase: Sendable {
        let name: String
        let change: @Sendable (inout ImageLoader.Configuration) -> Void
    }

    private static let settingsCases = [
        SettingsCase(name: "defaults") { _ in },
        SettingsCase(name: "server policy off") { $0.useServerCachePolicy = false },
        SettingsCase(name: "default age") { $0.defaultCacheControlMaxAge = .seconds(30) },
        SettingsCase(name: "stale use") {
            $0.deliversStaleBeforeValidation = false
            $0.staleIfError = .upTo(.seconds(1_000))
        },
        SettingsCase(name: "other types") { $0.acceptedContentTypes = [.gif] },
        SettingsCase(name: "basic auth") { $0.basicAuth = try? BasicAuth(user: "a", password: "b") },
    ]

    private static let responses: [HeaderFields] = [
        [:], ["Cache-Control": "max-age=10"], ["Cache-Control": "max-age=10, no-cache"],
        ["Cache-Control": "max-age=10, no-store"], ["Cache-Control": "max-age=10, must-revalidate"],
        ["Cache-Control": "max-age=10, stale-while-revalidate=60"], ["Cache-Control": "max-age=10, immutable"],
        ["Cache-Control": "max-age=10", "Age": "3", "Date": "Fri, 15 Jan 2027 07:59:55 GMT"],
        ["Expires": "Fri, 15 Jan 2027 08:00:20 GMT"], ["Cache-Control": "max-age=10", "Vary": "Accept"],
        ["Cache-Control": "max-age=10", "Vary": "*"], ["Cache-Control": "max-age=10", "Content-Type": "text/html"],
    ]

    private static let requestFields: [HeaderFields] = [
        [:], ["Cache-Control": "max-age=5"], ["Cache-Control": "no-cache"], ["Cache-Control": "max-stale"],
        ["Cache-Control": "min-fresh=5"], ["Cache-Control": "only-if-cached"], ["Pragma": "no-cache"],
        ["Accept": "image/png"], ["If-None-Match": "\"1\""], ["Range": "bytes=0-"], ["Authorization": "Basic eA=="],
    ]

    /// Milliseconds since the response; negative when the clock was set back.
    private static let ages: [Int64] = [-5_000, 0, 9_999, 10_000, 30_000]

    /// The full lookup: memory cache, then the decision of the policy.
    private func fullLookup(_ request: ImageRequest, _ pipeline: LoadPipeline) -> CachedResponse? {
        guard let hop = LoadHop(Load(request, pipeline), pipeline) else { return nil }
        let found = pipeline.lookup.findBlocking(hop)
        guard found.isInMemory,
            case .useStored(let stored, refresh: nil) = pipeline.freshness.decide(hop, found, now: pipeline.now),
            stored.isFresh, Storability.isSuccess(stored.status), pipeline.freshness.accepts(found, hop)
        else { return nil }
        return stored
    }

    /// True for combinations in which the fast lookup must return an image if the full lookup does.
    private func isServedByFastLookup(_ request: ImageRequest, _ response: HeaderFields, _ settings: SettingsCase)
        -> Bool
    {
        let fields = request.fields.lines.map(\.name)
        return settings.name != "basic auth" && (fields.isEmpty || fields == ["Accept"]) && !response.contains("Vary")
            && [.default, .cacheElseLoad, .cacheOnly].contains(request.policy)
    }

    @Test(.requirement("O9", "O52", "O54", "O90"), arguments: settingsCases.indices)
    func fastMemoryLookupNeverDiffersFromTheFullCachePolicyDecision(settings index: Int) async throws {
        let settings = Self.settingsCases[index]
        let bench = try LoaderBench(.offline) {
            $0.cacheImagesInMemory = true
            settings.change(&$0)
        }
        let image = try ImageDecoder().decode(TestImage.first)
        let begin = bench.clock.now
        let purged = try #require(bench.loader.images.disk?.ticket())
        await bench.loader.purgeDisk()
        let pipeline = bench.loader.images
        let present = try #require(pipeline.disk?.ticket())
        let memory = try #require(pipeline.memory)
        let key = try #require(CacheKey(url: LoaderBench.url))
        var combinations = 0
        var quickAnswers = 0

        for response in Self.responses {
            var fields = response
            if !fields.contains("Content-Type") { fields.append("Content-Type", "image/png") }
            let entry = CacheEntry(
                key: key,
                response: StoredResponse(
                    status: 200, fields: fields, requestTime: begin, responseTime: begin, createdAt: begin,
                    vary: Vary.values(of: fields, request: [:]) ?? []),
                failure: FailureRecord(status: 500, attempts: 5, at: begin))
            for ticket in [present, purged, nil] {
                memory.insert(
                    ImageMemoryCache.CachedImage(
                        entry: entry, content: LoadContent(image: image), revision: nil, ticket: ticket),
                    for: ImageCacheKey(key, variant: ""), since: memory.generation)
                // The effect of a purge does not depend on the age, so one age is sufficient after a purge.
                for age in ticket == present ? Self.ages : [0] {
                    bench.clock.set(begin.adding(milliseconds: age))
                    for fields in Self.requestFields {
                        for policy in CachePolicy.allCases {
                            var request = ImageRequest(url: LoaderBench.url, fields: fields, policy: policy)
                            request.layers = .memory
                            let quick = pipeline.lookup.memory.image(for: request)
                            let full = fullLookup(request, pipeline)
                            combinations += 1
                            let isSame =
                                quick.map { $0.isFresh && $0.status == full?.status && $0.fields == full?.fields }
                                ?? (full == nil || ticket == purged
                                    || !isServedByFastLookup(request, response, settings))
                            if quick != nil { quickAnswers += 1 }
                            #expect(isSame, "\(settings.name) \(response) \(fields) \(policy) \(age)")
                        }
                    }
                }
            }
        }

        #expect(combinations == Self.responses.count * (Self.ages.count + 2) * Self.requestFields.count * 5)
        // The fast lookup returned images, except with settings that exclude every response.
        #expect((quickAnswers > 0) == !["other types", "basic auth"].contains(settings.name))
    }

    @Test(.requirement("O54", "O98")) func fastMemoryLookupAppliesAChangedConfiguration() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.cacheImagesInMemory = true }
        let request = ImageRequest(url: LoaderBench.url)
        _ = try await bench.loader.image(for: request)
        #expect(bench.loader.images.lookup.memory.image(for: request) != nil)

        try bench.loader.update { $0.acceptedContentTypes = [.gif] }
        #expect(bench.loader.images.lookup.memory.image(for: request) == nil)
        try bench.loader.update { $0.acceptedContentTypes = [.png] }
        #expect(bench.loader.images.lookup.memory.image(for: request) != nil)
        bench.clock.advance(61)
        #expect(bench.loader.images.lookup.memory.image(for: request) == nil)
        try bench.loader.update { $0.useServerCachePolicy = false }
        #expect(bench.loader.images.lookup.memory.image(for: request) != nil)
        try bench.loader.update { $0.cacheImagesInMemory = false }
        #expect(bench.loader.images.lookup.memory.image(for: request) == nil)
    }

    @Test func fastMemoryHitHasAllPropertiesOfAFullLoad() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) {
            $0.cacheImagesInMemory = true
            $0.retainsEncodedData = true
        }
        let request = ImageRequest(url: LoaderBench.url)
        let loaded = try await bench.loader.image(for: request)
        bench.clock.advance(7)

        let quick = try await bench.loader.image(for: request)
        #expect(quick.source == .memory)
        #expect(quick.isFresh)
        #expect(quick.isStored)
        #expect(quick.status == 200)
        #expect(quick.fields[lines: "Age"] == [Array("7".utf8)])
        #expect(quick.fields[lines: "Content-Type"] == loaded.fields[lines: "Content-Type"])
        #expect(quick.encodedData == TestImage.first)
        #expect(quick.bitmap.digest == loaded.bitmap.digest)
        #expect(quick.header == loaded.header)
    }

    @Test(.requirement("O59")) func cancelledLoadFailsDespiteAMemoryHit() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.cacheImagesInMemory = true }
        _ = await bench.steps()
        let start = Gate()
        let task = Task {
            try? await start.pass()
            return await bench.failure()
        }
        await start.arrival()
        task.cancel()
        #expect(await task.value?.code == .cancelled)
    }

    /// Changes each pair of the properties that determine the cache key, after the request was created.
    @Test func changedRequestHasTheCacheKeysComputedFromItsNewProperties() {
        let changes: [(inout ImageRequest) -> Void] = [
            { $0.url = "http://example.com/other" }, { $0.url = "no address" }, { $0.url = "http://a:b@example.com/" },
            { $0.fields = ["Authorization": "x"] }, { $0.fields.append("Cookie", "x") },
            { $0.fields.append("Accept", "x") }, { $0.decodeOptions.page = 2 }, { $0.decodeOptions = .asStored },
            { $0.partition = "x" }, { $0.cacheKey = "http://example.com/key" }, { $0.cacheKey = "no address" },
        ]
        for pair in 0..<(changes.count * changes.count) {
            var changed = ImageRequest(url: LoaderBench.url)
            changes[pair / changes.count](&changed)
            changes[pair % changes.count](&changed)
            let keys = RequestKeys(
                url: changed.url, fields: changed.fields, variant: ImageVariant(of: changed),
                partition: changed.partition, cacheKey: changed.cacheKey)
            #expect(changed.keys == keys, "\(pair)")
        }
    }

    /// The cache key of a request equals the key that its load computes; nil for a URL that cannot be loaded or cached.
    @Test func cacheKeyOfARequestEqualsTheKeyOfItsLoad() throws {
        let pipeline = try LoaderBench(.offline).loader.images
        var requests = [
            "http://EXAMPLE.com:80/a#b", "https://example.com", "http://example.com/a?b=%20", "http://[::1]/",
            "http://user@example.com/", "ftp://example.com/", "", "http://", "http://example.com/a b",
        ].map { ImageRequest(url: $0) }
        for index in requests.indices {
            var request = requests[index]
            request.decodeOptions = .asStored
            requests.append(request)
            request.cacheKey = "http://EXAMPLE.com/key"
            requests.append(request)
            request.cacheKey = "key"
            requests.append(request)
        }
        var named = 0
        for request in requests {
            let hop = LoadHop(Load(request, pipeline), pipeline)
            guard let key = request.keys.imageKey else {
                #expect(hop == nil || request.url.contains("@"), "\(request.url)")
                continue
            }
            named += 1
            #expect(hop?.imageKey == key)
        }
        #expect(named == 12)
    }
}
