import Dispatch
import PlatformImage
import PlatformImageLoader
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Renders of one source that wait at the same time share one decode.
@Suite(.timeLimit(.minutes(30))) struct SharedRenderTests {
    /// Returns the same bytes for every source name.
    private struct FixedSource: SourceReading {
        let bytes: [UInt8]

        func read(_ source: SourceName) async throws(ServiceError) -> SourceBytes { SourceBytes(bytes) }
        func flush() async {}
    }

    private static let sides = [20, 40, 60, 120, 250, 330, 500, 960]

    private static func engine(
        _ bytes: [UInt8], clock: @escaping @Sendable () -> WallTime = { .now }
    ) -> ThumbnailEngine {
        var configuration = ServiceConfiguration()
        configuration.limits.threads = 1
        configuration.server.deadline = .seconds(600)
        configuration.limits.queueWait = .seconds(600)
        return ThumbnailEngine(configuration, sources: FixedSource(bytes: bytes), clock: clock)
    }

    private static func request(_ side: Int) -> ThumbnailRequest {
        var request = ThumbnailRequest.fit(side, side)
        request.source = .url("http://a.example/b")
        // Results with all frames of an animation share no decode.
        request.output.isStill = true
        return request
    }

    @Test(arguments: [
        "demo/window.png", "demo/mountains.jpg", "demo/aurora-progressive.jpg", "demo/orbit.gif", "demo/letter-g4.tif",
        "demo/poster-cmyk.jpg",
    ])
    func waitingRendersOfOneSourceShareOneDecodePerRenderPlan(_ path: String) async throws {
        let bytes = try Fixture.file(path)
        var alone: [[UInt8]] = []
        let single = Self.engine(bytes)
        for side in Self.sides { alone.append(try await single.result(for: Self.request(side)).result.bytes) }
        #expect(single.counters.decodeCount == Self.sides.count)
        let plans = Set(
            try Self.sides.map { try single.renderer.prepare(bytes, for: Self.request($0)).sharedPlan })

        let engine = Self.engine(bytes)
        let (gate, blocked) = await block(engine.queue)
        let together = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            for (index, side) in Self.sides.enumerated() {
                group.addTask { (index, try await engine.result(for: Self.request(side)).result.bytes) }
            }
            await yieldUntil { engine.shared.waitingCount >= Self.sides.count }
            gate.signal()
            var results = [[UInt8]](repeating: [], count: Self.sides.count)
            for try await (index, bytes) in group { results[index] = bytes }
            return results
        }
        await blocked.value

        #expect(together == alone)
        #expect(engine.counters.renderCount == Self.sides.count)
        #expect(engine.counters.decodeCount == plans.count)
        if !path.hasSuffix(".jpg") { #expect(plans.count == 1) }
        #expect(engine.shared.waitingCount == 0)
        // The reserved memory is released after the responses are sent.
        await yieldUntil { engine.queue.budget.grantedBytes == 0 }
        #expect(engine.queue.budget.grantedBytes == 0)
    }

    /// The engine reads the clock between the memory look-up and the render; the test clock inserts the result at that
    /// time.
    @Test func resultStoredAfterTheLookupIsNotRenderedAgain() async throws {
        let bytes = try Fixture.file("demo/window.png")
        let made = try await Self.engine(bytes).result(for: Self.request(40)).result
        let key = ResultKey(canonical: Self.request(40).canonicalBytes)
        let keep = Locked<(@Sendable () -> Void)?>(nil)
        let engine = Self.engine(bytes) {
            keep.value?()
            return .now
        }
        keep.update {
            $0 = { [results = engine.results] in _ = results.memory?.insert(made, for: key, cost: made.cost) }
        }

        let answer = try await engine.result(for: Self.request(40))

        #expect(answer.result.bytes == made.bytes)
        #expect(answer.provenance == .memory)
        #expect(engine.counters.renderCount == 0)
    }

    @Test func cancellingOneWaiterKeepsTheSharedRender() async throws {
        let bytes = try Fixture.file("demo/window.png")
        let engine = Self.engine(bytes)
        let (gate, blocked) = await block(engine.queue)
        let stays = Task { try await engine.result(for: Self.request(60)).result.bytes }
        let leaves = Task { try await engine.result(for: Self.request(40)).result.bytes }
        await yieldUntil { engine.shared.waitingCount >= 2 }

        leaves.cancel()
        await yieldUntil { engine.shared.waitingCount <= 1 }
        gate.signal()

        #expect(try await !stays.value.isEmpty)
        await #expect(throws: ServiceError.self) { try await leaves.value }
        #expect(engine.counters.renderCount == 1)
        await blocked.value
    }

    @Test func cancellingAllWaitersOfASharedRenderSkipsTheDecode() async throws {
        let bytes = try Fixture.file("demo/window.png")
        let engine = Self.engine(bytes)
        let (gate, blocked) = await block(engine.queue)
        let tasks = [20, 30, 40].map { side in Task { try await engine.result(for: Self.request(side)) } }
        await yieldUntil { engine.shared.waitingCount >= tasks.count }

        for task in tasks { task.cancel() }
        await yieldUntil { engine.shared.waitingCount == 0 }
        gate.signal()
        await blocked.value
        for task in tasks { await #expect(throws: ServiceError.self) { try await task.value } }

        #expect(engine.counters.decodeCount == 0)
        // The cancellation does not count as a failure of the source.
        #expect(try await !engine.result(for: Self.request(20)).result.bytes.isEmpty)
        #expect(engine.counters.decodeCount == 1)
    }

    @Test func damagedSourceFailsEveryWaitingRequestWith415() async throws {
        let engine = Self.engine(try Fixture.file("bad/png-bad-first-block.png"))
        let (gate, blocked) = await block(engine.queue)
        let tasks = [20, 30].map { side in Task { try await engine.result(for: Self.request(side)) } }
        await yieldUntil { engine.shared.waitingCount >= tasks.count }
        gate.signal()

        for task in tasks {
            let error = await #expect(throws: ServiceError.self) { try await task.value }
            #expect(error?.status == 415)
        }
        await blocked.value
    }
}
