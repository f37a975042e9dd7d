import Dispatch
import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Images are looked up, stored and removed without a load, in each cache layer.
@Suite(.timeLimit(.minutes(30))) struct LookupTests {
    private let request = ImageRequest(url: LoaderBench.url)

    /// A loader with a memory cache that has loaded one image, fresh for 60 s.
    private func loadedBench() async throws -> LoaderBench {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.cacheImagesInMemory = true }
        _ = try await bench.loader.image(for: request)
        return bench
    }

    /// The result of the blocking or the asynchronous lookup as a short text; both must be equal.
    private func lookup(
        _ bench: LoaderBench, _ request: ImageRequest, _ layers: CacheLayers, isBlocking: Bool
    ) async -> String {
        let image: LoadedImage?
        if isBlocking {
            image = bench.loader.cachedImage(for: request, layers: layers)
        } else {
            image = await bench.loader.lookUpImage(for: request, layers: layers)
        }
        return image.map { "\($0.source) \($0.isFresh ? "fresh" : "stale")" } ?? "nothing"
    }

    @Test(.requirement("O65", "O95", "O85"), arguments: [false, true])
    func lookupReadsOnlyTheCacheLayersOfItsLayersArgument(isBlocking: Bool) async throws {
        let bench = try await loadedBench()
        #expect(await lookup(bench, request, .all, isBlocking: isBlocking) == "memory fresh")
        #expect(await lookup(bench, request, .memory, isBlocking: isBlocking) == "memory fresh")
        #expect(await lookup(bench, request, .disk, isBlocking: isBlocking) == "disk fresh")
        #expect(await lookup(bench, request, [], isBlocking: isBlocking) == "nothing")

        await bench.loader.purgeMemory()
        let reads = bench.loader.diskStatistics.map { $0.hits + $0.misses }
        #expect(await lookup(bench, request, .memory, isBlocking: isBlocking) == "nothing")
        #expect(bench.loader.diskStatistics.map { $0.hits + $0.misses } == reads)
        #expect(await lookup(bench, request, .disk, isBlocking: isBlocking) == "disk fresh")
        #expect(bench.loader.memoryStatistics.count == 0)
        #expect(await lookup(bench, request, .all, isBlocking: isBlocking) == "disk fresh")
        // The disk hit was inserted into memory.
        #expect(await lookup(bench, request, .memory, isBlocking: isBlocking) == "memory fresh")
        #expect(bench.transport.requests.count == 1)
    }

    @Test(.requirement("O65", "O95"), arguments: [false, true])
    func lookupReadsOnlyCacheLayersThatItsRequestPermits(isBlocking: Bool) async throws {
        let bench = try await loadedBench()
        var other = request
        other.layers = .disk
        #expect(await lookup(bench, other, .all, isBlocking: isBlocking) == "disk fresh")
        #expect(await lookup(bench, other, .memory, isBlocking: isBlocking) == "nothing")
        other.layers = [.readsMemory]
        #expect(await lookup(bench, other, .disk, isBlocking: isBlocking) == "nothing")
    }

    @Test(.requirement("O65"), arguments: [false, true])
    func lookupReturnsStaleImagesMarkedAsStale(isBlocking: Bool) async throws {
        for control in ["max-age=10", "max-age=10, must-revalidate", "no-cache", "max-age=0"] {
            var reply = ScriptedReply.image(TestImage.first)
            reply.fields.append("Cache-Control", control)
            let bench = try LoaderBench(reply) { $0.cacheImagesInMemory = true }
            _ = try await bench.loader.image(for: request)
            bench.clock.advance(11)
            #expect(await lookup(bench, request, .memory, isBlocking: isBlocking) == "memory stale", "\(control)")
            #expect(await lookup(bench, request, .disk, isBlocking: isBlocking) == "disk stale", "\(control)")
            #expect(bench.transport.requests.count == 1)
        }
    }

    @Test(.requirement("O65", "O90"), arguments: [false, true])
    func lookupReportsAFreshImageAsStaleForReloadAndRevalidatePolicies(isBlocking: Bool) async throws {
        let bench = try await loadedBench()
        for policy in CachePolicy.allCases {
            var other = request
            other.policy = policy
            let isFresh = policy != .reload && policy != .revalidate
            for layers in [CacheLayers.memory, .disk] {
                let found = await lookup(bench, other, layers, isBlocking: isBlocking)
                #expect(found == "\(layers == .memory ? "memory" : "disk") \(isFresh ? "fresh" : "stale")")
            }
        }
    }

    @Test(.requirement("O53", "O65", "O71", "O94"), arguments: [false, true])
    func lookupFindsAnImageOnlyWithItsCredentialsAndItsPartitionAndItsCacheKey(isBlocking: Bool) async throws {
        let bench = try await loadedBench()
        var requests: [ImageRequest] = []
        for url in ["https://example.com/picture.png", "http://example.com/picture.png?a", "", "no address"] {
            requests.append(ImageRequest(url: url))
        }
        requests.append(ImageRequest(url: LoaderBench.url, fields: ["Authorization": "Basic eA=="]))
        requests.append(ImageRequest(url: LoaderBench.url, fields: ["Cookie": "a=b"]))
        var other = request
        other.partition = "x"
        requests.append(other)
        other = request
        other.cacheKey = "http://example.com/key"
        requests.append(other)
        for request in requests {
            #expect(await lookup(bench, request, .all, isBlocking: isBlocking) == "nothing", "\(request.url)")
            #expect(!bench.loader.contains(request))
        }
        // A request for another URL finds the image if the cache key of the request is the URL of the image.
        other = ImageRequest(url: "http://example.com/elsewhere")
        other.cacheKey = LoaderBench.url
        #expect(await lookup(bench, other, .all, isBlocking: isBlocking) == "memory fresh")
    }

    @Test(.requirement("O44", "O65"), arguments: [false, true])
    func diskLookupUpdatesTheModificationDate(isBlocking: Bool) async throws {
        let bench = try await loadedBench()
        bench.clock.advance(100)
        _ = await lookup(bench, request, .memory, isBlocking: isBlocking)
        #expect(bench.loader.contains(request, layers: .disk))
        #expect(try modified(bench) == bench.clock.now.adding(milliseconds: -100_000).seconds)
        #expect(await lookup(bench, request, .disk, isBlocking: isBlocking) == "disk stale")
        #expect(try modified(bench) == bench.clock.now.seconds)
    }

    private func modified(_ bench: LoaderBench) throws -> Int64 {
        let path = bench.folder.path + "/" + (try #require(bench.storedFiles.first))
        let date = try #require(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
        return Int64(date.timeIntervalSince1970.rounded(.down))
    }

    @Test(.requirement("O65"), arguments: [false, true])
    func lookupOfADamagedFileFindsNothing(isBlocking: Bool) async throws {
        let bench = try await loadedBench()
        await bench.loader.purgeMemory()
        let path = bench.folder.path + "/" + (try #require(bench.storedFiles.first))
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(await lookup(bench, request, .all, isBlocking: isBlocking) == "nothing")
        #expect(bench.loader.memoryStatistics.count == 0)
    }

    @Test(.requirement("O65"), arguments: [false, true])
    func lookupFollowsStoredRedirects(isBlocking: Bool) async throws {
        let bench = try LoaderBench(
            ScriptedTransport { request, _ in
                request.url.hasSuffix("picture.png")
                    ? .status(301, ["Location": "/moved.png", "Cache-Control": "max-age=30"])
                    : .image(TestImage.first, maxAge: 60)
            }
        ) { $0.cacheImagesInMemory = true }
        #expect(!bench.loader.contains(request))
        _ = try await bench.loader.image(for: request)
        #expect(await lookup(bench, request, .all, isBlocking: isBlocking) == "memory fresh")
        #expect(bench.loader.contains(request))
        var manual = request
        manual.redirect = .manual
        #expect(await lookup(bench, manual, .all, isBlocking: isBlocking) == "nothing")
        #expect(!bench.loader.contains(manual))
        // The redirect is stale, so a load would send a request although the image is fresh.
        bench.clock.advance(31)
        #expect(await lookup(bench, request, .all, isBlocking: isBlocking) == "memory stale")
        #expect(bench.transport.requests.count == 2)
    }

    /// Blocks all threads of Swift's concurrency pool at the same time.
    @Test(.requirement("O65")) func blockingLookupsFromManyThreadsComplete() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        _ = try await bench.loader.image(for: request)
        let found = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<64 {
                group.addTask { bench.loader.cachedImage(for: request)?.bitmap.width }
            }
            return await group.reduce(into: [Int?: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(found == [19: 64])
        let fromQueue: Int? = await withCheckedContinuation { continuation in
            DispatchQueue(label: "of the caller").async {
                continuation.resume(returning: bench.loader.cachedImage(for: request)?.bitmap.width)
            }
        }
        #expect(fromQueue == 19)
    }

    @Test(.requirement("O95")) func removeImageAffectsOnlyTheSpecifiedCacheLayers() async throws {
        for (removed, left) in [
            (CacheLayers.memory, [false, true]), (.disk, [true, false]), (.all, [false, false]), ([], [true, true]),
        ] {
            let bench = try await loadedBench()
            #expect(bench.loader.contains(request, layers: .memory) && bench.loader.contains(request, layers: .disk))
            await bench.loader.removeImage(for: request, layers: removed)
            #expect(
                [CacheLayers.memory, .disk].map { bench.loader.contains(request, layers: $0) } == left, "\(removed)")
            #expect(bench.loader.contains(request) == left.contains(true))
        }
    }

    @Test(.requirement("O53", "O56", "O91")) func removeImageRemovesAllDecodedVariantsOfTheURL() async throws {
        let bench = try await loadedBench()
        var variants = [request]
        for page in 1...5 {
            var variant = request
            variant.decodeOptions.page = page
            variants.append(variant)
        }
        for variant in variants { _ = try await bench.loader.image(for: variant) }
        let neighbour = ImageRequest(url: "http://example.com/neighbour")
        _ = try await bench.loader.image(for: neighbour)
        #expect(bench.loader.memoryStatistics.count == 7)

        await bench.loader.removeImage(for: variants[3])
        for variant in variants { #expect(!bench.loader.contains(variant)) }
        #expect(bench.loader.contains(neighbour, layers: .memory))
        #expect(bench.loader.memoryStatistics.count == 1)
    }

    @Test(.requirement("O56")) func imageRemovedDuringItsLoadIsNotInsertedIntoMemory() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(reply) { $0.cacheImagesInMemory = true }
        async let image = bench.loader.image(for: request)
        await gate.arrival()
        await bench.loader.removeImage(for: request)
        gate.open()
        _ = try await image
        #expect(bench.loader.memoryStatistics.count == 0)
        _ = try await bench.loader.image(for: request)
        #expect(bench.loader.memoryStatistics.count == 1)
    }

    @Test(.requirement("O75")) func bitmapStoredByTheCallerIsInMemoryOnly() async throws {
        let bench = try LoaderBench(.offline) { $0.cacheImagesInMemory = true }
        let bitmap = try ImageDecoder().decode(TestImage.second).bitmap
        #expect(try bench.loader.store(bitmap, fields: ["Cache-Control": "max-age=60"], for: request))
        #expect(bench.storedFiles.isEmpty)
        #expect(bench.loader.memoryStatistics == (1, bitmap.byteCount, bitmap.byteCount))

        let loaded = try await bench.loader.image(for: request)
        #expect(loaded.source == .memory)
        #expect(!loaded.isStored)
        #expect(loaded.bitmap.digest == bitmap.digest)
        #expect(loaded.header.width == 11)
        // The image was never on disk, so purging the disk does not make it stale.
        await bench.loader.purgeDisk()
        #expect(await bench.steps() == ["cached memory fresh", "finished memory"])
        bench.clock.advance(61)
        #expect(await bench.steps() == ["cached memory stale", "sending after image", "failed transport"])
        #expect(throws: LoadError(.invalidURL, "")) { try bench.loader.store(bitmap, for: ImageRequest(url: "x")) }
    }

    @Test(.requirement("O75", "C18")) func storeReturnsFalseWhenTheMemoryCacheDoesNotStoreTheBitmap() throws {
        let bitmap = try ImageDecoder().decode(TestImage.second).bitmap
        let off = try LoaderBench(.offline)
        #expect(try !off.loader.store(bitmap, for: request))
        let small = try LoaderBench(.offline) {
            $0.cacheImagesInMemory = true
            $0.memoryCacheMaxBytes = bitmap.byteCount - 1
        }
        #expect(try !small.loader.store(bitmap, for: request))
        var other = request
        other.layers = .disk
        try small.loader.update { $0.memoryCacheMaxBytes = bitmap.byteCount }
        #expect(try !small.loader.store(bitmap, for: other))
        #expect(try small.loader.store(bitmap, for: request))
        #expect([off, small].map(\.loader.memoryStatistics.count) == [0, 1])
    }

    @Test func storeOfAResponseWithNoStoreOrVaryAsteriskReturnsFalse() async throws {
        let bench = try LoaderBench(.offline) { $0.cacheImagesInMemory = true }
        let bitmap = try ImageDecoder().decode(TestImage.second).bitmap
        for fields: HeaderFields in [["Cache-Control": "no-store"], ["Vary": "*"], ["Vary": "Accept, *"]] {
            #expect(try await !bench.loader.store(TestImage.first, fields: fields, for: request))
            #expect(try !bench.loader.store(bitmap, fields: fields, for: request))
        }
        #expect(try await bench.loader.store(TestImage.first, fields: ["Vary": "Accept"], for: request))
    }

    @Test(.requirement("O75", "O84", "O87")) func bytesStoredByTheCallerAreInMemoryAndOnDisk() async throws {
        let bench = try LoaderBench(.offline) {
            $0.cacheImagesInMemory = true
            $0.retainsEncodedData = true
        }
        let fields: HeaderFields = ["Content-Type": "image/png", "Cache-Control": "max-age=60"]
        #expect(try await bench.loader.store(TestImage.first, fields: fields, for: request))
        #expect(bench.loader.cachedImage(for: request, layers: .memory)?.isStored == true)
        #expect(bench.loader.cachedImage(for: request, layers: .disk)?.encodedData == TestImage.first)
    }
}
