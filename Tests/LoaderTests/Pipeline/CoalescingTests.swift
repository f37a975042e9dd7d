import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite(.timeLimit(.minutes(30))) struct CoalescingTests {
    private let request = ImageRequest(url: LoaderBench.url)

    private func fetchKey(_ bench: LoaderBench, _ request: ImageRequest) -> FetchKey? {
        let pipeline = bench.loader.images
        guard let hop = LoadHop(Load(request, pipeline), pipeline) else { return nil }
        return FetchKey(
            key: hop.key, url: hop.url, fields: hop.request.fields, isReload: false, isRevalidation: false,
            layers: .all,
            acceptedContentTypes: hop.load.acceptedContentTypes, configuration: 0, variant: nil,
            isUnconditionalRetry: false, redirect: .follow, cache: .images)
    }

    /// Returns when `count` loads wait for one download.
    private func waitForWaiters(_ count: Int, _ bench: LoaderBench) async throws {
        let key = try #require(fetchKey(bench, request))
        await bench.waitUntil { bench.loader.images.shared.fetches.waiterCount(of: key) == count }
    }

    @Test(.requirement("O68", "O82"), .timeLimit(.minutes(30)))
    func tenThousandEqualLoadsSendOneRequest() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(reply)
        let count = 10_000

        let ends = try await withThrowingTaskGroup(of: LoadSource.self) { group in
            for _ in 0..<count { group.addTask { try await bench.loader.image(for: request).source } }
            try await waitForWaiters(count, bench)
            gate.open()
            var ends: [LoadSource: Int] = [:]
            for try await source in group { ends[source, default: 0] += 1 }
            return ends
        }

        #expect(ends == [.networkToDisk: count])
        #expect(bench.transport.requests.count == 1)
        #expect(bench.isIdle)
    }

    @Test(.requirement("O68")) func equalLoadsStartedAtDifferentTimesSendOneRequest() async throws {
        // Without a gate, some loads start before the download, some during it and some after it.
        for _ in 0..<20 {
            let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 { group.addTask { _ = try await bench.loader.image(for: request) } }
                try await group.waitForAll()
            }
            #expect(bench.transport.requests.count == 1)
            #expect(bench.isIdle)
        }
    }

    @Test(.requirement("O68")) func loadUsesAResponseStoredAfterItsLookupAndSendsNoRequest() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        let pipeline = bench.loader.images
        let hop = try #require(LoadHop(Load(request, pipeline), pipeline))
        // The lookup of the first load finds nothing; another load then stores the image before the first load joins a
        // download.
        let found = await pipeline.lookup.find(hop)
        _ = try await bench.loader.image(for: request)
        let end = await pipeline.join(hop, RequestPlan(), found, isRefresh: false, isExclusive: false).fetch.output()?
            .result

        guard case .success(let fetched) = end else { throw LoadError.transport("the load has no result") }
        #expect(fetched.kind == .stored)
        #expect(fetched.isFresh)
        #expect(bench.transport.requests.count == 1)
    }

    @Test(.requirement("O91")) func loadsWithDifferentDecodeOptionsShareOneDownload() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(reply) { $0.cacheImagesInMemory = true }
        var stored = request
        stored.decodeOptions = .asStored
        let other = stored

        async let first = bench.loader.image(for: request)
        async let second = bench.loader.image(for: other)
        try await waitForWaiters(2, bench)
        gate.open()

        let sizes = try await [first.bitmap.width, second.bitmap.width]
        #expect(sizes == [19, 19])
        #expect(bench.transport.requests.count == 1)
        #expect(bench.loader.memoryStatistics.count == 2)
    }

    @Test func pixelLimitErrorOfOneLoadDoesNotFailLoadsThatShareItsDownload() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(reply)
        var small = request
        small.decodeOptions.limits.maxPixels = 10
        let refused = small

        async let failure = bench.failure(refused)
        try await waitForWaiters(1, bench)
        async let image = bench.loader.image(for: request)
        try await waitForWaiters(2, bench)
        gate.open()

        #expect(await failure?.code == .pixelLimit)
        #expect(try await image.bitmap.width == 19)
    }

    @Test(.requirement("O94")) func loadsWithDifferentCredentialsOrPartitionsHaveSeparateCacheEntries() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        var requests = [request]
        for user in ["a", "b"] {
            requests.append(ImageRequest(url: LoaderBench.url, fields: ["Authorization": "Bearer \(user)"]))
            requests.append(ImageRequest(url: LoaderBench.url, fields: ["Cookie": user]))
        }
        for partition in ["x", "y"] {
            var named = request
            named.partition = partition
            requests.append(named)
        }
        for request in requests { #expect(await bench.steps(request) == ["sending", "finished networkToDisk"]) }
        for request in requests { #expect(await bench.steps(request) == ["cached disk fresh", "finished disk"]) }
        #expect(bench.transport.requests.count == requests.count)
    }

    @Test(.requirement("O82")) func transportErrorIsDeliveredToAllLoadsOfTheDownload() async throws {
        let gate = Gate()
        var reply = ScriptedReply.offline
        reply.headGate = gate
        let bench = try LoaderBench(ScriptedTransport(reply, .image(TestImage.first)))
        async let first = bench.failure()
        async let second = bench.failure()
        try await waitForWaiters(2, bench)
        gate.open()
        #expect(await [first?.code, second?.code] == [.transport, .transport])
        // A later load starts a new download.
        #expect(await bench.failure() == nil)
    }

    @Test(.requirement("O82")) func progressIsDeliveredToAllLoadsOfTheDownload() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first)
        reply.headGate = gate
        let bench = try LoaderBench(reply)
        async let first = receivedCounts(bench)
        async let second = receivedCounts(bench)
        try await waitForWaiters(2, bench)
        gate.open()
        for received in await [first, second] {
            #expect(received.last == TestImage.first.count)
            #expect(received == received.sorted())
        }
    }

    private func receivedCounts(_ bench: LoaderBench) async -> [Int] {
        var counts: [Int] = []
        for await event in bench.loader.events(for: request) {
            if case .progress(let received, _) = event { counts.append(received) }
        }
        return counts
    }

    @Test(.requirement("O59", "O82")) func cancellingOneWaiterKeepsTheDownload() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first)
        reply.headGate = gate
        let bench = try LoaderBench(reply)
        let leaving = Task { await bench.failure() }
        try await waitForWaiters(1, bench)
        async let image = bench.loader.image(for: request)
        try await waitForWaiters(2, bench)

        leaving.cancel()
        // The cancelled load ends immediately, while the download still waits at the gate.
        #expect(await leaving.value?.code == .cancelled)
        gate.open()

        #expect(try await image.source == .networkToDisk)
        #expect(bench.transport.requests.count == 1)
    }

    /// The step at which a load is cancelled.
    enum CancelPoint: CaseIterable { case beforeStart, beforeHead, inBody, atEnd }

    @Test(.requirement("O59", "O82"), arguments: CancelPoint.allCases)
    func cancellingTheLastWaiterCancelsTheDownload(at point: CancelPoint) async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        switch point {
        case .beforeStart: break
        case .beforeHead: reply.headGate = gate
        case .inBody: reply.bodyGate = gate
        case .atEnd: reply.ending = .stalled
        }
        let held = reply
        let bench = try LoaderBench(
            ScriptedTransport { _, number in number == 1 ? held : .image(TestImage.first, maxAge: 60) })
        let start = Gate()
        let task = Task {
            if point == .beforeStart { try? await start.pass() }
            return await bench.failure()
        }
        switch point {
        case .beforeStart: await start.arrival()
        case .beforeHead, .inBody: await gate.arrival()
        case .atEnd: await bench.waitUntil { bench.transport.requests.count == 1 }
        }
        task.cancel()

        #expect(await task.value?.code == .cancelled)
        await bench.waitUntil { bench.isIdle && bench.transport.openCount == 0 }
        #expect(bench.storedFiles.isEmpty)
        #expect(bench.transport.requests.count == (point == .beforeStart ? 0 : 1))
        // The next load succeeds.
        #expect(await bench.failure() == nil)
    }

    @Test(.requirement("O59")) func loadCancelledAtAnyStepCompletesOrFailsWithCancelled() async throws {
        // The delay moves the cancellation from before the load to after the load; the exact step varies.
        for delay in 0..<200 {
            let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
            let task = Task { await bench.failure() }
            for _ in 0..<delay { await Task.yield() }
            task.cancel()
            let code = await task.value?.code
            #expect(code == nil || code == .cancelled)
            await bench.waitUntil { bench.isIdle && bench.transport.openCount == 0 }
            #expect(bench.storedFiles.count <= 1)
        }
    }

    @Test(.requirement("O59")) func cancelledLoadStoresItsImageIfKeepsDownloadingWhenCancelledIsTrue() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(reply) { $0.keepsDownloadingWhenCancelled = true }
        let task = Task { await bench.failure() }
        await gate.arrival()
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        gate.open()
        await bench.waitUntil { bench.isIdle }

        #expect(await bench.steps() == ["cached disk fresh", "finished disk"])
    }

    @Test(.requirement("O66", "O67")) func loadsWithSlowPriorityWaitForUrgentLoads() async throws {
        let gate = Gate()
        let bench = try LoaderBench(
            ScriptedTransport { request, _ in
                var reply = ScriptedReply.image(TestImage.first)
                if request.url.hasSuffix("urgent") { reply.headGate = gate }
                return reply
            })
        async let urgent = bench.loader.image(for: ImageRequest(url: "http://example.com/urgent"))
        await gate.arrival()
        var slow = ImageRequest(url: "http://example.com/slow")
        slow.priority = .slow
        let waiting = slow
        async let late = bench.loader.image(for: waiting)
        await bench.waitUntil { bench.loader.images.shared.lanes.counts.slowWaiting == 1 }
        #expect(bench.transport.requests.count == 1)
        gate.open()

        _ = try await (urgent, late)
        #expect(bench.transport.requests.map(\.url) == ["http://example.com/urgent", "http://example.com/slow"])
    }

    @Test(.requirement("O69", "O70"))
    func setPriorityMovesRunningAndWaitingLoadsBetweenSlowAndUrgentPriority() async throws {
        let gate = Gate()
        let bench = try LoaderBench(
            ScriptedTransport { request, _ in
                var reply = ScriptedReply.image(TestImage.first)
                if request.url.hasSuffix("first") { reply.headGate = gate }
                return reply
            })
        let lanes = bench.loader.images.shared.lanes
        let first = bench.loader.loadImage(with: ImageRequest(url: "http://example.com/first"))
        await gate.arrival()
        var slow = ImageRequest(url: LoaderBench.url)
        slow.priority = .slow
        let second = bench.loader.loadImage(with: slow)
        await bench.waitUntil { lanes.counts.slowWaiting == 1 }

        // `setPriority` changes the priority of the download only after the load has joined the download; then
        // `didSendRequest` is true.
        await bench.waitUntil { first.didSendRequest }
        // After the download has slow priority again, it no longer prevents other downloads with slow priority from
        // starting.
        first.setPriority(.slow)
        #expect(lanes.counts == LaneCounts(slowWaiting: 1, slowRunning: 1))
        first.setPriority(.urgent)
        #expect(lanes.counts == LaneCounts(urgentRunning: 1, slowWaiting: 1))
        second.setPriority(.urgent)
        await second.waitUntilFinished()
        #expect(second.priority == .urgent)
        #expect(bench.transport.requests.count == 2)
        gate.open()
        await first.waitUntilFinished()
        #expect(bench.isIdle)
    }

    @Test(.requirement("O69", "O70"))
    func downloadWithSlowPriorityIsUrgentOnlyWhileAnUrgentRequestWaitsForIt() async throws {
        let gate = Gate()
        let bench = try LoaderBench(
            ScriptedTransport { request, _ in
                var reply = ScriptedReply.image(TestImage.first)
                reply.headGate = request.url == LoaderBench.url ? gate : nil
                return reply
            })
        let lanes = bench.loader.images.shared.lanes
        var slow = request
        slow.priority = .slow
        let slowTask = bench.loader.loadImage(with: slow)
        await gate.arrival()
        #expect(lanes.counts == LaneCounts(slowRunning: 1))
        let urgentTask = bench.loader.loadImage(with: request)
        await bench.waitUntil { lanes.counts == LaneCounts(urgentRunning: 1) }
        urgentTask.cancel()
        await urgentTask.waitUntilFinished()
        await bench.waitUntil { lanes.counts == LaneCounts(slowRunning: 1) }
        gate.open()
        await slowTask.waitUntilFinished()
        #expect(bench.transport.requests.count == 1)
    }
}
