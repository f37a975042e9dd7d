import Foundation
import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// A load ends exactly once wherever it is cancelled, and leaves no files or connections.
@Suite(.requirement("O59", "O82"), .timeLimit(.minutes(30))) struct RealServerCancelTests {
    /// The point of the response at which the origin stops and the load is cancelled.
    private enum CancelPoint: CaseIterable {
        case beforeTheHead, beforeTheBody, withinTheBody, atTheEndOfTheBody
    }

    @Test(arguments: [false, true])
    func loadCancelledAtAnyPointOfTheResponseFailsWithCancelledAndStoresNothing(_ speaksHTTP2: Bool) async throws {
        let certificate = speaksHTTP2 ? try OriginCertificate() : nil
        for point in CancelPoint.allCases {
            let gate = OriginGate()
            let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: speaksHTTP2) { _ in
                RealServerBench.image { response in
                    switch point {
                    case .beforeTheHead: response.gate = gate
                    case .beforeTheBody: response.bodyGate = gate
                    case .withinTheBody: response.failure = (250, .silence)
                    case .atTheEndOfTheBody:
                        response.framing = .chunked
                        response.failure = (response.body.count, .silence)
                    }
                }
            }
            let bench = try RealServerBench { $0.additionalTrustRoots = [certificate?.pem].compactMap { $0 } }
            let task = Task { await bench.failure(ImageRequest(url: origin.url())) }
            await origin.waitForRequests(1)

            task.cancel()

            #expect(await task.value == .cancelled, "\(point)")
            await bench.waitUntilIdle()
            #expect(bench.storedFiles.isEmpty)
            gate.open()
        }
    }

    @Test func endingTheEventIterationAfterAnyEventCancelsTheLoad() async throws {
        let body = TestImage.first
        var events = 0
        repeat {
            let origin = try await LoopbackOrigin { _ in RealServerBench.image(body) { $0.chunkSize = 100 } }
            let bench = try RealServerBench()
            let limit = events
            // Leaving the loop ends the load.
            let task = Task { () -> Int in
                var seen = 0
                for await event in bench.loader.events(for: ImageRequest(url: origin.url())) {
                    seen += 1
                    if seen > limit { break }
                    if case .finished = event { return -1 }
                }
                return seen
            }

            let seen = await task.value

            await bench.waitUntilIdle()
            #expect(!bench.storedFiles.contains { $0.hasSuffix(".tmp") })
            if seen < 0 { break }
            events += 1
        } while events < 100
        #expect(events >= 2, "a load has at least two events")
    }

    @Test func cancellingTheTaskAfterAnyEventDeliversAtMostOneFinishedEvent() async throws {
        let origin = try await LoopbackOrigin { _ in RealServerBench.image { $0.chunkSize = 100 } }
        for limit in 0..<8 {
            let bench = try RealServerBench()
            let ends = Locked(0)
            let task = Task {
                var seen = 0
                if limit == 0 { withUnsafeCurrentTask { $0?.cancel() } }
                for await event in bench.loader.events(for: ImageRequest(url: origin.url("/\(limit)"))) {
                    seen += 1
                    if seen == limit { withUnsafeCurrentTask { $0?.cancel() } }
                    if case .finished = event { ends.update { $0 += 1 } }
                }
            }

            await task.value

            await bench.waitUntilIdle()
            #expect(ends.value <= 1)
        }
    }

    @Test func loadCancelledAtAnyTimeSucceedsOrFailsWithCancelled() async throws {
        let origin = try await LoopbackOrigin { _ in RealServerBench.image { $0.chunkSize = 100 } }
        let bench = try RealServerBench { $0.cacheImagesInMemory = true }
        var cancelled = 0
        for round in 0..<400 {
            // A new URL, a cached URL and a reload cover each path through the loader.
            var request = ImageRequest(url: origin.url("/\(round / 3)"))
            if round % 3 == 2 { request.policy = .reload }
            let task = Task { [request] in
                // The first load is certainly cancelled, regardless of timing.
                if round == 0 { withUnsafeCurrentTask { $0?.cancel() } }
                return await bench.failure(request)
            }
            for _ in 0..<(round % 200) { await Task.yield() }
            task.cancel()

            switch await task.value {
            case nil: break
            case .cancelled?: cancelled += 1
            case let code?: Issue.record("\(code)")
            }
        }
        await bench.waitUntilIdle()
        #expect(cancelled > 0)
        #expect(!bench.storedFiles.contains { $0.hasSuffix(".tmp") })
        // Loads after the cancellations succeed.
        #expect(await bench.failure(ImageRequest(url: origin.url("/afterwards"))) == nil)
    }

    @Test func cancellingHalfOfTheWaitersKeepsTheDownload() async throws {
        let gate = OriginGate()
        let origin = try await LoopbackOrigin { _ in RealServerBench.image { $0.bodyGate = gate } }
        let bench = try RealServerBench()
        let tasks = (0..<20).map { _ in Task { await bench.failure(ImageRequest(url: origin.url())) } }
        await origin.waitForRequests(1)
        // Waits until all loads have joined the download. Otherwise the cancelled loads could be the only ones that
        // have joined, and their cancellation would cancel the download.
        await yieldUntil { bench.loader.images.shared.fetches.waiterTotal == tasks.count }

        for task in tasks.dropFirst(10) { task.cancel() }
        for task in tasks.dropFirst(10) { #expect(await task.value == .cancelled) }
        gate.open()

        for task in tasks.prefix(10) { #expect(await task.value == nil) }
        await bench.waitUntilIdle()
        #expect(origin.requests.count == 1)
    }

    @Test func connectionsAndFilesAreClosedAfterTheLoaderIsReleased() async throws {
        // In a separate process, where no other test opens files.
        await #expect(processExitsWith: .success) {
            let origin = try await LoopbackOrigin { request in
                switch request.number % 4 {
                case 0: RealServerBench.image()
                case 1: RealServerBench.image { $0.failure = (250, .close) }
                case 2: RealServerBench.image { $0.failure = (250, .silence) }
                default: .close()
                }
            }
            // Counts sockets, pipes and files. Epoll and timer descriptors (anon_inode) are excluded, because the
            // runtime opens them at any time.
            func openFiles() -> Int {
                let folder = "/proc/self/fd"
                let open = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                return open.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
                    .count { !$0.hasPrefix("anon_inode:") }
            }
            func loads(_ count: Int) async throws {
                let bench = try RealServerBench()
                for round in 0..<count {
                    let task = Task { await bench.failure(ImageRequest(url: origin.url("/\(round)"))) }
                    for _ in 0..<round { await Task.yield() }
                    task.cancel()
                    _ = await task.value
                }
                await bench.waitUntilIdle()
            }
            // The first load opens the descriptors that stay open, such as those of the event loops.
            do {
                let bench = try RealServerBench()
                let failure = await bench.failure(ImageRequest(url: origin.url("/whole")))
                precondition(failure == nil, "\(String(describing: failure))")
                await bench.waitUntilIdle()
            }
            try await loads(20)
            await origin.waitForClosedConnections(origin.connectionCount)
            let before = openFiles()
            try await loads(100)
            await origin.waitForClosedConnections(origin.connectionCount)
            // The client closes its sockets later on other threads; the deadline detects a socket that remains open.
            let deadline = ContinuousClock.now + .seconds(1_500)
            while openFiles() > before {
                precondition(ContinuousClock.now < deadline, "\(openFiles()) descriptors are open, of \(before)")
                await Task.yield()
            }
        }
    }
}
