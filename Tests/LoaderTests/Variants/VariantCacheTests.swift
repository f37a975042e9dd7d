import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Variants in memory follow the response that they were made from.
@Suite(.timeLimit(.minutes(30))) struct VariantCacheTests {
    private func load(_ bench: LoaderBench, _ width: Int) async throws -> LoadedImage {
        try await bench.loader.image(for: VariantLoadTests.request(width))
    }

    @Test func eachSizeHasItsOwnEntryInMemory() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.cacheImagesInMemory = true }
        for _ in 0..<2 {
            for width in VariantLoadTests.widths { _ = try await load(bench, width) }
        }
        #expect(bench.loader.memoryStatistics.count == 5)
        #expect(bench.loader.statistics.memoryHits == 5)
        #expect(bench.loader.statistics.decodes == 5)
        let bytes = try VariantLoadTests.widths.reduce(0) { try $0 + VariantLoadTests.expected($1).count }
        #expect(bench.loader.memoryStatistics.bytes == bytes)
    }

    /// With and without a disk cache: a 304 for one size makes all sizes fresh.
    @Test(arguments: [true, false]) func revalidationOfOneSizeRefreshesAllSizes(hasDisk: Bool) async throws {
        let bench = try LoaderBench(
            .image(TestImage.first, maxAge: 60, etag: "\"1\""), .status(304, ["Cache-Control": "max-age=60"])
        ) {
            $0.cacheImagesInMemory = true
            $0.retainsEncodedData = !hasDisk
            if !hasDisk { ($0.cacheDirectory, $0.dataDirectory) = (nil, nil) }
        }
        for width in VariantLoadTests.widths { _ = try await load(bench, width) }
        bench.clock.advance(61)
        #expect(try await load(bench, 16).source == .networkNotModified)
        for width in VariantLoadTests.widths {
            let image = try await load(bench, width)
            #expect(image.isFresh)
            #expect(try image.bitmap.copyBytes() == VariantLoadTests.expected(width))
        }
        #expect(bench.transport.requests.count == 2)
    }

    @Test(arguments: [true, false]) func newBodyForOneSizeReplacesTheOtherSizes(hasDisk: Bool) async throws {
        let bench = try LoaderBench(
            .image(TestImage.first, maxAge: 600, etag: "\"1\""), .image(TestImage.second, maxAge: 600)
        ) {
            $0.cacheImagesInMemory = true
            $0.retainsEncodedData = !hasDisk
            if !hasDisk { ($0.cacheDirectory, $0.dataDirectory) = (nil, nil) }
        }
        for width in [4, 6, 8] { _ = try await load(bench, width) }
        bench.clock.advance(10)
        var reload = VariantLoadTests.request(4)
        reload.policy = .reload
        _ = try await bench.loader.image(for: reload)
        for width in [4, 6, 8] {
            let image = try await load(bench, width)
            #expect(try image.bitmap.copyBytes() == VariantLoadTests.expected(width, of: TestImage.second))
        }
        #expect(bench.transport.requests.count == 2)
    }

    @Test func expiredSizesAreRevalidatedByOneRequest() async throws {
        let bench = try LoaderBench(
            .image(TestImage.first, maxAge: 60, etag: "\"1\""), .status(304, ["Cache-Control": "max-age=60"])
        ) { $0.cacheImagesInMemory = true }
        for width in VariantLoadTests.widths { _ = try await load(bench, width) }
        bench.clock.advance(61)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for width in VariantLoadTests.widths {
                group.addTask {
                    let image = try await self.load(bench, width)
                    #expect(try image.bitmap.copyBytes() == VariantLoadTests.expected(width))
                }
            }
            try await group.waitForAll()
        }
        #expect(bench.transport.requests.count == 2)
    }

    @Test func removalAndPurgeApplyToAllSizes() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.cacheImagesInMemory = true }
        for width in VariantLoadTests.widths { _ = try await load(bench, width) }
        await bench.loader.removeImage(for: VariantLoadTests.request(16))
        #expect(bench.loader.memoryStatistics.count == 0)
        for width in VariantLoadTests.widths { _ = try await load(bench, width) }
        #expect(bench.transport.requests.count == 2)
        await bench.loader.purgeMemory()
        #expect(bench.loader.memoryStatistics.count == 0)
    }

    @Test func variantsOfDifferentCredentialsAreSeparate() async throws {
        let bench = try LoaderBench(
            ScriptedTransport { request, _ in
                let isOther = request.fields["Authorization"].map { String(decoding: $0, as: UTF8.self) } == "Bearer b"
                var reply = ScriptedReply.image(isOther ? TestImage.second : TestImage.first, maxAge: 60)
                reply.fields.append("Cache-Control", "private")
                return reply
            }
        ) { $0.cacheImagesInMemory = true }
        for _ in 0..<2 {
            for (token, bytes) in [("a", TestImage.first), ("b", TestImage.second)] {
                var request = VariantLoadTests.request(8)
                request.fields = ["Authorization": "Bearer \(token)"]
                request.variantFormat = .png
                let image = try await bench.loader.image(for: request)
                #expect(try image.bitmap.copyBytes() == VariantLoadTests.expected(8, of: bytes))
            }
        }
        await bench.loader.flush()
        #expect(bench.transport.requests.count == 2)
        #expect(bench.storedFiles.count == 4)
    }

    @Test func variantsFollowTheVaryFieldOfTheResponse() async throws {
        let bench = try LoaderBench(
            ScriptedTransport { request, _ in
                let isOther = request.fields["Accept-Language"].map { String(decoding: $0, as: UTF8.self) } == "de"
                var reply = ScriptedReply.image(isOther ? TestImage.second : TestImage.first, maxAge: 60)
                reply.fields.append("Vary", "Accept-Language")
                return reply
            })
        for round in 0..<3 {
            for (language, bytes) in [("en", TestImage.first), ("de", TestImage.second)] {
                var request = VariantLoadTests.request(8)
                request.fields = ["Accept-Language": language]
                request.variantFormat = .png
                let image = try await bench.loader.image(for: request)
                #expect(try image.bitmap.copyBytes() == VariantLoadTests.expected(8, of: bytes), "\(round)")
            }
        }
        #expect(bench.transport.requests.count == 2)
    }

    @Test(arguments: ["no-store", "private"]) func responseThatMayNotBeStoredHasNoVariantFile(
        _ directive: String
    ) async throws {
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.fields.append("Cache-Control", directive)
        let bench = try LoaderBench(reply) { $0.isSharedCache = true }
        var request = VariantLoadTests.request(8)
        request.variantFormat = .png
        _ = try await bench.loader.image(for: request)
        await bench.loader.flush()
        #expect(bench.storedFiles.isEmpty)
    }

    /// Random loads, removals and purges of many sizes: the memory never exceeds its limit, and each image has the
    /// pixels of its size.
    @Test(arguments: 0..<4) func memoryOfRandomVariantsNeverExceedsItsLimit(_ seed: Int) async throws {
        var random = SplitMix(seed: UInt64(seed))
        let limit = [1_000, 3_000, 10_000, 30_000][seed]
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) {
            $0.cacheImagesInMemory = true
            $0.memoryCacheMaxBytes = limit
        }
        let expected = try (1...19).map { try VariantLoadTests.expected($0) }
        for step in 0..<300 {
            let width = Int.random(in: 1...19, using: &random)
            let url = "http://example.com/\(Int.random(in: 0..<4, using: &random))"
            switch Int.random(in: 0..<40, using: &random) {
            case 0: await bench.loader.purgeMemory()
            case 1: await bench.loader.removeImage(for: VariantLoadTests.request(width, url: url), layers: .memory)
            case 2: bench.loader.relieveMemoryPressure(to: 0.5)
            default:
                let image = try await bench.loader.image(for: VariantLoadTests.request(width, url: url))
                #expect(image.bitmap.copyBytes() == expected[width - 1], "\(step)")
            }
            #expect(bench.loader.memoryStatistics.bytes <= limit)
        }
        #expect(bench.loader.memoryStatistics.peakBytes <= limit)
        #expect(bench.transport.requests.count <= 4)
    }
}
