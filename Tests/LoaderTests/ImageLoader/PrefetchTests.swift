import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite(.timeLimit(.minutes(30))) struct PrefetchTests {
    private static func request(_ name: String) -> ImageRequest { ImageRequest(url: "http://example.com/" + name) }

    private func requests(_ count: Int) -> [ImageRequest] { (0..<count).map { Self.request("\($0)") } }

    private func bench(_ change: (inout ImageLoader.Configuration) -> Void = { _ in }) throws -> LoaderBench {
        try origin(change) { _, _ in .image(TestImage.first, maxAge: 60) }
    }

    private func origin(
        _ change: (inout ImageLoader.Configuration) -> Void = { _ in },
        _ answer: @escaping @Sendable (HTTPRequest, Int) -> ScriptedReply
    ) throws -> LoaderBench {
        try LoaderBench(ScriptedTransport(answer)) {
            $0.cacheImagesInMemory = true
            change(&$0)
        }
    }

    private func counts(_ total: Int, done: Int = 0, failed: Int = 0, skipped: Int = 0) -> Prefetch.Counts {
        var counts = Prefetch.Counts()
        (counts.total, counts.done, counts.failed, counts.skipped) = (total, done, failed, skipped)
        return counts
    }

    @Test(.requirement("O89")) func loadsAfterAPrefetchAreMemoryHits() async throws {
        let bench = try bench()
        let prefetch = bench.loader.prefetch(requests(5))
        #expect(await prefetch.waitUntilFinished() == counts(5, done: 5))
        #expect(bench.loader.memoryStatistics.count == 5)
        for request in requests(5) {
            #expect(await bench.steps(request) == ["cached memory fresh", "finished memory"])
        }
        #expect(bench.transport.requests.map(\.url) == requests(5).map(\.url))
        #expect(bench.isIdle)
    }

    @Test(.requirement("O89")) func prefetchToDiskStoresNoBitmapsInMemory() async throws {
        let bench = try bench()
        #expect(await bench.loader.prefetch(requests(3), to: .disk).waitUntilFinished() == counts(3, done: 3))
        #expect(bench.loader.memoryStatistics.count == 0)
        #expect(bench.loader.memoryStatistics.peakBytes == 0)
        for request in requests(3) { #expect(await bench.steps(request) == ["cached disk fresh", "finished disk"]) }
    }

    @Test(.requirement("O42", "O89")) func prefetchToDiskDoesNotStoreBodiesThatALoadRejects() async throws {
        let refused: [(reply: ScriptedReply, code: LoadError.Code)] = [
            (.image(Array("<html>".utf8), maxAge: 60), .undecodable),
            (.image(Array(TestImage.first.prefix(20)), maxAge: 60), .undecodable),
            (.image([], maxAge: 60), .undecodable),
            (ScriptedReply(fields: ["Content-Type": "text/html"], chunks: [[1]]), .unacceptableContentType),
        ]
        for (reply, code) in refused {
            let bench = try origin { _, _ in reply }
            #expect(await bench.loader.prefetch(requests(1), to: .disk).waitUntilFinished() == counts(1, failed: 1))
            #expect(bench.storedFiles.isEmpty)
            #expect(await bench.failure(Self.request("0"))?.code == code)
        }
        let bench = try bench({ $0.maxDecodedBytes = 19 * 13 * 4 - 1 })
        #expect(await bench.loader.prefetch(requests(1), to: .disk).waitUntilFinished() == counts(1, failed: 1))
        #expect(bench.storedFiles.isEmpty)
    }

    @Test(.requirement("O89"), arguments: Prefetch.Destination.allCases, [0, 60])
    func prefetchWithManualRedirectFailsOnARedirectResponse(
        to destination: Prefetch.Destination, maxAge: Int
    ) async throws {
        let fields: HeaderFields = ["Location": "http://example.com/end", "Cache-Control": "max-age=\(maxAge)"]
        let bench = try origin { _, _ in .status(301, fields) }
        var request = Self.request("0")
        request.redirect = .manual

        // The second prefetch finds the stored redirect response if it is fresh.
        for _ in 0..<2 {
            let found = await bench.loader.prefetch([request], to: destination).waitUntilFinished()
            #expect(found == counts(1, failed: 1))
        }
        #expect(bench.transport.requests.allSatisfy { $0.url == request.url })
    }

    @Test(.requirement("O89"), arguments: Prefetch.Destination.allCases)
    func prefetchSkipsFreshCachedImages(to destination: Prefetch.Destination) async throws {
        let bench = try bench()
        _ = await bench.loader.prefetch(requests(2), to: destination).waitUntilFinished()
        let reads = bench.loader.diskStatistics?.hits
        let again = await bench.loader.prefetch(requests(3), to: destination).waitUntilFinished()
        #expect(again == counts(3, done: 1, skipped: 2))
        #expect(bench.transport.requests.count == 3)
        // Reading only the entry's header is not counted as a hit.
        #expect(bench.loader.diskStatistics?.hits == reads)
        bench.clock.advance(61)
        #expect(await bench.loader.prefetch(requests(3), to: destination).waitUntilFinished() == counts(3, done: 3))
        #expect(bench.transport.requests.count == 6)
    }

    @Test(.requirement("O89")) func prefetchToMemoryDecodesImagesCachedOnDisk() async throws {
        let bench = try bench()
        _ = await bench.loader.prefetch(requests(2), to: .disk).waitUntilFinished()
        #expect(await bench.loader.prefetch(requests(2), to: .memory).waitUntilFinished() == counts(2, done: 2))
        #expect(bench.loader.memoryStatistics.count == 2)
        #expect(bench.transport.requests.count == 2)
    }

    @Test(.requirement("O89")) func prefetchToMemoryStoresOnDiskWhenTheMemoryCacheIsDisabled() async throws {
        let bench = try bench({ $0.cacheImagesInMemory = false })
        #expect(await bench.loader.prefetch(requests(2), to: .memory).waitUntilFinished() == counts(2, done: 2))
        #expect(await bench.loader.prefetch(requests(2), to: .memory).waitUntilFinished() == counts(2, skipped: 2))
        let nowhere = try self.bench({ $0.cacheDirectory = nil })
        #expect(await nowhere.loader.prefetch(requests(2), to: .disk).waitUntilFinished() == counts(2, failed: 2))
        #expect(nowhere.transport.requests.isEmpty)
    }

    @Test(.requirement("O89")) func prefetchLoadsDuplicateRequestsOnce() async throws {
        let bench = try bench()
        // `reload` ignores the cache, so a request is skipped only because an equal one precedes it.
        let each = requests(3).map { ImageRequest(url: $0.url, policy: .reload) }
        let twice = each + each
        #expect(await bench.loader.prefetch(twice).waitUntilFinished() == counts(6, done: 3, skipped: 3))
        #expect(bench.transport.requests.count == 3)
        #expect(await bench.loader.prefetch([]).waitUntilFinished() == counts(0))
    }

    @Test(.requirement("O89"), arguments: Prefetch.Destination.allCases)
    func prefetchAndLoadOfOneURLShareOneDownload(to destination: Prefetch.Destination) async throws {
        for prefetchIsFirst in [true, false] {
            let gate = Gate()
            let bench = try origin { _, _ in
                var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
                reply.headGate = gate
                return reply
            }
            let fetches = bench.loader.images.shared.fetches
            var prefetch: Prefetch?
            if prefetchIsFirst {
                prefetch = bench.loader.prefetch(requests(1), to: destination)
                await gate.arrival()
            }
            async let image = bench.loader.image(for: Self.request("0"))
            await bench.waitUntil { fetches.count == 1 && (!prefetchIsFirst || fetches.waiterTotal == 2) }
            if !prefetchIsFirst { await gate.arrival() }
            let handle = prefetch ?? bench.loader.prefetch(requests(1), to: destination)
            await bench.waitUntil { fetches.waiterTotal == 2 }
            // Shortly after an urgent load joins the download of a slow prefetch, the download becomes urgent.
            await bench.waitUntil { bench.loader.images.shared.lanes.counts == LaneCounts(urgentRunning: 1) }
            gate.open()
            #expect(try await image.bitmap.width == 19)
            #expect(await handle.waitUntilFinished() == counts(1, done: 1))
            #expect(bench.transport.requests.count == 1)
            #expect(bench.loader.memoryStatistics.count == 1)
        }
    }

    @Test(.requirement("O89")) func cancellingAPrefetchKeepsTheDownloadSharedWithALoad() async throws {
        let gate = Gate()
        let bench = try origin { _, _ in
            var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
            reply.headGate = gate
            return reply
        }
        let prefetch = bench.loader.prefetch(requests(3))
        await gate.arrival()
        async let image = bench.loader.image(for: Self.request("0"))
        await bench.waitUntil { bench.loader.images.shared.fetches.waiterTotal == 2 }
        prefetch.cancel()
        #expect(await prefetch.waitUntilFinished() == counts(3))
        gate.open()
        #expect(try await image.source == .networkToDisk)
        #expect(bench.transport.requests.count == 1)
        await bench.waitUntil { bench.isIdle }
        prefetch.resume()
        #expect(await prefetch.waitUntilFinished() == counts(3))
        #expect(bench.transport.requests.count == 1)
    }

    @Test(.requirement("O89")) func deallocatingAPrefetchCancelsItsLoads() async throws {
        let gate = Gate()
        let bench = try origin { _, _ in
            var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
            reply.headGate = gate
            return reply
        }
        var prefetch: Prefetch? = bench.loader.prefetch(requests(3))
        await gate.arrival()
        weak let released = prefetch
        prefetch = nil
        #expect(released == nil)
        await bench.waitUntil { bench.isIdle && bench.transport.openCount == 0 }
        #expect(bench.transport.requests.count == 1)
        #expect(bench.storedFiles.isEmpty)
    }

    @Test(.requirement("O89")) func pausedPrefetchStartsNoNewLoads() async throws {
        let gate = Gate()
        let bench = try origin { _, number in
            var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
            if number == 1 { reply.headGate = gate }
            return reply
        }
        let prefetch = bench.loader.prefetch(requests(3))
        await gate.arrival()
        prefetch.pause()
        prefetch.pause()
        gate.open()
        // A load that has begun continues.
        await bench.waitUntil { prefetch.counts.done == 1 && bench.isIdle }
        prefetch.setPriority(.slow)
        #expect(bench.transport.requests.count == 1)
        #expect(prefetch.counts == counts(3, done: 1))
        prefetch.resume()
        #expect(await prefetch.waitUntilFinished() == counts(3, done: 3))
    }

    @Test(.requirement("O89")) func waitForAPausedPrefetchEndsAfterCancel() async throws {
        let bench = try bench()
        let prefetch = bench.loader.prefetch([])
        prefetch.pause()
        #expect(await prefetch.waitUntilFinished() == counts(0))
        let gate = Gate()
        let held = try origin { _, _ in
            var reply = ScriptedReply.image(TestImage.first)
            reply.headGate = gate
            return reply
        }
        let other = held.loader.prefetch(requests(2))
        await gate.arrival()
        other.pause()
        let end = Task { await other.waitUntilFinished() }
        other.cancel()
        #expect(await end.value == counts(2))
    }

    @Test(.requirement("O89")) func cancellingWaitUntilFinishedDoesNotCancelThePrefetch() async throws {
        let gate = Gate()
        let bench = try origin { _, _ in
            var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
            reply.headGate = gate
            return reply
        }
        let prefetch = bench.loader.prefetch(requests(1))
        await gate.arrival()
        for delay in 0..<20 {
            let waiting = Task { await prefetch.waitUntilFinished() }
            for _ in 0..<delay { await Task.yield() }
            waiting.cancel()
            #expect(await waiting.value == counts(1))
        }
        gate.open()
        #expect(await prefetch.waitUntilFinished() == counts(1, done: 1))
    }

    @Test(.requirement("O89"))
    func prefetchWithSlowPriorityLoadsSeriallyAndWithUrgentPriorityInParallel() async throws {
        let held = Locked(true)
        let bench = try origin({ $0.urgentWidth = 3 }) { request, _ in
            var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
            if held.value { reply.headGate = Gate() }
            return reply
        }
        let lanes = bench.loader.images.shared.lanes
        let prefetch = bench.loader.prefetch(requests(6))
        #expect(prefetch.priority == .slow)
        await bench.waitUntil { lanes.counts == LaneCounts(slowRunning: 1) && bench.transport.openCount == 1 }
        #expect(bench.loader.images.shared.fetches.count == 1)
        prefetch.setPriority(.urgent)
        #expect(prefetch.priority == .urgent)
        await bench.waitUntil { lanes.counts == LaneCounts(urgentRunning: 3) && bench.transport.openCount == 3 }
        #expect(bench.loader.images.shared.fetches.count == 3)
        prefetch.setPriority(.slow)
        await bench.waitUntil { lanes.counts == LaneCounts(slowRunning: 3) }
        prefetch.cancel()
        _ = await prefetch.waitUntilFinished()
        await bench.waitUntil { bench.isIdle }
    }

    @Test(.requirement("O89")) func prefetchWithSlowPriorityWaitsForUrgentLoads() async throws {
        let gate = Gate()
        let bench = try origin { request, _ in
            var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
            if request.url.hasSuffix("urgent") { reply.headGate = gate }
            return reply
        }
        async let urgent = bench.loader.image(for: Self.request("urgent"))
        await gate.arrival()
        let prefetch = bench.loader.prefetch(requests(3))
        await bench.waitUntil { bench.loader.images.shared.lanes.counts.slowWaiting == 1 }
        #expect(bench.transport.requests.count == 1)
        gate.open()
        _ = try await urgent
        #expect(await prefetch.waitUntilFinished() == counts(3, done: 3))
    }

    @Test(.requirement("O89")) func prefetchRetriesTransportErrorsByTheRetryPolicyAndCountsFailedLoads() async throws {
        let bench = try origin({ $0.retry = RetryPolicy(maxAttempts: 3, firstDelay: .zero) }) { request, number in
            if request.url.hasSuffix("0") { return .status(404) }
            return number < 4 ? .offline : .image(TestImage.first, maxAge: 60)
        }
        let prefetch = bench.loader.prefetch(requests(2) + [ImageRequest(url: "no address")])
        #expect(await prefetch.waitUntilFinished() == counts(3, done: 1, failed: 2))
        #expect(bench.transport.requests.count == 4)
    }
}
