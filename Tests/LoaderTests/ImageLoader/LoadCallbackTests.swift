import Dispatch
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite(.timeLimit(.minutes(30))) struct LoadCallbackTests {
    private let request = ImageRequest(url: LoaderBench.url)

    /// The replies to a load, the settings, and the expected callbacks.
    private struct History {
        let name: String
        let replies: [ScriptedReply]
        var change: (inout ImageLoader.Configuration) -> Void = { _ in }
        var wait: Int64 = 0
        let calls: [String]
    }

    private var histories: [History] {
        let first = ScriptedReply.image(TestImage.first, maxAge: 10, etag: "\"1\"")
        return [
            History(name: "fresh", replies: [first], calls: ["hasCache disk"]),
            History(
                name: "confirmed", replies: [first, .status(304)], wait: 11,
                calls: ["hasCache disk", "sendingRequest true", "completed nil nil networkNotModified"]),
            History(
                name: "replaced", replies: [first, .image(TestImage.second)], wait: 11,
                calls: ["hasCache disk", "sendingRequest true", "completed nil 11 networkToDisk"]),
            History(
                name: "failed", replies: [first, .status(404)], wait: 11,
                calls: ["hasCache disk", "sendingRequest true", "completed http nil none", "onFail http true"]),
            History(
                name: "offline", replies: [first, .offline], wait: 11,
                calls: [
                    "hasCache disk", "sendingRequest true", "completed transport nil none", "onFail transport false",
                ]),
            History(
                name: "hidden", replies: [first, .status(304)],
                change: { $0.deliversStaleBeforeValidation = false }, wait: 11,
                calls: ["sendingRequest false", "completed nil 19 networkNotModified"]),
            History(
                name: "repeated", replies: [first, .offline, .image(TestImage.second)],
                change: { $0.retry = RetryPolicy(maxAttempts: 2, firstDelay: .zero) }, wait: 11,
                calls: [
                    "hasCache disk", "sendingRequest true", "onRetry 2 transport", "completed nil 11 networkToDisk",
                ]),
        ]
    }

    private func callbacks(_ calls: Locked<[String]>) -> LoadCallbacks {
        var callbacks = LoadCallbacks()
        callbacks.hasCache = { _, source in calls.update { $0.append("hasCache \(source)") } }
        callbacks.sendingRequest = { had in calls.update { $0.append("sendingRequest \(had)") } }
        callbacks.onRetry = { attempt, _, reason in calls.update { $0.append("onRetry \(attempt) \(reason.code)") } }
        callbacks.requestCompleted = { error, image, source in
            let code = error.map { "\($0.code)" } ?? "nil"
            let width = image.map { "\($0.width)" } ?? "nil"
            calls.update { $0.append("completed \(code) \(width) \(source)") }
        }
        callbacks.onFail = { error, isFatal in calls.update { $0.append("onFail \(error.code) \(isFatal)") } }
        return callbacks
    }

    @Test(.requirement("O9", "O10", "O11", "O12", "O20", "O21", "O72"))
    func loadOfEachCacheScenarioCallsItsCallbacksInOrder() async throws {
        for history in histories {
            let replies = history.replies
            let bench = try LoaderBench(
                ScriptedTransport { _, number in replies[min(number, replies.count) - 1] }, history.change)
            _ = await bench.steps()
            bench.clock.advance(history.wait)
            let calls = Locked<[String]>([])
            let task = bench.loader.loadImage(with: request, callbacks(calls))
            await task.waitUntilFinished()

            #expect(calls.value == history.calls, "\(history.name)")
            #expect(task.didSendRequest == (history.name != "fresh"))
        }
    }

    @Test(.requirement("O8", "O10")) func loadOfAnUncachedImageDoesNotCallHasCache() async throws {
        let bench = try LoaderBench(.image(TestImage.first))
        let calls = Locked<[String]>([])
        await bench.loader.loadImage(with: request, callbacks(calls)).waitUntilFinished()
        #expect(calls.value == ["sendingRequest false", "completed nil 19 networkToDisk"])
    }

    @Test(.requirement("O7", "O15", "O21")) func emptyURLCompletesWithInvalidURLWithoutARequest() async throws {
        let bench = try LoaderBench(.offline)
        let calls = Locked<[String]>([])
        let task = bench.loader.loadImage(with: ImageRequest(url: ""), callbacks(calls))
        await task.waitUntilFinished()
        #expect(calls.value == ["completed invalidURL nil none", "onFail invalidURL true"])
        #expect(!task.didSendRequest)
    }

    @Test(.requirement("O14")) func loadWithoutCallbacksCompletes() async throws {
        for history in histories {
            let replies = history.replies
            let bench = try LoaderBench(
                ScriptedTransport { _, number in replies[min(number, replies.count) - 1] }, history.change)
            _ = await bench.steps()
            bench.clock.advance(history.wait)
            await bench.loader.loadImage(with: request).waitUntilFinished()
            #expect(bench.isIdle)
        }
    }

    @Test(.requirement("O11", "O59")) func cancelledLoadCallsRequestCompletedOnce() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first)
        reply.headGate = gate
        let bench = try LoaderBench(reply)
        let calls = Locked<[String]>([])
        let task = bench.loader.loadImage(with: request, callbacks(calls))
        await gate.arrival()
        task.cancel()
        await task.waitUntilFinished()
        task.cancel()
        #expect(calls.value == ["sendingRequest false", "completed cancelled nil none", "onFail cancelled false"])
    }

    @Test(.requirement("O13")) func callbacksRunOnTheSpecifiedQueue() async throws {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "of the caller", attributes: .concurrent)
        queue.setSpecific(key: key, value: true)
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 10), .image(TestImage.second))
        _ = await bench.steps()
        bench.clock.advance(11)
        let places = Locked<[Bool]>([])
        let note = { @Sendable in places.update { $0.append(DispatchQueue.getSpecific(key: key) == true) } }
        await bench.loader.loadImage(
            with: request, on: .queue(queue), hasCache: { _, _ in note() }, sendingRequest: { _ in note() },
            requestCompleted: { _, _, _ in note() }
        ).waitUntilFinished()
        #expect(places.value == [true, true, true])
    }

    @Test(.requirement("O59")) func endingTheEventIterationCancelsTheLoad() async throws {
        var reply = ScriptedReply.image(TestImage.first)
        reply.ending = .stalled
        let bench = try LoaderBench(reply)
        for await event in bench.loader.events(for: request) {
            if case .progress = event { break }
        }
        await bench.waitUntil { bench.isIdle && bench.transport.openCount == 0 }
        #expect(bench.storedFiles.isEmpty)
    }

    @Test(.requirement("O59", "O73")) func cancelledEventStreamEndsWithFailedCancelled() async throws {
        var reply = ScriptedReply.image(TestImage.first)
        reply.ending = .stalled
        let bench = try LoaderBench(reply)
        let task = Task { await bench.steps() }
        await bench.waitUntil { bench.transport.requests.count == 1 }
        task.cancel()
        let steps = await task.value
        #expect(steps == ["sending", "failed cancelled"])
    }
}
