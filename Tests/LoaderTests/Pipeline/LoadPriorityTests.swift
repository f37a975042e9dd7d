import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Loads of four priorities.
@Suite(.timeLimit(.minutes(30))) struct LoadPriorityTests {
    private func request(_ name: String, _ priority: LoadPriority) -> ImageRequest {
        var request = ImageRequest(url: "http://example.com/\(name)")
        request.priority = priority
        return request
    }

    /// A loader whose lanes run one fetch each; the fetch of the URL `/first` waits for the gate.
    private func bench(_ gate: Gate) throws -> LoaderBench {
        try LoaderBench(
            ScriptedTransport { request, _ in
                var reply = ScriptedReply.image(TestImage.first)
                if request.url.hasSuffix("first") { reply.headGate = gate }
                return reply
            }
        ) { configuration in
            configuration.urgentWidth = 1
            configuration.slowWidth = 1
        }
    }

    private func names(_ bench: LoaderBench) -> [String] {
        bench.transport.requests.map { String($0.url.split(separator: "/").last ?? "") }
    }

    @Test func waitingLoadsStartInOrderOfPriority() async throws {
        let gate = Gate()
        let bench = try bench(gate)
        let lanes = bench.loader.images.shared.lanes
        var tasks = [bench.loader.loadImage(with: request("first", .urgent))]
        await gate.arrival()
        let loads: [(String, LoadPriority)] = [
            ("background", .background), ("slow", .slow), ("urgent", .urgent), ("immediate", .immediate),
        ]
        for (number, load) in loads.enumerated() {
            tasks.append(bench.loader.loadImage(with: request(load.0, load.1)))
            await bench.waitUntil { lanes.counts.slowWaiting + lanes.counts.urgentWaiting == number + 1 }
        }

        gate.open()
        for task in tasks { await task.waitUntilFinished() }

        #expect(names(bench) == ["first", "immediate", "urgent", "slow", "background"])
        #expect(bench.isIdle)
    }

    @Test(arguments: [true, false])
    func downloadHasTheHighestPriorityOfItsWaitersAndFollowsTheirChanges(_ joins: Bool) async throws {
        let gate = Gate()
        let bench = try bench(gate)
        let lanes = bench.loader.images.shared.lanes
        var tasks = [bench.loader.loadImage(with: request("first", .urgent))]
        await gate.arrival()
        for (number, name) in ["second", "third"].enumerated() {
            tasks.append(bench.loader.loadImage(with: request(name, .urgent)))
            await bench.waitUntil { lanes.counts.urgentWaiting == number + 1 }
        }
        let shared = bench.loader.loadImage(with: request("shared", .background))
        await bench.waitUntil { lanes.counts.slowWaiting == 1 }

        if joins {
            tasks.append(bench.loader.loadImage(with: request("shared", .immediate)))
        } else {
            shared.setPriority(.immediate)
        }
        await bench.waitUntil { lanes.counts.urgentWaiting == 3 }

        gate.open()
        for task in tasks + [shared] { await task.waitUntilFinished() }
        #expect(names(bench) == ["first", "shared", "second", "third"])
        #expect(bench.isIdle)
    }

    @Test func whenTheLoadOfHighPriorityIsCancelledTheDownloadHasThePriorityOfTheOthers() async throws {
        let gate = Gate()
        let bench = try bench(gate)
        let lanes = bench.loader.images.shared.lanes
        var tasks = [bench.loader.loadImage(with: request("first", .urgent))]
        await gate.arrival()
        tasks.append(bench.loader.loadImage(with: request("shared", .background)))
        await bench.waitUntil { lanes.counts.slowWaiting == 1 }
        tasks.append(bench.loader.loadImage(with: request("slow", .slow)))
        await bench.waitUntil { lanes.counts.slowWaiting == 2 }
        let immediate = bench.loader.loadImage(with: request("shared", .immediate))
        await bench.waitUntil { lanes.counts.urgentWaiting == 1 }

        immediate.cancel()
        await bench.waitUntil { lanes.counts.slowWaiting == 2 }

        gate.open()
        for task in tasks { await task.waitUntilFinished() }
        #expect(names(bench) == ["first", "slow", "shared"])
    }
}
