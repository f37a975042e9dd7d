import Dispatch
import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Behaviour of the original loaders (Docs/originals.md) that no other suite tests.
@Suite(.timeLimit(.minutes(30))) struct LoadOriginalsTests {
    private let request = ImageRequest(url: LoaderBench.url)

    @Test(.requirement("O13")) func blockedCallbackDoesNotDelayOtherLoads() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        _ = await bench.steps()
        let (arrived, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let slow = bench.loader.loadImage(
            with: request,
            hasCache: { _, _ in
                arrived.signal()
                released.wait()
            })
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "waits for the callback").async {
                arrived.wait()
                continuation.resume()
            }
        }
        // While the callback of the first load blocks, other loads finish.
        for _ in 0..<3 { #expect(await bench.steps() == ["cached disk fresh", "finished disk"]) }
        await bench.loader.loadImage(with: request).waitUntilFinished()
        released.signal()
        await slow.waitUntilFinished()
    }

    @Test(.requirement("O16")) func loadsThatWaitForTheDiskBlockNoCallerThread() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        _ = await bench.steps()
        let queue = bench.loader.images.shared.diskQueue
        // The suspended queue does no disk work, so every load that uses the disk cache waits.
        queue.suspend()
        let calls = Locked(0)
        let tasks = (0..<200).map { _ in
            bench.loader.loadImage(with: request, hasCache: { _, _ in calls.update { $0 += 1 } })
        }
        // The threads of Swift's concurrency pool are not blocked: a load without cache layers finishes.
        var bare = request
        bare.layers = []
        #expect(await bench.steps(bare) == ["sending", "finished networkToDisk"])
        #expect(calls.value == 0)
        queue.resume()
        for task in tasks { await task.waitUntilFinished() }
        #expect(calls.value == 200)
    }

    @Test(.requirement("O18")) func loadSourceHasTheFiveDocumentedCases() {
        #expect(
            LoadSource.allCases.map(\.rawValue) == ["none", "memory", "disk", "networkNotModified", "networkToDisk"])
    }

    @Test(.requirement("O19")) func newImageIsStoredOnDiskBeforeItIsDelivered() async throws {
        for size in [TestImage.first, TestImage.second] {
            let bench = try LoaderBench(.image(size, maxAge: 60))
            let files = Locked<[[String]]>([])
            await bench.loader.loadImage(
                with: request,
                requestCompleted: { _, _, _ in files.update { $0.append(bench.storedFiles) } }
            ).waitUntilFinished()
            #expect(files.value.map(\.count) == [1])
            // The file is complete: another loader finds it.
            let other = try LoaderBench(ScriptedTransport(.offline), in: bench.folder) {
                $0.clock = { bench.clock.now }
            }
            #expect(await other.steps() == ["cached disk fresh", "finished disk"])
        }
    }

    @Test(.requirement("O25")) func response304WithoutCacheControlUsesTheDefaultLifetime() async throws {
        let bench = try LoaderBench(.image(TestImage.first, etag: "\"1\""), .status(304)) {
            $0.defaultCacheControlMaxAge = .seconds(10)
        }
        _ = await bench.steps()
        for _ in 0..<3 {
            bench.clock.advance(11)
            #expect(await bench.steps().last == "finished networkNotModified")
            bench.clock.advance(9)
            #expect(await bench.steps() == ["cached disk fresh", "finished disk"])
        }
        let withoutDefault = try LoaderBench(.image(TestImage.first, etag: "\"1\""), .status(304))
        for _ in 0..<3 { _ = await withoutDefault.steps() }
        #expect(withoutDefault.transport.requests.count == 3)
    }

    @Test(.requirement("O26")) func response304UpdatesTheHeaderAndKeepsTheBodyBytes() async throws {
        let bench = try LoaderBench(
            .image(TestImage.first, maxAge: 10, etag: "\"1\""), .status(304, ["Cache-Control": "max-age=20"]))
        _ = await bench.steps()
        let file = try #require(bench.storedFiles.first)
        let path = bench.folder.path + "/" + file
        func inode() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
        }
        let (before, node) = (try Data(contentsOf: URL(fileURLWithPath: path)), try inode())
        bench.clock.advance(11)
        #expect(await bench.steps().last == "finished networkNotModified")

        let after = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bench.storedFiles == [file])
        #expect(try inode() == node)
        #expect(after.suffix(TestImage.first.count) == before.suffix(TestImage.first.count))
        #expect(Array(after.suffix(TestImage.first.count)) == TestImage.first)
        // The header of the file contains the fields of the 304 response.
        #expect(after != before)
        let image = try await bench.loader.image(for: request)
        #expect(image.fields["Cache-Control"] == Array("max-age=20".utf8))
    }

    @Test(.requirement("O27")) func newResponseReplacesTheCacheDirectivesOfTheStoredResponse() async throws {
        var noCache = ScriptedReply.image(TestImage.first)
        noCache.fields.append("Cache-Control", "no-cache")
        let bench = try LoaderBench(ScriptedTransport(noCache, .image(TestImage.second, maxAge: 60)))
        _ = await bench.steps()
        // A `no-cache` response is stored and revalidated before each use.
        #expect(await bench.steps() == ["cached disk stale", "sending after image", "finished networkToDisk"])
        #expect(await bench.steps() == ["cached disk fresh", "finished disk"])
    }

    @Test(.requirement("O39")) func cancelledRevalidationKeepsTheStoredImage() async throws {
        let gate = Gate()
        var held = ScriptedReply.image(TestImage.second, maxAge: 60)
        held.bodyGate = gate
        let bench = try LoaderBench(
            ScriptedTransport(.image(TestImage.first, maxAge: 10, etag: "\"1\""), held, .status(304)))
        _ = await bench.steps()
        bench.clock.advance(11)
        let before = try storedContents(bench)
        let task = Task { await bench.steps() }
        await gate.arrival()
        task.cancel()
        #expect(await task.value == ["cached disk stale", "sending after image", "failed cancelled"])
        await bench.waitUntil { bench.isIdle && bench.transport.openCount == 0 }

        let after = try storedContents(bench)
        #expect(after == before)
        #expect(await bench.steps().last == "finished networkNotModified")
    }

    private func storedContents(_ bench: LoaderBench) throws -> [String: Data] {
        let files = bench.storedFiles.map { name in
            (name, FileManager.default.contents(atPath: bench.folder.path + "/" + name) ?? Data())
        }
        return Dictionary(uniqueKeysWithValues: files)
    }

    @Test(.requirement("O40")) func only2xxResponsesOtherThan201Or202Or204To206AreLoadedAndStored() async throws {
        for status in [203, 207, 208, 218, 226, 250, 299] {
            var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
            reply.status = status
            let bench = try LoaderBench(ScriptedTransport(reply))
            let image = try await bench.loader.image(for: request)
            #expect(image.status == status)
            #expect(image.isStored)
            #expect(await bench.steps() == ["cached disk fresh", "finished disk"])
        }
        // A load with one of these statuses fails, even with an image body.
        for status in [100, 103, 199, 201, 202, 204, 205, 206, 300, 304, 305, 306, 600, 999] {
            var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
            reply.status = status
            let bench = try LoaderBench(ScriptedTransport(reply))
            let error = await bench.failure()
            #expect(error?.code == .unexpectedStatus, "\(status)")
            #expect(error?.statusCode == status)
            #expect(bench.storedFiles.isEmpty)
        }
    }

    @Test(.requirement("O53", "O81")) func cacheKeyIsTheNormalizedURL() async throws {
        let urls = [
            "http://example.com/a.png", "http://example.com/A.png", "http://example.com/a.png?",
            "https://example.com/a.png",
            "http://example.com/a.png?b=1&c=2", "http://example.com/a.png?c=2&b=1", "http://example.org/a.png",
            "http://example.com:81/a.png", "http://example.com/b/../a.png", "http://example.com/%61.png",
        ]
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.cacheImagesInMemory = true }
        for url in urls { #expect(await bench.steps(ImageRequest(url: url)) == ["sending", "finished networkToDisk"]) }
        // The stored images are found for these URLs, and for a URL that differs from the first one only in the
        // letter case of scheme and host, the default port (RFC 9110 section 4.2.3) and the fragment. No request
        // is sent.
        for url in urls + ["HTTP://EXAMPLE.com:80/a.png#part"] {
            #expect(await bench.steps(ImageRequest(url: url)) == ["cached memory fresh", "finished memory"], "\(url)")
        }
        #expect(bench.transport.requests.map(\.url) == urls)
    }

    @Test(.requirement("O66", "O74")) func loadWaitingForARetryOccupiesNoRequestSlot() async throws {
        let bench = try LoaderBench(
            ScriptedTransport { request, _ in
                request.url == LoaderBench.url ? .status(503, ["Retry-After": "86400"]) : .image(TestImage.first)
            }
        ) {
            $0.retry = .standard
            // The delay is longer than this test can take, so there is no second attempt.
            $0.maxRetryDelay = .oneDay
            $0.urgentWidth = 1
        }
        let (waiting, calls) = (Gate(), Locked<[String]>([]))
        var callbacks = LoadCallbacks()
        callbacks.onRetry = { _, delay, _ in
            calls.update { $0.append("onRetry") }
            // The delay is at least the `Retry-After` of the origin.
            if delay >= .oneDay { waiting.open() }
        }
        callbacks.onFail = { error, _ in calls.update { $0.append("onFail \(error.code)") } }
        let waitingTask = bench.loader.loadImage(with: request, callbacks)
        try await waiting.pass()

        // The only request slot is free for both priorities; a load with slow priority starts only while no urgent load
        // is running.
        var slow = ImageRequest(url: "http://example.com/slow.png")
        slow.priority = .slow
        for other in [ImageRequest(url: "http://example.com/urgent.png"), slow] {
            #expect(await bench.steps(other) == ["sending", "finished networkToDisk"])
        }
        #expect(bench.loader.images.shared.lanes.counts == LaneCounts())
        waitingTask.cancel()
        await waitingTask.waitUntilFinished()
        #expect(calls.value == ["onRetry", "onFail cancelled"])
        await bench.waitUntil { bench.isIdle }
    }

    @Test(.requirement("O41", "O72")) func errorCodeAndHTTPStatusDetermineWhetherAnErrorIsFatalOrRetryable() {
        let table: [(code: LoadError.Code, name: String, isFatal: Bool, isRetryable: Bool)] = [
            (.invalidURL, "invalidURL", true, false), (.unsupportedScheme, "unsupportedScheme", true, false),
            (.configuration, "configuration", true, false), (.notInCache, "notInCache", true, false),
            (.transport, "transport", false, true), (.tls, "tls", true, false),
            (.unexpectedStatus, "unexpectedStatus", true, false), (.redirect, "redirect", true, false),
            (.unacceptableContentType, "unacceptableContentType", true, false),
            (.bodyTooLarge, "bodyTooLarge", true, false), (.undecodable, "undecodable", true, false),
            (.unsupportedFormat, "unsupportedFormat", true, false), (.pixelLimit, "pixelLimit", true, false),
            (.cancelled, "cancelled", false, false),
        ]
        for row in table {
            let error = LoadError(row.code, "")
            #expect(row.code.description == row.name)
            #expect(error.isFatal == row.isFatal, "\(row.name)")
            #expect(error.isRetryable == row.isRetryable, "\(row.name)")
        }
        for status in 400...599 {
            let error = LoadError(.http, statusCode: status, "")
            let isFatal = status < 500 && ![408, 425, 429].contains(status)
            #expect(error.isFatal == isFatal)
            #expect(error.isRetryable == !isFatal)
            let remembered = LoadError.remembered(error, until: WallTime(seconds: 0))
            #expect(remembered.isFatal == isFatal)
            #expect(!remembered.isRetryable)
        }
    }
}
