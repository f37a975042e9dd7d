import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// A request modifier that waits at a gate before it returns requests to one URL; other requests do not wait.
@Suite(.timeLimit(.minutes(30))) struct WaitingModifierTests {
    private static let held = "http://example.com/held.png"
    private let request = ImageRequest(url: held)
    private let gate = Gate()
    private let calls = Locked(0)

    /// - Parameter ignoresCancellation: True for a modifier that still waits after the load is cancelled.
    private func bench(urgentWidth: Int, ignoresCancellation: Bool = false) throws -> LoaderBench {
        let (gate, calls) = (gate, calls)
        return try LoaderBench(ScriptedTransport(.image(TestImage.first, maxAge: 60))) {
            $0.urgentWidth = urgentWidth
            $0.requestModifier = { request in
                guard request.url == Self.held else { return request }
                calls.update { $0 += 1 }
                if ignoresCancellation {
                    // An unstructured task is not cancelled with the load.
                    try? await Task { try await gate.pass() }.value
                } else {
                    try await gate.pass()
                }
                return request
            }
        }
    }

    private func others(_ count: Int) -> [ImageRequest] {
        (0..<count).map { ImageRequest(url: "http://example.com/other-\($0).png") }
    }

    @Test(arguments: [false, true], [2, 3])
    func waitingRequestModifierOccupiesOneSlotAndOtherLoadsFinish(ignoresCancellation: Bool, width: Int) async throws {
        let bench = try bench(urgentWidth: width, ignoresCancellation: ignoresCancellation)
        let lanes = bench.loader.images.shared.lanes
        async let held = bench.failure(request)
        await gate.arrival()

        for other in others(5) { #expect(await bench.steps(other) == ["sending", "finished networkToDisk"]) }
        #expect(await bench.dataFailure() == nil)
        let failures = await withTaskGroup(of: LoadError?.self) { group in
            for number in 5..<15 {
                group.addTask { await bench.failure(ImageRequest(url: "http://example.com/other-\(number).png")) }
            }
            return await group.reduce(into: [LoadError]()) { if let error = $1 { $0.append(error) } }
        }
        #expect(failures.isEmpty)
        #expect(lanes.counts == LaneCounts(urgentRunning: 1))
        #expect(bench.transport.requests.count == 16)
        #expect(!bench.transport.requests.contains { $0.url == Self.held })

        gate.open()
        #expect(await held == nil)
        #expect(bench.transport.requests.last?.url == Self.held)
        await bench.waitUntil { bench.isIdle }
    }

    @Test(arguments: [false, true])
    func cancellingALoadEndsItWhileItsModifierWaits(ignoresCancellation: Bool) async throws {
        let bench = try bench(urgentWidth: 2, ignoresCancellation: ignoresCancellation)
        let task = Task { await bench.failure(request) }
        await gate.arrival()

        task.cancel()

        // The gate is still closed: the load does not wait for the modifier.
        #expect(await task.value?.code == .cancelled)
        #expect(await bench.failure(others(1)[0]) == nil)
        gate.open()
        await bench.waitUntil { bench.isIdle }
        #expect(bench.transport.requests.map(\.url) == [others(1)[0].url])
        #expect(calls.value == 1)
    }

    @Test func cancelDuringTheModifierCallsTheCallbackRequestCompletedButNotSendingRequest() async throws {
        let bench = try bench(urgentWidth: 2, ignoresCancellation: true)
        let codes = Locked<[LoadError.Code?]>([])
        let task = bench.loader.loadImage(
            with: request, sendingRequest: { _ in codes.update { $0.append(nil) } },
            requestCompleted: { error, _, _ in codes.update { $0.append(error?.code) } })
        await gate.arrival()

        task.cancel()
        await task.waitUntilFinished()

        #expect(codes.value == [.cancelled])
        #expect(!task.didSendRequest)
        gate.open()
        await bench.waitUntil { bench.isIdle }
    }

    @Test func cancellingALoadWhoseModifierWaitsReleasesItsSlot() async throws {
        let bench = try bench(urgentWidth: 1)
        let lanes = bench.loader.images.shared.lanes
        let task = Task { await bench.failure(request) }
        await gate.arrival()
        async let other = bench.failure(others(1)[0])
        await bench.waitUntil { lanes.counts == LaneCounts(urgentWaiting: 1, urgentRunning: 1) }
        #expect(bench.transport.requests.isEmpty)

        task.cancel()

        #expect(await other == nil)
        #expect(await task.value?.code == .cancelled)
        await bench.waitUntil { bench.isIdle }
    }

    @Test func secondLoadReceivesTheImageAfterTheFirstLoadIsCancelledInItsModifier() async throws {
        let bench = try bench(urgentWidth: 2)
        let task = Task { await bench.failure(request) }
        await gate.arrival()
        async let other = bench.failure(request)
        await bench.waitUntil { bench.loader.images.shared.fetches.waiterTotal == 2 }

        task.cancel()
        #expect(await task.value?.code == .cancelled)
        gate.open()

        #expect(await other == nil)
        #expect(calls.value == 1)
        #expect(bench.transport.requests.map(\.url) == [Self.held])
        await bench.waitUntil { bench.isIdle }
    }
}
