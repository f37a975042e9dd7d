import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite(.timeLimit(.minutes(30))) struct LoaderEventTests {
    private let listener = ReportListener()
    private let shown = LoaderBench.url

    private func bench(
        _ categories: LoaderEvent.Categories, _ replies: ScriptedReply...,
        change: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) throws -> LoaderBench {
        let transport = ScriptedTransport { _, number in replies[min(number, replies.count) - 1] }
        return try LoaderBench(transport) { configuration in
            listener.listen(&configuration, to: categories)
            change(&configuration)
        }
    }

    @Test(.requirement("O17")) func cacheMissOfALoadIsReportedOnceAndHitsAreNotReported() async throws {
        let bench = try bench(.cache, .image(TestImage.first, maxAge: 10))

        await bench.load()
        await bench.loader.flush()
        #expect(listener.events == [LoaderEvent(kind: .cacheMiss, url: shown, isLogged: true)])

        // Fresh hits, stale hits and reloads are not reported as misses.
        await bench.load()
        bench.clock.advance(11)
        await bench.load()
        await bench.load(shown, .reload)
        await bench.loader.flush()
        #expect(listener.events.count == 1)
        #expect(bench.loader.statistics.misses == 1)
    }

    @Test(.requirement("O17"), arguments: [CachePolicy.default, .revalidate, .cacheElseLoad, .cacheOnly])
    func everyCachePolicyThatReadsTheCacheReportsAMiss(_ policy: CachePolicy) async throws {
        let bench = try bench(.cache, .image(TestImage.first, maxAge: 10))

        await bench.load(shown, policy)
        await bench.loader.flush()

        #expect(listener.kinds == [.cacheMiss])
    }

    @Test(.requirement("O17")) func requestThatBypassesTheCacheReportsNoCacheMiss() async throws {
        let bench = try bench(.cache, .image(TestImage.first, maxAge: 10))
        var writeOnly = ImageRequest(url: shown)
        writeOnly.layers = [.writesMemory, .writesDisk]

        await bench.load(shown + "?reload", .reload)
        _ = await bench.failure(ImageRequest(url: shown + "?own", fields: ["If-None-Match": "\"1\""]))
        _ = await bench.failure(writeOnly)
        await bench.loader.flush()

        #expect(listener.events.isEmpty)
        #expect(bench.loader.statistics.misses == 0)
        #expect(bench.transport.requests.count == 3)
    }

    @Test(.requirement("O17")) func redirectedLoadReportsOneCacheMiss() async throws {
        let listener = listener
        let bench = try LoaderBench(
            ScriptedTransport { request, _ in
                request.url == LoaderBench.url
                    ? .status(302, ["Location": "/end.png"]) : .image(TestImage.first, maxAge: 60)
            }
        ) { listener.listen(&$0, to: .cache) }

        await bench.load()
        await bench.loader.flush()

        #expect(listener.events == [LoaderEvent(kind: .cacheMiss, url: shown, isLogged: true)])
    }

    @Test(
        .requirement("O63"),
        arguments: [
            ([:], .neitherETagNorLifetime), (["ETag": "\"1\""], .etagOnly),
            (["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], .neitherETagNorLifetime),
            (["Cache-Control": "max-age=0"], nil), (["Cache-Control": "no-store"], nil),
            (["ETag": "\"1\"", "Cache-Control": "no-cache"], nil), (["Expires": "0"], nil),
        ] as [(HeaderFields, CachePolicyWarning?)])
    func missingCacheFieldsAreReportedOncePerURL(_ fields: HeaderFields, _ warning: CachePolicyWarning?) async throws {
        var reply = ScriptedReply.image(TestImage.first)
        reply.fields = HeaderFields(reply.fields.lines + fields.lines)
        let bench = try bench(.cache, reply)

        // One warning per URL, whatever later responses contain.
        for _ in 1...3 { await bench.load(shown, .reload) }
        await bench.loader.flush()

        let expected = warning.map { [LoaderEvent(kind: .cachePolicyWarning($0), url: shown, isLogged: true)] } ?? []
        #expect(listener.events == expected)
        #expect(bench.transport.requests.count == 3)
    }

    @Test(.requirement("O63")) func cachePolicyWarningIsReportedOncePerURLAndOnlyWithServerCachePolicy() async throws {
        for (isServers, count) in [(true, 2), (false, 0)] {
            listener.clear()
            let bench = try bench(.cache, .image(TestImage.first)) { $0.useServerCachePolicy = isServers }
            for path in ["a", "b", "a", "b"] { await bench.load("http://example.com/\(path)", .reload) }
            await bench.loader.flush()
            #expect(listener.events.count == count)
        }
    }

    @Test(.requirement("O63")) func fullListOfWarnedURLsEvictsTheLeastRecentlyUsedURL() {
        let reporter = LoadReporter(ImageLoader.Configuration())
        let most = LoadReporter.maxWarnedURLs
        for number in 0..<most { #expect(reporter.isFirstWarning(of: "\(number)")) }
        #expect(!reporter.isFirstWarning(of: "\(most - 1)"))
        // A further URL evicts the least recently used URL, "0", so the next warning of "0" is again the first one.
        #expect(reporter.isFirstWarning(of: "new"))
        #expect(reporter.isFirstWarning(of: "0"))
    }

    @Test(.requirement("O72")) func everyRetryAndTheFinalFailureAreReported() async throws {
        let bench = try bench(.error, .status(503)) { $0.retry = RetryPolicy(maxAttempts: 3, firstDelay: .zero) }

        await bench.load()
        await bench.loader.flush()

        #expect(
            listener.kinds == [
                .retrying(attempt: 2, delay: .zero, code: .http), .retrying(attempt: 3, delay: .zero, code: .http),
                .failed(code: .http, status: 503, isFatal: false, message: "status 503"),
            ])
        #expect(listener.events.allSatisfy { $0.url == shown })
        #expect(bench.loader.statistics.retries == 2)
    }

    @Test(.requirement("O72")) func failedLoadIsReportedOnceAndACancelledLoadIsNotReported() async throws {
        let bench = try bench(.error, .status(404))
        await bench.load()
        await bench.loader.flush()
        #expect(listener.kinds == [.failed(code: .http, status: 404, isFatal: true, message: "status 404")])

        listener.clear()
        let task = Task { await bench.load() }
        task.cancel()
        await task.value
        _ = await bench.loader.loadImage(with: ImageRequest(url: "")).waitUntilFinished()
        await bench.loader.flush()
        // The load may have failed before it was cancelled.
        let codes = listener.kinds.map { kind -> String in
            if case .failed(let code, _, _, _) = kind { code.description } else { "\(kind)" }
        }
        #expect(codes.last == "invalidURL")
        #expect(!codes.contains("cancelled"))
    }

    @Test(.requirement("O72")) func failedBackgroundRefreshIsReported() async throws {
        var reply = ScriptedReply.image(TestImage.first, etag: "\"1\"")
        reply.fields.append("Cache-Control", "max-age=1, stale-while-revalidate=60")
        let bench = try bench(.error, reply, .status(500))
        await bench.load()
        bench.clock.advance(2)

        #expect(await bench.failure() == nil)
        await bench.waitUntil { bench.isIdle }
        await bench.loader.flush()

        #expect(listener.kinds == [.failed(code: .http, status: 500, isFatal: false, message: "status 500")])
    }

    @Test(.requirement("O77")) func memoryPressureReliefReportsTheReleasedBytesAndKeepsTheMemoryLimit() async throws {
        let bench = try bench(.memory, .image(TestImage.first, maxAge: 60)) { $0.cacheImagesInMemory = true }
        await bench.load()

        bench.loader.relieveMemoryPressure(to: 1)
        bench.loader.relieveMemoryPressure(to: 0)
        await bench.loader.flush()

        #expect(listener.kinds == [.memoryRelieved(bytes: 0), .memoryRelieved(bytes: 19 * 13 * 4)])
        #expect(bench.loader.configuration.memoryCacheMaxBytes == 26_214_400)
        // The image is loaded from disk and stored in memory again.
        #expect(await bench.steps() == ["cached disk fresh", "finished disk"])
        #expect(bench.loader.memoryStatistics.count == 1)
    }

    @Test(.requirement("O46", "O80")) func removalsAndPurgesAreReported() async throws {
        let bench = try bench([.cache, .memory], .image(TestImage.first, maxAge: 60)) {
            $0.cacheImagesInMemory = true
        }
        let request = ImageRequest(url: shown)
        await bench.load()
        await bench.loader.removeImage(for: request)
        await bench.load()
        let bytes = bench.loader.diskStatistics?.bytes ?? 0
        await bench.loader.purgeMemory()
        await bench.loader.purgeDisk()
        await bench.loader.flush()

        #expect(
            listener.kinds == [
                .cacheMiss, .imageRemoved, .cacheMiss, .memoryPurged(count: 1, bytes: 19 * 13 * 4),
                .filesRemoved(count: 1, bytes: bytes),
            ])
    }

    @Test(.requirement("O80")) func onlyEventsOfTheConfiguredCategoriesAreReported() async throws {
        let all = try await scenario(.all)
        let each: [LoaderEvent.Categories] = [.request, .response, .cache, .error, .memory]
        for category in each {
            let alone = try await scenario(category)
            #expect(!alone.isEmpty)
            #expect(alone.allSatisfy { $0.category == category })
            #expect(alone.map(summary) == all.filter { $0.category == category }.map(summary))
        }
        #expect(try await scenario([]).isEmpty)
        #expect(
            try await scenario([.request, .memory]).count == all.count { [.request, .memory].contains($0.category) })
        #expect(ImageLoader.Configuration().eventCategories == [.cache, .error])
    }

    /// A miss, a 304, a failure and a purge.
    private func scenario(_ categories: LoaderEvent.Categories) async throws -> [LoaderEvent] {
        let listener = ReportListener()
        let bench = try LoaderBench(
            ScriptedTransport(.image(TestImage.first, maxAge: 10, etag: "\"1\""), .status(304), .status(404))
        ) { listener.listen(&$0, to: categories) }
        await bench.load()
        bench.clock.advance(11)
        await bench.load()
        await bench.load("http://example.com/missing.png")
        await bench.loader.purgeMemory()
        await bench.loader.flush()
        return listener.events
    }

    /// The event as text, without its times.
    private func summary(_ event: LoaderEvent) -> String {
        if case .responseReceived(let status, let bytes, _) = event.kind { return "response \(status) \(bytes)" }
        return "\(event.kind) \(event.url ?? "")"
    }

    @Test(.requirement("O80"))
    func requestEventContainsTheAttemptNumberAndResponseEventContainsStatusAndByteCount() async throws {
        let bench = try bench(
            [.request, .response], .image(TestImage.first, maxAge: 10, etag: "\"1\""), .status(304))
        await bench.load()
        bench.clock.advance(11)
        await bench.load()
        await bench.loader.flush()

        #expect(
            listener.events.map(summary) == [
                "requestSent(attempt: 1) \(shown)", "response 200 \(TestImage.first.count)",
                "requestSent(attempt: 1) \(shown)", "response 304 0",
            ])
    }

    @Test(.requirement("O2")) func unusableCacheDirectoryIsReportedOnceAndLoadsSucceed() async throws {
        let folder = try DiskFolder()
        try Data([1]).write(to: URL(fileURLWithPath: folder.path + "/file"))
        let directory = folder.path + "/file/images"
        let listener = listener
        let bench = try LoaderBench(ScriptedTransport(.image(TestImage.first, maxAge: 60)), in: folder) {
            listener.listen(&$0, to: .error)
            $0.cacheDirectory = directory
        }

        for _ in 1...3 { #expect(await bench.failure() == nil) }
        await bench.loader.flush()

        #expect(listener.events.count == 1)
        guard case .diskFault(.foreignObject, directory, _)? = listener.kinds.first else {
            Issue.record("\(listener.kinds)")
            return
        }
    }

    @Test func diskCacheWithoutALimitIsReportedAtCreationAndWhenTheLimitIsRemoved() async throws {
        let folder = try DiskFolder()
        let listener = listener
        let images = LoaderEvent.Kind.diskCacheUnlimited(directory: folder.path + "/images")
        let data = LoaderEvent.Kind.diskCacheUnlimited(directory: folder.path + "/data")
        let bench = try LoaderBench(ScriptedTransport(.image(TestImage.first)), in: folder) {
            listener.listen(&$0, to: .cache)
            $0.diskCacheMaxBytes = nil
        }
        await bench.loader.flush()
        #expect(listener.kinds == [images, data])
        #expect(listener.lines.map(\.message) == ["disk cache has no size limit", "disk cache has no size limit"])

        listener.clear()
        try bench.loader.update { $0.diskCacheMaxBytes = 1_000 }
        try bench.loader.update { $0.urgentWidth = 9 }
        await bench.loader.flush()
        #expect(listener.kinds.isEmpty)

        try bench.loader.update { $0.diskCacheMaxBytes = nil }
        try bench.loader.update { $0.urgentWidth = 8 }
        await bench.loader.flush()
        #expect(listener.kinds == [images, data])

        listener.clear()
        let other = folder.path + "/other"
        try bench.loader.update { $0.cacheDirectory = other }
        await bench.loader.flush()
        #expect(listener.kinds == [.diskCacheUnlimited(directory: other)])
    }

    @Test func diskCacheWithALimitOrWithoutADirectoryIsNotReportedAsUnlimited() async throws {
        let listener = listener
        for change in [
            { $0.diskCacheMaxBytes = 1 },
            { ($0.cacheDirectory, $0.dataDirectory, $0.diskCacheMaxBytes) = (nil, nil, nil) },
        ] as [(inout ImageLoader.Configuration) -> Void] {
            let bench = try LoaderBench(ScriptedTransport(.image(TestImage.first))) {
                listener.listen(&$0, to: .all)
                change(&$0)
            }
            await bench.loader.flush()
        }
        #expect(listener.kinds.isEmpty)
    }
}
