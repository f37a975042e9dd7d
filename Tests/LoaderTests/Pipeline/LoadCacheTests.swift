import Dispatch
import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite(.timeLimit(.minutes(30))) struct LoadCacheTests {
    private let request = ImageRequest(url: LoaderBench.url)

    @Test(.requirement("O4", "C17")) func twoLoadersWithDifferentFoldersShareNoCache() async throws {
        let transport = ScriptedTransport(.image(TestImage.first, maxAge: 60))
        let one = try LoaderBench(transport) { $0.cacheImagesInMemory = true }
        let other = try LoaderBench(transport) { $0.cacheImagesInMemory = true }
        _ = await one.steps()
        #expect(other.loader.memoryStatistics == (0, 0, 0))
        #expect(await other.steps() == ["sending", "finished networkToDisk"])
    }

    @Test(.requirement("O55", "O76")) func memoryCostIsPixelBytesPlusRetainedEncodedBytes() async throws {
        for retains in [false, true] {
            let bench = try LoaderBench(ScriptedTransport(.image(TestImage.first, maxAge: 60))) {
                $0.cacheImagesInMemory = true
                $0.retainsEncodedData = retains
            }
            let image = try await bench.loader.image(for: request)
            #expect(image.encodedData == (retains ? TestImage.first : nil))
            let bytes = 19 * 13 * 4 + (retains ? TestImage.first.count : 0)
            #expect(bench.loader.memoryStatistics == (1, bytes, bytes))
            #expect(bench.loader.cachedImage(for: request, layers: .memory)?.bitmap.digest == image.bitmap.digest)
        }
    }

    @Test(.requirement("O85")) func diskHitInsertsTheImageIntoMemory() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.cacheImagesInMemory = true }
        _ = await bench.steps()
        await bench.loader.purgeMemory()
        #expect(await bench.steps() == ["cached disk fresh", "finished disk"])
        #expect(await bench.steps() == ["cached memory fresh", "finished memory"])
    }

    @Test(.requirement("O55", "O98")) func loweredMemoryLimitEvictsImagesImmediately() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.cacheImagesInMemory = true }
        _ = await bench.steps()
        try bench.loader.update { $0.memoryCacheMaxBytes = 19 * 13 * 4 - 1 }
        #expect(bench.loader.memoryStatistics.count == 0)
        _ = await bench.steps()
        #expect(bench.loader.memoryStatistics.count == 0)
        #expect(throws: LoadError.configuration("")) { try bench.loader.update { $0.memoryCacheMaxBytes = -1 } }
        #expect(bench.loader.configuration.memoryCacheMaxBytes == 19 * 13 * 4 - 1)
    }

    @Test(.requirement("C18")) func disablingTheMemoryCacheRemovesAllImagesFromMemory() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.cacheImagesInMemory = true }
        _ = await bench.steps()
        try bench.loader.update { $0.cacheImagesInMemory = false }
        #expect(bench.loader.memoryStatistics.bytes == 0)
        #expect(await bench.steps() == ["cached disk fresh", "finished disk"])
        #expect(bench.loader.memoryStatistics.bytes == 0)
    }

    @Test(.requirement("O2", "O98")) func changedCacheDirectoryAppliesToLaterLoads() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(reply)
        async let image = bench.loader.image(for: request)
        await gate.arrival()
        let path = bench.folder.path + "/elsewhere"
        try bench.loader.update { $0.cacheDirectory = path }
        gate.open()

        #expect(try await image.isStored)
        #expect(!bench.storedFiles.isEmpty)
        #expect(await bench.steps() == ["sending", "finished networkToDisk"])
        #expect(bench.folder.files.contains { $0.hasPrefix("elsewhere/v1/") })
    }

    @Test(.requirement("O46")) func purgeDuringALoadPreventsStoringItsImage() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(reply) { $0.cacheImagesInMemory = true }
        async let image = bench.loader.image(for: request)
        await gate.arrival()
        await bench.loader.purgeDisk()
        await bench.loader.purgeMemory()
        gate.open()

        #expect(try await !image.isStored)
        #expect(bench.storedFiles.isEmpty)
        #expect(bench.loader.memoryStatistics.count == 0)
        // A load that starts after the purge stores its image.
        #expect(try await bench.loader.image(for: request).isStored)
    }

    @Test(.requirement("O54")) func imagesInMemoryAreStaleAfterADiskPurge() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60, etag: "\"1\""), .status(304)) {
            $0.cacheImagesInMemory = true
        }
        _ = await bench.steps()
        #expect(await bench.loader.purgeDisk().count == 1)
        #expect(bench.loader.memoryStatistics.count == 1)
        #expect(
            await bench.steps() == [
                "cached memory stale", "sending after image", "finished networkNotModified",
            ])
        #expect(await bench.steps() == ["cached memory fresh", "finished memory"])
    }

    /// After its disk entry was purged, an image in memory is stale, even with `immutable` or the policy `cacheOnly`.
    @Test(.requirement("O54")) func memoryImageAfterADiskPurgeIsStaleDespiteImmutableAndCacheOnly() async throws {
        for directives in ["max-age=60, immutable", "max-age=60, must-revalidate"] {
            let bench = try LoaderBench(
                ScriptedTransport { request, _ in
                    if request.fields.contains("If-None-Match") { return .status(304) }
                    var reply = ScriptedReply.image(TestImage.first, etag: "\"1\"")
                    reply.fields.append("Cache-Control", directives)
                    return reply
                }
            ) { $0.cacheImagesInMemory = true }
            _ = await bench.steps()
            await bench.loader.purgeDisk()
            let mayBeStale = directives.hasSuffix("immutable")
            let cacheOnly = ImageRequest(url: LoaderBench.url, policy: .cacheOnly)
            #expect(
                await bench.steps(cacheOnly)
                    == (mayBeStale ? ["cached memory stale", "finished memory"] : ["failed notInCache"]))
            #expect(bench.loader.cachedImage(for: cacheOnly)?.isFresh == false)
            #expect(
                await bench.steps() == [
                    "cached memory stale", "sending after image", "finished networkNotModified",
                ])
            #expect(await bench.steps() == ["cached memory fresh", "finished memory"])
        }
    }

    /// Without conditional fields, the origin cannot respond with 304 for an image whose type is no longer accepted.
    @Test(.requirement("O43")) func storedImageOfANoLongerAcceptedTypeIsRequestedUnconditionally() async throws {
        for maxAge in [0, 60] {
            let transport = ScriptedTransport { request, _ in
                request.fields.contains("If-None-Match")
                    ? .status(304) : .image(TestImage.first, maxAge: maxAge, etag: "\"1\"")
            }
            let bench = try LoaderBench(transport)
            _ = await bench.steps()
            try bench.loader.update { $0.acceptedContentTypes = [.gif] }
            #expect(await bench.failure()?.code == .unacceptableContentType)
            #expect(await bench.steps() == ["sending", "failed unacceptableContentType"])
            #expect(transport.requests.count == 3)
            #expect(transport.requests.allSatisfy { !$0.fields.contains("If-None-Match") })
        }
    }

    @Test(.requirement("O46", "O87")) func memoryPurgeKeepsTheDiskEntry() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.cacheImagesInMemory = true }
        _ = await bench.steps()
        let report = await bench.loader.purgeMemory()
        #expect(report == RemovalReport(count: 1, bytes: 19 * 13 * 4))
        #expect(bench.loader.diskStatistics?.entries == 1)
    }

    @Test(.requirement("O44", "O45", "O49"))
    func oldFileWithARecentHitIsClearedByCreationDateAndNotByModificationDate() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        _ = await bench.steps()
        bench.clock.advance(86_400)
        #expect(await bench.loader.clearCachedFiles(createdOlderThan: .oneDay).count == 0)
        bench.clock.advance(1)
        _ = await bench.steps(ImageRequest(url: LoaderBench.url, policy: .cacheOnly))
        #expect(await bench.loader.clearCachedFiles(modifiedOlderThan: .oneDay).count == 0)
        #expect(await bench.loader.clearCachedFiles(createdOlderThan: .oneDay).count == 1)
    }

    @Test(.requirement("O56", "O95")) func removedImageIsLoadedFromTheNetworkAgain() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.cacheImagesInMemory = true }
        _ = await bench.steps()
        await bench.loader.removeImage(for: request)
        #expect(await bench.steps() == ["sending", "finished networkToDisk"])
    }

    @Test(.requirement("O75")) func bytesStoredByTheCallerAreFoundByALaterLoad() async throws {
        let bench = try LoaderBench(.offline)
        let fields: HeaderFields = ["Content-Type": "image/png", "Cache-Control": "max-age=60"]
        #expect(try await bench.loader.store(TestImage.first, fields: fields, for: request))
        #expect(await bench.steps() == ["cached disk fresh", "finished disk"])
        await #expect(throws: LoadError(.undecodable, "")) {
            try await bench.loader.store([1, 2, 3], fields: fields, for: ImageRequest(url: "http://example.com/b"))
        }
        #expect(bench.storedFiles.count == 1)
    }

    @Test(.requirement("O95")) func loadReadsAndWritesOnlyTheCacheLayersOfItsRequest() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.cacheImagesInMemory = true }
        var bare = request
        bare.layers = []
        for _ in 0..<2 { #expect(await bench.steps(bare) == ["sending", "finished networkToDisk"]) }
        #expect(bench.storedFiles.isEmpty)
        #expect(bench.loader.memoryStatistics.count == 0)
        _ = await bench.steps()
        var withoutMemory = request
        withoutMemory.layers = [.readsDisk]
        #expect(await bench.steps(withoutMemory) == ["cached disk fresh", "finished disk"])
    }

    @Test(.requirement("O93")) func staleWhileRevalidateDeliversTheStaleImageAndRefreshesIt() async throws {
        let gate = Gate()
        var first = ScriptedReply.image(TestImage.first)
        first.fields.append("Cache-Control", "max-age=10, stale-while-revalidate=60")
        var second = ScriptedReply.image(TestImage.second, maxAge: 60)
        second.headGate = gate
        let bench = try LoaderBench(ScriptedTransport(first, second))
        _ = await bench.steps()
        bench.clock.advance(11)

        for _ in 0..<3 {
            let stale = try await bench.loader.image(for: request)
            #expect(stale.source == .disk)
            #expect(!stale.isFresh)
            #expect(stale.bitmap.width == 19)
        }
        await gate.arrival()
        gate.open()
        await bench.waitUntil { bench.isIdle }

        #expect(bench.transport.requests.count == 2)
        let renewed = try await bench.loader.image(for: request)
        #expect(renewed.isFresh)
        #expect(renewed.bitmap.width == 11)
    }

    @Test(.requirement("O93")) func eventStreamEndsWithTheResultOfTheBackgroundRefresh() async throws {
        var first = ScriptedReply.image(TestImage.first)
        first.fields.append("Cache-Control", "max-age=10, stale-while-revalidate=60")
        let bench = try LoaderBench(
            ScriptedTransport(first, .status(500), .image(TestImage.second, maxAge: 60)))
        _ = await bench.steps()
        bench.clock.advance(11)
        // A failed refresh keeps the stale image.
        #expect(await bench.steps() == ["cached disk stale", "sending after image", "finished disk"])
        #expect(await bench.steps() == ["cached disk stale", "sending after image", "finished networkToDisk"])
    }

    @Test(.requirement("O78")) func dataIsStoredInACacheSeparateFromTheImageCache() async throws {
        var reply = ScriptedReply(fields: ["Content-Type": "application/json", "Cache-Control": "max-age=60"])
        reply.chunks = [Array("{}".utf8)]
        let bench = try LoaderBench(reply)
        let data = DataRequest(url: LoaderBench.url)

        let loaded = try await bench.loader.data(for: data)
        #expect(loaded.bytes == Array("{}".utf8))
        #expect(loaded.source == .networkToDisk)
        #expect(loaded.isStored)
        let again = try await bench.loader.data(for: data)
        #expect(again.bytes == loaded.bytes)
        #expect(again.source == .disk)
        #expect(bench.storedFiles.isEmpty)
        // An image load of this URL uses the image cache and sends a separate request.
        #expect(await bench.failure()?.code == .unacceptableContentType)
        #expect(bench.transport.requests.count == 2)
    }

    @Test(.requirement("O78")) func staleDataIsRevalidatedWithAConditionalRequest() async throws {
        let bench = try LoaderBench(.image([1, 2, 3], maxAge: 10, etag: "\"1\""), .status(304), .offline)
        let request = DataRequest(url: LoaderBench.url)
        _ = try await bench.loader.data(for: request)
        bench.clock.advance(11)
        let confirmed = try await bench.loader.data(for: request)
        #expect(confirmed.source == .networkNotModified)
        #expect(confirmed.bytes == [1, 2, 3])
        await #expect(throws: LoadError(.transport, "")) {
            try await bench.loader.data(for: DataRequest(url: LoaderBench.url, policy: .reload))
        }
    }

    @Test(.requirement("O8")) func responsesWithVaryAreStoredOncePerVariant() async throws {
        let bench = try LoaderBench(
            ScriptedTransport { request, _ in
                let isFirst = request.fields[lines: "Accept-Language"].first == Array("de".utf8)
                var reply = ScriptedReply.image(isFirst ? TestImage.first : TestImage.second, maxAge: 60)
                reply.fields.append("Vary", "Accept-Language")
                return reply
            }
        ) { $0.cacheImagesInMemory = true }
        for _ in 0..<3 {
            for (language, width) in [("de", 19), ("fr", 11)] {
                let request = ImageRequest(url: LoaderBench.url, fields: ["Accept-Language": language])
                #expect(try await bench.loader.image(for: request).bitmap.width == width)
            }
        }
        #expect(bench.transport.requests.count == 2)
    }

    /// Three loads of one stored image, two with equal decode options, while all decode threads are busy.
    @Test(.requirement("O91"), .timeLimit(.minutes(30)))
    func concurrentLoadsWithEqualDecodeOptionsDecodeOnce() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        _ = await bench.steps()
        let shared = bench.loader.images.shared
        let gate = DispatchSemaphore(value: 0)
        let running = Locked(0)
        let busy = (0..<shared.decodeQueue.width).map { _ in
            Task {
                try await shared.decodeQueue.run(priority: .high) { _ in
                    running.update { $0 += 1 }
                    gate.wait()
                }
            }
        }
        // Waits until all decode threads are busy; otherwise a decode could end before the other loads join it.
        await bench.waitUntil { running.value == busy.count }
        async let first = bench.loader.image(for: request)
        async let second = bench.loader.image(for: request)
        var stored = request
        stored.decodeOptions = .asStored
        let other = stored
        async let third = bench.loader.image(for: other)
        await bench.waitUntil { shared.decodes.count == 2 && shared.decodes.waiterTotal == 3 }
        for _ in busy { gate.signal() }

        #expect(try await [first.bitmap.width, second.bitmap.width, third.bitmap.width] == [19, 19, 19])
        #expect(try await first.bitmap.digest == second.bitmap.digest)
        for task in busy { try await task.value }
        #expect(bench.isIdle)
    }
}
