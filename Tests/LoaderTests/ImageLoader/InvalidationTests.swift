import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// A loader after ``ImageLoader/invalidate()``.
@Suite(.timeLimit(.minutes(30))) struct InvalidationTests {
    private static let policies: [CachePolicy] = [.default, .cacheOnly, .cacheElseLoad, .revalidate, .reload]
    private let known = ImageRequest(url: LoaderBench.url)
    private let other = ImageRequest(url: "http://example.com/other.png")

    /// One method of starting a load; `run` returns its result as text.
    private struct LoadMethod: Sendable {
        let name: String
        let run: @Sendable (LoaderBench, ImageRequest) async -> String
    }

    private static let loadMethods = [
        LoadMethod(name: "image") { bench, request in (await bench.failure(request)).map { "\($0.code)" } ?? "loaded" },
        LoadMethod(name: "events") { bench, request in await bench.steps(request).joined(separator: ", ") },
        LoadMethod(name: "callbacks") { bench, request in
            let ends = Locked<[String]>([])
            var callbacks = LoadCallbacks()
            callbacks.hasCache = { _, _ in ends.update { $0.append("cached") } }
            callbacks.sendingRequest = { _ in ends.update { $0.append("sending") } }
            callbacks.requestCompleted = { error, _, _ in
                ends.update { $0.append(error.map { "\($0.code)" } ?? "loaded") }
            }
            await bench.loader.loadImage(with: request, callbacks).waitUntilFinished()
            return ends.value.joined(separator: ", ")
        },
        LoadMethod(name: "bytes") { bench, request in
            let data = DataRequest(url: request.url, policy: request.policy)
            return (await bench.dataFailure(data)).map { "\($0.code)" } ?? "loaded"
        },
        LoadMethod(name: "prefetch to memory") { bench, request in await prefetch(request, to: .memory, with: bench) },
        LoadMethod(name: "prefetch to disk") { bench, request in await prefetch(request, to: .disk, with: bench) },
    ]

    private static func prefetch(
        _ request: ImageRequest, to destination: Prefetch.Destination, with bench: LoaderBench
    ) async -> String {
        let counts = await bench.loader.prefetch([request], to: destination).waitUntilFinished()
        return "\(counts.done) done, \(counts.skipped) skipped, \(counts.failed) failed"
    }

    private func bench(change: (inout ImageLoader.Configuration) -> Void = { _ in }) async throws -> LoaderBench {
        let bench = try LoaderBench(ScriptedTransport(.image(TestImage.first, maxAge: 60))) {
            $0.cacheImagesInMemory = true
            change(&$0)
        }
        _ = try await bench.loader.image(for: known)
        // Uses the bytes of the image, so one request was sent.
        _ = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
        return bench
    }

    @Test func loadsAfterInvalidateFailWithoutNetworkOrCacheAccess() async throws {
        let expected = [
            "image": "configuration", "events": "failed configuration", "callbacks": "configuration",
            "bytes": "configuration", "prefetch to memory": "0 done, 0 skipped, 1 failed",
            "prefetch to disk": "0 done, 0 skipped, 1 failed",
        ]
        for (way, policy) in Self.loadMethods.flatMap({ way in Self.policies.map { (way, $0) } }) {
            let bench = try await bench()
            let before = (bench.loader.diskStatistics, bench.loader.dataStatistics, bench.folder.files)
            let memory = bench.loader.memoryStatistics
            bench.loader.invalidate()

            for request in [known, other] {
                var request = request
                request.policy = policy
                #expect(await way.run(bench, request) == expected[way.name], "\(way.name) \(policy)")
                #expect(bench.isIdle, "\(way.name) \(policy)")
            }

            #expect(bench.transport.requests.count == 1, "\(way.name) \(policy)")
            #expect(bench.loader.diskStatistics?.hits == before.0?.hits, "\(way.name) \(policy)")
            #expect(bench.loader.diskStatistics?.misses == before.0?.misses, "\(way.name) \(policy)")
            #expect(bench.loader.diskStatistics?.stores == before.0?.stores, "\(way.name) \(policy)")
            #expect(bench.loader.dataStatistics?.hits == before.1?.hits, "\(way.name) \(policy)")
            #expect(bench.loader.dataStatistics?.misses == before.1?.misses, "\(way.name) \(policy)")
            #expect(bench.folder.files == before.2, "\(way.name) \(policy)")
            #expect(bench.loader.memoryStatistics == memory, "\(way.name) \(policy)")
        }
    }

    /// Control for the test above: without `invalidate()`, each load method sends a request for a URL that is not
    /// cached.
    @Test func loadsSendRequestsWhenInvalidateWasNotCalled() async throws {
        for way in Self.loadMethods {
            let bench = try await bench()
            #expect(!(await way.run(bench, other)).contains("configuration"), "\(way.name)")
            #expect(bench.transport.requests.count == 2, "\(way.name)")
        }
    }

    /// A load begins when its stream is first read.
    @Test func eventStreamFirstReadAfterInvalidateFails() async throws {
        let bench = try await bench()
        let stream = bench.loader.events(for: other)
        bench.loader.invalidate()

        var codes: [LoadError.Code] = []
        for await event in stream {
            if case .finished(.failure(let error)) = event { codes.append(error.code) }
        }

        #expect(codes == [.configuration])
        #expect(bench.transport.requests.count == 1)
    }

    @Test func slotAfterInvalidateShowsOnlyImagesInMemory() async throws {
        let bench = try await bench()
        bench.loader.invalidate()
        let slot = ImageSlot(loader: bench.loader)

        slot.assign(known)
        guard case .image(_, .memory, true, true) = slot.state else {
            Issue.record("\(slot.state)")
            return
        }
        slot.assign(other)
        var end: ImageSlot.State?
        states: for await state in slot.states {
            switch state {
            case .image, .failed:
                end = state
                break states
            default: break
            }
        }

        guard case .failed(let error, nil, nil) = end else {
            Issue.record("\(String(describing: end))")
            return
        }
        #expect(error.code == .configuration)
        #expect(bench.transport.requests.count == 1)
        #expect(bench.isIdle)
    }

    /// The stage of a load when the loader is invalidated, and the result of the load.
    private struct Stage {
        let name: String
        let replies: @Sendable (Gate) -> [ScriptedReply]
        var change: @Sendable (inout ImageLoader.Configuration) -> Void = { _ in }
        let end: [String]
        let requests: Int
        /// The URL that is stored at the end; nil for none.
        var stored: String? = LoaderBench.url
    }

    private static let stages = [
        Stage(
            name: "before the response head", replies: { [.image(TestImage.first).held($0)] },
            end: ["sending", "finished networkToDisk"], requests: 1),
        Stage(
            name: "within the response body",
            replies: {
                var reply = ScriptedReply.image(TestImage.first)
                reply.bodyGate = $0
                return [reply]
            }, end: ["sending", "finished networkToDisk"], requests: 1),
        Stage(
            name: "before a redirect",
            replies: { [.status(302, ["Location": "/end.png"]).held($0), .image(TestImage.first)] },
            end: ["sending", "finished networkToDisk"], requests: 2, stored: "http://example.com/end.png"),
        Stage(
            name: "before another attempt", replies: { [.offline.held($0), .image(TestImage.first)] },
            change: { $0.retry = RetryPolicy(maxAttempts: 2, firstDelay: .zero) },
            end: ["sending", "retrying 2 transport", "finished networkToDisk"], requests: 2),
        Stage(
            name: "before a failure", replies: { [.status(404).held($0)] }, end: ["sending", "failed http 404"],
            requests: 1, stored: nil),
    ]

    @Test func invalidateDoesNotCancelLoadsInProgress() async throws {
        for stage in Self.stages {
            let gate = Gate()
            let replies = stage.replies(gate)
            let bench = try LoaderBench(
                ScriptedTransport { _, number in replies[min(number, replies.count) - 1] }, stage.change)
            async let steps = bench.steps()
            await gate.arrival()

            bench.loader.invalidate()
            #expect(await bench.failure(other)?.code == .configuration, "\(stage.name)")
            gate.open()

            #expect(await steps == stage.end, "\(stage.name)")
            #expect(bench.transport.requests.count == stage.requests, "\(stage.name)")
            #expect(bench.storedFiles.count == (stage.stored == nil ? 0 : 1), "\(stage.name)")
            if let url = stage.stored { #expect(bench.loader.contains(ImageRequest(url: url)), "\(stage.name)") }
            await bench.waitUntil { bench.isIdle }
        }
    }

    @Test func invalidateDoesNotCancelAQueuedLoad() async throws {
        let gate = Gate()
        let bench = try LoaderBench(
            ScriptedTransport { _, number in
                number == 1 ? .image(TestImage.first).held(gate) : .image(TestImage.second)
            }
        ) { $0.urgentWidth = 1 }
        let lanes = bench.loader.images.shared.lanes
        async let first = bench.failure(known)
        await gate.arrival()
        async let second = bench.failure(other)
        await bench.waitUntil { lanes.counts == LaneCounts(urgentWaiting: 1, urgentRunning: 1) }

        bench.loader.invalidate()
        gate.open()

        #expect(await first == nil)
        #expect(await second == nil)
        #expect(bench.transport.requests.map(\.url) == [known.url, other.url])
        await bench.waitUntil { bench.isIdle }
    }

    /// Each image of a prefetch is a separate load; one load of this prefetch has begun before `invalidate()`.
    @Test func prefetchBegunBeforeInvalidateCompletesOnlyItsStartedLoads() async throws {
        let gate = Gate()
        let bench = try LoaderBench(
            ScriptedTransport { _, _ in .image(TestImage.first, maxAge: 60).held(gate) })
        let requests = (0..<5).map { ImageRequest(url: "http://example.com/\($0)") }
        let prefetch = bench.loader.prefetch(requests)
        await gate.arrival()

        bench.loader.invalidate()
        gate.open()
        let counts = await prefetch.waitUntilFinished()

        #expect([counts.total, counts.done, counts.failed, counts.skipped] == [5, 1, 4, 0])
        #expect(bench.transport.requests.map(\.url) == [requests[0].url])
        #expect(bench.storedFiles.count == 1)
        await bench.waitUntil { bench.isIdle }
    }

    @Test func backgroundRevalidationCompletesAfterInvalidate() async throws {
        let gate = Gate()
        let bench = try LoaderBench(
            ScriptedTransport { _, number in
                guard number == 1 else { return .image(TestImage.second, maxAge: 60).held(gate) }
                var reply = ScriptedReply.image(TestImage.first)
                reply.fields.append("Cache-Control", "max-age=10, stale-while-revalidate=60")
                return reply
            })
        _ = await bench.steps()
        bench.clock.advance(11)
        #expect(try await bench.loader.image(for: known).bitmap.width == 19)
        await gate.arrival()

        bench.loader.invalidate()
        gate.open()
        await bench.waitUntil { bench.isIdle }

        #expect(bench.loader.cachedImage(for: known)?.bitmap.width == 11)
    }

    @Test func lookupFindsCachedImagesAfterInvalidate() async throws {
        let bench = try await bench()
        bench.loader.invalidate()

        #expect(bench.loader.cachedImage(for: known)?.source == .memory)
        #expect(bench.loader.cachedImage(for: known, layers: .disk)?.source == .disk)
        #expect(await bench.loader.lookUpImage(for: known)?.source == .memory)
        #expect(await bench.loader.lookUpImage(for: known, layers: .disk)?.isFresh == true)
        #expect(bench.loader.contains(known))
        #expect(bench.loader.contains(known, layers: .disk))
        #expect(!bench.loader.contains(other))
        #expect(bench.loader.cachedImage(for: other) == nil)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func storingAnImageSucceedsAfterInvalidate() async throws {
        let bench = try await bench()
        bench.loader.invalidate()
        let fields: HeaderFields = ["Content-Type": "image/png", "Cache-Control": "max-age=60"]
        let bitmap = try ImageDecoder().decode(TestImage.second).bitmap
        let third = ImageRequest(url: "http://example.com/third.png")

        #expect(try await bench.loader.store(TestImage.second, fields: fields, for: other))
        #expect(try bench.loader.store(bitmap, fields: fields, for: third))

        #expect(bench.loader.cachedImage(for: other, layers: .disk)?.bitmap.digest == bitmap.digest)
        #expect(bench.loader.cachedImage(for: third)?.bitmap.digest == bitmap.digest)
        #expect(await bench.failure(other)?.code == .configuration)
    }

    @Test func removalsAndPurgesSucceedAfterInvalidate() async throws {
        let removals: [(name: String, run: @Sendable (LoaderBench) async -> Void)] = [
            ("removeImage", { await $0.loader.removeImage(for: ImageRequest(url: LoaderBench.url)) }),
            ("purgeDisk", { await $0.loader.purgeDisk() }),
            ("createdOlderThan", { await $0.loader.clearCachedFiles(createdOlderThan: .seconds(100)) }),
            ("modifiedOlderThan", { await $0.loader.clearCachedFiles(modifiedOlderThan: .seconds(100)) }),
        ]
        for removal in removals {
            let bench = try await bench()
            bench.loader.invalidate()
            bench.clock.advance(101)

            await removal.run(bench)
            await bench.loader.purgeMemory()
            await bench.loader.flush()

            #expect(bench.storedFiles.isEmpty, "\(removal.name)")
            #expect(bench.loader.diskStatistics?.entries == 0, "\(removal.name)")
            #expect(bench.loader.memoryStatistics.count == 0, "\(removal.name)")
            #expect(bench.loader.cachedImage(for: known) == nil, "\(removal.name)")
        }
    }

    /// Changes of the cache folder, of `urgentWidth` and of the cache policy are applied, but loads still fail.
    @Test func configurationUpdateDoesNotUndoInvalidate() async throws {
        let bench = try await bench()
        bench.loader.invalidate()
        let path = bench.folder.path + "/elsewhere"

        try bench.loader.update {
            $0.cacheDirectory = path
            $0.urgentWidth = 1
            $0.useServerCachePolicy = false
        }

        #expect(bench.loader.configuration.urgentWidth == 1)
        #expect(await bench.failure()?.code == .configuration)
        #expect(await bench.dataFailure()?.code == .configuration)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func loaderOnTheSameTransportAndFolderLoadsImagesAfterInvalidateOfAnotherLoader() async throws {
        let bench = try await bench()
        let neighbour = try LoaderBench(bench.transport, in: bench.folder)
        bench.loader.invalidate()

        #expect(await neighbour.steps() == ["cached disk fresh", "finished disk"])
        #expect(await neighbour.steps(other) == ["sending", "finished networkToDisk"])
    }
}

extension ScriptedReply {
    /// Returns this reply with a response head that waits for `gate`.
    fileprivate func held(_ gate: Gate) -> Self {
        var reply = self
        reply.headGate = gate
        return reply
    }
}
