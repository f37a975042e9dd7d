import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite(.timeLimit(.minutes(30))) struct LoadRecordTests {
    private let listener = ReportListener()

    private func bench(
        _ transport: ScriptedTransport, _ change: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) throws -> LoaderBench {
        try LoaderBench(transport) { configuration in
            listener.listen(&configuration, to: [])
            change(&configuration)
        }
    }

    /// A record as text, without its times.
    private func summary(_ record: LoadRecord) -> String {
        let end = record.outcome.map { "\($0)" } ?? (record.isFresh ? "fresh" : "stale")
        let status = record.status.map { "\($0)" } ?? "-"
        return "\(record.content) \(record.source) \(end) \(status) \(record.attempts) \(record.bytes)"
    }

    @Test(.requirement("O96")) func everyLoadReportsOneRecordWithItsResult() async throws {
        let first = TestImage.first
        let moved = ScriptedReply.status(302, ["Location": "/picture.png"])
        let bench = try bench(
            ScriptedTransport { request, number in
                if request.url.hasSuffix("missing.png") { return .status(404) }
                if request.url.hasSuffix("moved.png") { return moved }
                if request.url.hasSuffix("offline.png") { return .offline }
                if request.url.hasSuffix("bytes") { return .image(first) }
                return number == 1 ? .image(first, maxAge: 10, etag: "\"1\"") : .status(304)
            }
        ) { $0.cacheImagesInMemory = true }
        let (loader, size) = (bench.loader, first.count)
        let site = "http://example.com/"

        await bench.load()  // from the network
        await bench.load()  // from memory, fast lookup
        _ = await bench.steps()  // from memory, full lookup
        await loader.purgeMemory()
        await bench.load()  // from disk
        bench.clock.advance(11)
        await bench.load()  // revalidated
        await bench.load(site + "missing.png")
        await bench.load(site + "offline.png")
        await bench.load(site + "none.png", .cacheOnly)
        await bench.load("nonsense")
        await bench.load(site + "moved.png")  // redirects to the revalidated image
        _ = try await loader.data(for: DataRequest(url: site + "bytes"))
        await loader.flush()

        #expect(
            listener.records.map(summary) == [
                "image networkToDisk fresh 200 1 \(size)", "image memory fresh 200 0 0", "image memory fresh 200 0 0",
                "image disk fresh 200 0 0", "image networkNotModified fresh 200 1 0", "image none http 404 1 0",
                "image none transport - 1 0", "image none notInCache - 0 0", "image none invalidURL - 0 0",
                "image memory fresh 200 1 0", "data networkToDisk fresh 200 1 \(size)",
            ])
        #expect(listener.events.isEmpty)
        #expect(loader.statistics.memoryHits == 3)
        #expect(loader.statistics.diskHits == 1)
        #expect(loader.statistics.failures == 4)
    }

    @Test(.requirement("O96")) func loaderStatisticsEqualTheSumsOfTheLoadRecords() async throws {
        let first = TestImage.first
        let bench = try bench(
            ScriptedTransport(
                .image(first, maxAge: 10, etag: "\"1\""), .status(304), .status(503), .image(first), .status(404))
        ) {
            $0.cacheImagesInMemory = true
            $0.retry = RetryPolicy(maxAttempts: 2, firstDelay: .zero)
        }
        #expect(bench.loader.statistics == LoaderStatistics())

        await bench.load()
        await bench.load()
        await bench.loader.purgeMemory()
        await bench.load()
        bench.clock.advance(11)
        await bench.load()
        await bench.load("http://example.com/b")  // 503, then the image
        await bench.load("http://example.com/c")  // 404
        await bench.loader.flush()

        let statistics = bench.loader.statistics
        #expect(statistics.network == 2)
        #expect(statistics.memoryHits == 1)
        #expect(statistics.diskHits == 1)
        #expect(statistics.revalidated == 1)
        #expect(statistics.failures == 1)
        #expect(statistics.cancellations == 0)
        #expect(statistics.misses == 3)
        #expect(statistics.loads == listener.records.count)
        #expect(statistics.requests == bench.transport.requests.count)
        #expect(statistics.requests == listener.records.reduce(0) { $0 + $1.attempts })
        #expect(statistics.retries == 1)
        #expect(statistics.bytesReceived == 2 * first.count)
        #expect(statistics.bytesReceived == listener.records.reduce(0) { $0 + $1.bytes })
        #expect(statistics.decodes == 3)
        #expect(statistics.decodeNanoseconds > 0)
        #expect(statistics.reportsDropped == 0)
    }

    @Test(.requirement("O96")) func recordedTimingsAreWithinTheDurationOfTheLoad() async throws {
        let bench = try bench(ScriptedTransport(.image(TestImage.first, maxAge: 10, etag: "\"1\""), .status(304)))
        await bench.load()
        await bench.load()
        bench.clock.advance(11)
        await bench.load()
        await bench.loader.flush()

        let records = listener.records
        try #require(records.count == 3)
        for record in records {
            let timings = record.timings
            #expect(timings.lookup + timings.network <= record.duration)
            #expect(timings.queue + timings.firstByte + timings.transfer <= timings.network)
            #expect(timings.disk <= timings.lookup + timings.network)
            #expect(timings.disk > .zero)
        }
        let (loaded, hit, confirmed) = (records[0].timings, records[1].timings, records[2].timings)
        #expect(loaded.firstByte > .zero && loaded.transfer > .zero && loaded.decode > .zero)
        #expect(hit.network == .zero && hit.queue == .zero && hit.firstByte == .zero && hit.transfer == .zero)
        #expect(hit.decode > .zero)
        #expect(confirmed.firstByte > .zero)
        // The delivered image has timings as well.
        #expect(try await bench.loader.image(for: ImageRequest(url: LoaderBench.url)).timings.disk > .zero)
    }

    @Test(.requirement("O96")) func sharedDownloadIsInTheRecordOfEachLoadAndCountedOnceInTheStatistics() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try bench(ScriptedTransport(reply))
        let request = ImageRequest(url: LoaderBench.url)
        let tasks = (1...5).map { _ in bench.loader.loadImage(with: request) }
        // All loads have joined when each has reported that the request was sent.
        await bench.waitUntil { tasks.allSatisfy(\.didSendRequest) }
        gate.open()
        for task in tasks { await task.waitUntilFinished() }
        await bench.loader.flush()

        let expected = "image networkToDisk fresh 200 1 \(TestImage.first.count)"
        #expect(listener.records.map(summary) == Array(repeating: expected, count: 5))
        #expect(bench.loader.statistics.requests == 1)
        #expect(bench.loader.statistics.bytesReceived == TestImage.first.count)
        #expect(bench.loader.statistics.network == 5)
    }

    @Test(.requirement("O96")) func loaderStatisticsCountWaitingAndRunningLoads() async throws {
        let bench = try bench(ScriptedTransport(ScriptedReply(chunks: [[1]], ending: .stalled))) { $0.urgentWidth = 1 }
        var slow = ImageRequest(url: "http://example.com/slow.png")
        slow.priority = .slow
        let addresses = ["a", "b", "c"].map { ImageRequest(url: "http://example.com/\($0)") }
        var tasks = addresses.map { bench.loader.loadImage(with: $0) }
        // The slow load must begin after two urgent loads are waiting; otherwise it would run immediately.
        await bench.waitUntil { bench.loader.statistics.urgentWaiting == 2 }
        tasks.append(bench.loader.loadImage(with: slow))
        await bench.waitUntil {
            let now = bench.loader.statistics
            return (now.urgentRunning, now.urgentWaiting, now.slowRunning, now.slowWaiting) == (1, 2, 0, 1)
        }

        for task in tasks { task.cancel() }
        for task in tasks { await task.waitUntilFinished() }
        await bench.waitUntil { bench.isIdle }
        await bench.loader.flush()

        let statistics = bench.loader.statistics
        #expect(statistics.cancellations == 4)
        #expect(statistics.failures == 0)
        #expect(statistics.urgentRunning + statistics.urgentWaiting + statistics.slowRunning == 0)
        #expect(statistics.slowWaiting == 0)
        #expect(statistics.decodesWaiting == 0)
        #expect(listener.records.map(\.outcome) == Array(repeating: .cancelled, count: 4))
    }

    @Test(.requirement("O96")) func loaderStatisticsCountLoadsWithoutARecordSink() async throws {
        let bench = try bench(ScriptedTransport(.image(TestImage.first, maxAge: 60))) { $0.recordSink = nil }
        await bench.load()
        await bench.loader.flush()
        #expect(listener.records.isEmpty)
        #expect(bench.loader.statistics.loads == 1)
    }
}
