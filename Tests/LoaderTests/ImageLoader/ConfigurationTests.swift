import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Updates of a loader's configuration, property by property, and `invalidate()`.
@Suite(.timeLimit(.minutes(30))) struct ConfigurationTests {
    private let request = ImageRequest(url: LoaderBench.url)

    private typealias Change = @Sendable (inout ImageLoader.Configuration) -> Void

    /// A property, the replies, and the events of the loads before and after its change.
    private struct Row {
        let name: String
        var before: Change = { _ in }
        let change: Change
        var replies: [ScriptedReply] = [.image(TestImage.first, maxAge: 60)]
        var wait: Int64 = 0
        let first: [String]
        let second: [String]
    }

    private static let loaded = ["sending", "finished networkToDisk"]
    private static let fromDisk = ["cached disk fresh", "finished disk"]

    private var rows: [Row] {
        let stale = ScriptedReply.image(TestImage.first, maxAge: 10)
        let validated = ["cached disk stale", "sending after image", "finished networkToDisk"]
        return [
            Row(
                name: "useServerCachePolicy", change: { $0.useServerCachePolicy = false }, replies: [stale], wait: 11,
                first: Self.loaded, second: Self.fromDisk),
            Row(
                name: "defaultCacheControlMaxAge", change: { $0.defaultCacheControlMaxAge = .seconds(60) },
                replies: [.image(TestImage.first)], first: Self.loaded, second: Self.fromDisk),
            Row(
                name: "defaultCacheControlMaxAgeForErrors",
                before: {
                    $0.maxAttemptsForErrors = 1
                    $0.defaultCacheControlMaxAgeForErrors = .seconds(60)
                },
                change: { $0.defaultCacheControlMaxAgeForErrors = .zero }, replies: [.status(500)],
                first: ["sending", "failed http 500"], second: ["sending", "failed http 500"]),
            Row(
                name: "maxAttemptsForErrors", before: { $0.defaultCacheControlMaxAgeForErrors = .seconds(60) },
                change: { $0.maxAttemptsForErrors = 1 }, replies: [.status(500)],
                first: ["sending", "failed http 500"], second: ["failed remembered 500"]),
            Row(
                name: "staleIfError", change: { $0.staleIfError = .upTo(.seconds(60)) }, replies: [stale, .offline],
                wait: 11, first: Self.loaded, second: ["cached disk stale", "sending after image", "finished disk"]),
            Row(
                name: "deliversStaleBeforeValidation", change: { $0.deliversStaleBeforeValidation = false },
                replies: [stale], wait: 11, first: Self.loaded, second: Self.loaded),
            Row(
                name: "acceptedContentTypes", change: { $0.acceptedContentTypes = [.gif] }, first: Self.loaded,
                second: ["sending", "failed unacceptableContentType"]),
            Row(
                // A stored body over the limit is not read (X12).
                name: "maxResponseBytes", change: { $0.maxResponseBytes = 10 }, replies: [stale], wait: 11,
                first: Self.loaded, second: ["sending", "failed bodyTooLarge"]),
            Row(
                name: "maxDecodedBytes", change: { $0.maxDecodedBytes = 10 }, first: Self.loaded,
                second: ["failed pixelLimit"]),
            Row(
                name: "decodeLimits", change: { $0.decodeLimits.maxSide = 10 }, first: Self.loaded,
                second: ["failed pixelLimit"]),
            Row(
                name: "retry", change: { $0.retry = RetryPolicy(maxAttempts: 2, firstDelay: .zero) },
                replies: [.offline, .offline, .image(TestImage.first)], first: ["sending", "failed transport"],
                second: ["sending", "retrying 2 transport", "finished networkToDisk"]),
            Row(
                name: "maxRetryDelay", before: { $0.retry = RetryPolicy(maxAttempts: 2, firstDelay: .zero) },
                change: { $0.maxRetryDelay = .zero },
                replies: [
                    .status(503, ["Retry-After": "0"]), .image(TestImage.first),
                    .status(503, ["Retry-After": "1"]),
                ],
                first: ["sending", "retrying 2 http", "finished networkToDisk"],
                second: ["cached disk stale", "sending after image", "failed http 503"]),
            Row(
                name: "maxRedirects", change: { $0.maxRedirects = 0 },
                replies: [.status(302, ["Location": "/other"]), stale, .status(302, ["Location": "/other"])],
                first: ["sending", "finished networkToDisk"], second: ["sending", "failed redirect"]),
            Row(
                name: "negativeCacheMaxAge",
                before: { $0.negativeCacheMaxAge = .seconds(60) }, change: { $0.negativeCacheMaxAge = nil },
                replies: [.status(404)], first: ["sending", "failed http 404"], second: ["sending", "failed http 404"]),
            Row(
                name: "basicAuth", change: { $0.basicAuth = try? BasicAuth(user: "a", password: "b") },
                first: Self.loaded, second: Self.loaded),
            Row(
                name: "credentialOrigins", before: { $0.basicAuth = try? BasicAuth(user: "a", password: "b") },
                change: { $0.credentialOrigins = Set([Origin("http://other.example")].compactMap { $0 }) },
                first: Self.loaded, second: Self.loaded),
            Row(
                name: "cacheDirectory", change: { $0.cacheDirectory = nil }, first: Self.loaded, second: Self.loaded),
            Row(
                name: "clock", change: { $0.clock = { WallTime(seconds: 1_900_000_000) } }, first: Self.loaded,
                second: validated),
        ]
    }

    @Test(.requirement("O98")) func updatedSettingsApplyToLaterLoads() async throws {
        for row in rows {
            let replies = row.replies
            let bench = try LoaderBench(
                ScriptedTransport { _, number in replies[min(number, replies.count) - 1] }, row.before)
            #expect(await bench.steps() == row.first, "\(row.name)")
            bench.clock.advance(row.wait)
            try bench.loader.update(row.change)
            #expect(await bench.steps() == row.second, "\(row.name)")
        }
    }

    @Test(.requirement("O98")) func updatedSettingsDoNotApplyToLoadsInProgress() async throws {
        for row in rows where row.name != "retry" && row.name != "maxRetryDelay" {
            let gate = Gate()
            let replies = row.replies
            let bench = try LoaderBench(
                ScriptedTransport { _, number in
                    var reply = replies[min(number, replies.count) - 1]
                    if number == 1 { reply.headGate = gate }
                    return reply
                }, row.before)
            async let steps = bench.steps()
            await gate.arrival()
            try bench.loader.update(row.change)
            gate.open()
            #expect(await steps == row.first, "\(row.name)")
        }
    }

    @Test(.requirement("O98")) func updatedMemoryAndDiskCacheSettingsApplyImmediately() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        #expect(await bench.steps() == Self.loaded)
        #expect(bench.loader.memoryStatistics.count == 0)
        try bench.loader.update { $0.cacheImagesInMemory = true }
        #expect(await bench.steps() == Self.fromDisk)
        #expect(await bench.steps() == ["cached memory fresh", "finished memory"])
        #expect(bench.loader.cachedImage(for: request)?.encodedData == nil)
        try bench.loader.update { $0.memoryCacheMaxBytes = 0 }
        #expect(bench.loader.memoryStatistics.bytes == 0)
        try bench.loader.update {
            $0.memoryCacheMaxBytes = 1 << 20
            $0.retainsEncodedData = true
        }
        #expect(await bench.steps() == Self.fromDisk)
        #expect(bench.loader.cachedImage(for: request)?.encodedData == TestImage.first)

        try bench.loader.update { $0.diskCacheMaxBytes = 0 }
        await bench.loader.flush()
        #expect(bench.storedFiles.isEmpty)
    }

    @Test(.requirement("O98")) func raisingUrgentWidthOrSlowWidthStartsLoadsThatWait() async throws {
        let bench = try LoaderBench(
            ScriptedTransport { _, _ in
                var reply = ScriptedReply.image(TestImage.first)
                reply.headGate = Gate()
                return reply
            }
        ) {
            $0.urgentWidth = 1
            $0.slowWidth = 1
        }
        let lanes = bench.loader.images.shared.lanes
        for priority in [LoadPriority.slow, .urgent] {
            let tasks = (0..<3).map { number in
                var request = ImageRequest(url: "http://example.com/\(priority) \(number)".replacing(" ", with: "-"))
                request.priority = priority
                return bench.loader.loadImage(with: request)
            }
            let waiting =
                priority == .urgent
                ? LaneCounts(urgentWaiting: 2, urgentRunning: 1) : LaneCounts(slowWaiting: 2, slowRunning: 1)
            let running = priority == .urgent ? LaneCounts(urgentRunning: 3) : LaneCounts(slowRunning: 3)
            await bench.waitUntil { lanes.counts == waiting }
            try bench.loader.update {
                if priority == .urgent { $0.urgentWidth = 3 } else { $0.slowWidth = 3 }
            }
            #expect(lanes.counts == running)
            for task in tasks {
                task.cancel()
                await task.waitUntilFinished()
            }
            await bench.waitUntil { bench.isIdle }
        }
    }

    @Test(.requirement("O59", "O98")) func changeOfKeepsDownloadingWhenCancelledAppliesOnlyToLaterLoads() async throws {
        for keeps in [true, false] {
            let gate = Gate()
            var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
            reply.headGate = gate
            let bench = try LoaderBench(reply) { $0.keepsDownloadingWhenCancelled = !keeps }
            try bench.loader.update { $0.keepsDownloadingWhenCancelled = keeps }
            let task = Task { await bench.failure() }
            await gate.arrival()
            try bench.loader.update { $0.keepsDownloadingWhenCancelled = !keeps }
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            gate.open()
            await bench.waitUntil { bench.isIdle }
            #expect(bench.storedFiles.isEmpty == !keeps)
        }
    }

    @Test(.requirement("O5", "O58", "O98")) func updateWithAnInvalidValueThrowsAndChangesNothing() throws {
        let bench = try LoaderBench(.offline)
        let changes: [Change] = [
            { $0.trustAnySSLCertificate = true }, { $0.memoryCacheMaxBytes = -1 }, { $0.memoryCacheMaxCount = 0 },
            { $0.diskCacheMaxBytes = -1 }, { $0.urgentWidth = 0 }, { $0.slowWidth = 0 }, { $0.maxRedirects = -1 },
            { $0.maxDecodedBytes = 0 }, { $0.maxInFlightDecodedBytes = 0 }, { $0.maxResponseBytes = -1 },
            { $0.connectTimeout = .seconds(-1) }, { $0.maxRetryDelay = .seconds(-1) },
            { $0.defaultCacheControlMaxAge = .seconds(-1) }, { $0.negativeCacheMaxAge = .seconds(-1) },
        ]
        for change in changes {
            #expect(throws: LoadError.configuration("")) {
                try bench.loader.update {
                    $0.maxAttemptsForErrors = 77
                    change(&$0)
                }
            }
            #expect(bench.loader.configuration.maxAttemptsForErrors == 3)
        }
    }

    @Test(.requirement("O98")) func concurrentConfigurationUpdatesAreAllApplied() async throws {
        let bench = try LoaderBench(.offline)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try? bench.loader.update { $0.maxRedirects += 1 } } }
        }
        #expect(bench.loader.configuration.maxRedirects == 70)
    }

    /// Records the settings of each request.
    private final class Recorder: HTTPTransport {
        let asked = Locked<[(trust: TrustSettings, timeouts: TransportTimeouts)]>([])

        func validate(_ trust: TrustSettings) throws(LoadError) {}

        func send(
            _ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts
        ) async throws -> HTTPResponse {
            asked.update { $0.append((trust, timeouts)) }
            throw LoadError.transport("no route")
        }
    }

    @Test(.requirement("O58", "O98"))
    func transportReceivesTheTrustAndTimeoutsConfiguredWhenALoadBegins() async throws {
        var configuration = ImageLoader.Configuration()
        configuration.cacheDirectory = nil
        configuration.dataDirectory = nil
        let recorder = Recorder()
        let loader = try ImageLoader(configuration: configuration, transport: recorder)
        _ = try? await loader.image(for: request)
        try loader.update {
            $0.trustAnySSLCertificate = true
            $0.trustedHosts = ["a"]
            $0.additionalTrustRoots = ["b"]
            $0.connectTimeout = .seconds(1)
            $0.idleTimeout = .seconds(2)
            $0.totalTimeout = .seconds(3)
        }
        _ = try? await loader.image(for: request)
        _ = try? await loader.data(for: DataRequest(url: LoaderBench.url))

        let asked = recorder.asked.value
        #expect(asked.map(\.trust.trustAnySSLCertificate) == [false, true, true])
        #expect(asked.map(\.trust.trustedHosts) == [[], ["a"], ["a"]])
        #expect(asked.map(\.trust.additionalTrustRoots) == [[], ["b"], ["b"]])
        #expect(asked.map(\.timeouts.connect) == [.seconds(10), .seconds(1), .seconds(1)])
        #expect(asked.map(\.timeouts.idle) == [.seconds(60), .seconds(2), .seconds(2)])
        #expect(asked.map(\.timeouts.total) == [nil, .seconds(3), .seconds(3)])
    }

    @Test(.requirement("O78", "O98")) func changedDataDirectoryAppliesToLaterLoads() async throws {
        let bench = try LoaderBench(.image([1, 2, 3], maxAge: 60))
        let data = DataRequest(url: LoaderBench.url)
        #expect(try await bench.loader.data(for: data).isStored)
        let path = bench.folder.path + "/elsewhere"
        try bench.loader.update { $0.dataDirectory = path }
        #expect(try await bench.loader.data(for: data).source == .networkToDisk)
        #expect(bench.folder.files.contains { $0.hasPrefix("elsewhere/v1/") })
        try bench.loader.update { $0.dataDirectory = nil }
        #expect(try await !bench.loader.data(for: data).isStored)
    }

    /// Changes the settings that are documented as fixed when the loader is created.
    @Test(.requirement("O98")) func updatesOfSettingsFixedAtCreationAreIgnored() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) {
            $0.cacheImagesInMemory = true
            $0.memoryCacheMaxCount = 1
        }
        try bench.loader.update {
            $0.memoryCacheMaxCount = 5
            $0.maxInFlightDecodedBytes = 1_000_000_000
        }
        for name in ["a", "b", "c"] { _ = await bench.steps(ImageRequest(url: "http://example.com/" + name)) }
        #expect(bench.loader.memoryStatistics.count == 1)
        #expect(bench.loader.images.shared.decodeQueue.budget.maxBytes == 536_870_912)
    }

    @Test func loadsOfAnInvalidatedLoaderFailDespiteAConfigurationUpdate() async throws {
        let gate = Gate()
        let bench = try LoaderBench(
            ScriptedTransport { _, number in
                var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
                if number == 2 { reply.headGate = gate }
                return reply
            }
        ) { $0.cacheImagesInMemory = true }
        #expect(await bench.steps() == Self.loaded)
        let other = ImageRequest(url: "http://example.com/other")
        async let underWay = bench.loader.image(for: other)
        await gate.arrival()

        bench.loader.invalidate()
        bench.loader.invalidate()
        try bench.loader.update { $0.maxRedirects = 3 }
        #expect(await bench.failure()?.code == .configuration)
        #expect(await bench.steps() == ["failed configuration"])
        await #expect(throws: LoadError.configuration("")) {
            try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
        }
        let prefetch = bench.loader.prefetch([ImageRequest(url: "http://example.com/third")])
        #expect(await prefetch.waitUntilFinished().failed == 1)
        gate.open()

        #expect(try await underWay.source == .networkToDisk)
        #expect(bench.loader.cachedImage(for: request)?.isFresh == true)
        #expect(bench.transport.requests.count == 2)
        #expect(bench.isIdle)
    }
}
