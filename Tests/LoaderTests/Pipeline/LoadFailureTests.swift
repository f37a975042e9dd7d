import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite struct LoadFailureTests {
    /// Contents of the files in the image cache, by name.
    private func storedContents(_ bench: LoaderBench) throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for file in bench.storedFiles {
            contents[file] = Array(try Data(contentsOf: URL(fileURLWithPath: bench.folder.path + "/" + file)))
        }
        return contents
    }

    private func staleBench(
        _ reply: ScriptedReply, _ change: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) async throws -> LoaderBench {
        let bench = try LoaderBench(
            ScriptedTransport(.image(TestImage.first, maxAge: 10, etag: "\"1\""), reply), change)
        _ = await bench.steps()
        bench.clock.advance(11)
        return bench
    }

    @Test(.requirement("O32", "O40")) func responseWithAnUnsuccessfulStatusKeepsTheStoredImage() async throws {
        let table: [(status: Int, failure: String)] = [
            (400, "http 400"), (404, "http 404"), (410, "http 410"), (429, "http 429"), (500, "http 500"),
            (503, "http 503"), (599, "http 599"), (201, "unexpectedStatus 201"), (202, "unexpectedStatus 202"),
            (204, "unexpectedStatus 204"), (205, "unexpectedStatus 205"), (206, "unexpectedStatus 206"),
            (300, "unexpectedStatus 300"), (999, "unexpectedStatus 999"),
        ]
        for row in table {
            let bench = try await staleBench(.status(row.status))
            let before = try storedContents(bench)
            #expect(
                await bench.steps() == ["cached disk stale", "sending after image", "failed \(row.failure)"],
                "\(row.status)")
            let after = try storedContents(bench)
            #expect(after == before, "\(row.status)")
        }
    }

    @Test(.requirement("O30", "O39")) func transportErrorKeepsTheStoredImage() async throws {
        var cut = ScriptedReply.image(TestImage.second, maxAge: 60)
        cut.ending = .closed
        var short = ScriptedReply.image(TestImage.second, maxAge: 60)
        short.chunks.removeLast()
        var early = ScriptedReply.image(TestImage.second, maxAge: 60)
        early.chunks = []
        early.ending = .closed
        let refused = ScriptedReply(error: .tls("expired"))
        for (reply, code) in [
            (ScriptedReply.offline, "transport"), (cut, "transport"), (short, "transport"), (early, "transport"),
            (refused, "tls"),
        ] {
            let bench = try await staleBench(reply) { $0.defaultCacheControlMaxAgeForErrors = .seconds(60) }
            let before = try storedContents(bench)
            for _ in 0..<4 {
                #expect(await bench.steps() == ["cached disk stale", "sending after image", "failed \(code)"])
            }
            let after = try storedContents(bench)
            #expect(after == before)
            #expect(bench.isIdle)
        }
    }

    @Test(.requirement("O39")) func truncatedBodyIsNotStored() async throws {
        for count in 0..<6 {
            var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
            reply.fields.removeAll(named: "Content-Length")
            reply.chunks = Array(reply.chunks.prefix(count))
            reply.ending = .closed
            let bench = try LoaderBench(ScriptedTransport(reply))
            #expect(await bench.steps() == ["sending", "failed transport"], "\(count)")
            #expect(bench.storedFiles.isEmpty)
        }
    }

    @Test(.requirement("O35", "O36"))
    func repeatedErrorSuppressesRequestsOnceMaxAttemptsForErrorsIsReached() async throws {
        let bench = try LoaderBench(.status(500)) {
            $0.maxAttemptsForErrors = 3
            $0.defaultCacheControlMaxAgeForErrors = .seconds(60)
        }

        for _ in 0..<3 { #expect(await bench.steps() == ["sending", "failed http 500"]) }
        #expect(await bench.steps() == ["failed remembered 500"])
        let error = await bench.failure()
        #expect(error?.until == bench.clock.now.adding(milliseconds: 60_000))
        #expect(bench.transport.requests.count == 3)
        // The cached error is on disk; a load with the policy `reload` sends a request nevertheless.
        let next = try LoaderBench(bench.transport, in: bench.folder) {
            $0.maxAttemptsForErrors = 3
            $0.defaultCacheControlMaxAgeForErrors = .seconds(60)
            $0.clock = { bench.clock.now }
        }
        #expect(await next.steps() == ["failed remembered 500"])
        let reload = ImageRequest(url: LoaderBench.url, policy: .reload)
        #expect(await next.steps(reload) == ["sending", "failed http 500"])
        bench.clock.advance(61)
        #expect(await next.steps() == ["sending", "failed http 500"])
    }

    @Test(.requirement("O37")) func successResetsTheErrorCount() async throws {
        let bench = try LoaderBench(
            .status(500), .image(TestImage.first, etag: "\"1\""), .status(500), .status(304), .status(500)
        ) {
            $0.maxAttemptsForErrors = 2
            $0.defaultCacheControlMaxAgeForErrors = .seconds(60)
        }
        for _ in 0..<5 { _ = await bench.steps() }
        #expect(bench.transport.requests.count == 5)
        _ = await bench.steps()
        _ = await bench.steps()
        #expect(bench.transport.requests.count == 6)
    }

    @Test(.requirement("O38")) func staleImageIsDeliveredBeforeACachedError() async throws {
        let bench = try await staleBench(.status(500)) {
            $0.maxAttemptsForErrors = 1
            $0.defaultCacheControlMaxAgeForErrors = .seconds(60)
        }
        #expect(await bench.steps() == ["cached disk stale", "sending after image", "failed http 500"])
        #expect(await bench.steps() == ["cached disk stale", "failed remembered 500"])
    }

    @Test(.requirement("O42")) func undecodableBodyIsNotStored() async throws {
        var page = ScriptedReply.image(Array("<html>log in</html>".utf8), maxAge: 60)
        let empty = ScriptedReply.image([], maxAge: 60)
        let bare = ScriptedReply.image(Array(TestImage.second.prefix(20)), maxAge: 60)
        page.fields.append("ETag", "\"2\"")
        for reply in [page, empty, bare] {
            let bench = try await staleBench(reply)
            let before = try storedContents(bench)
            #expect(await bench.steps() == ["cached disk stale", "sending after image", "failed undecodable"])
            let after = try storedContents(bench)
            #expect(after == before)
        }
    }

    @Test(.requirement("O43")) func onlyAcceptedContentTypesAreLoaded() async throws {
        let gif = try Fixture.file("gif/animation-no-trailer.gif")
        let png = TestImage.first
        let table: [(type: String?, bytes: [UInt8], accepted: Set<ContentType>?, isAccepted: Bool)] = [
            ("image/png", png, nil, true), ("IMAGE/PNG; q=1", png, nil, true), ("text/html", png, nil, false),
            ("image/jpg", png, [.jpeg], true), ("image/jpeg", png, [.jpg], true), ("image/gif", png, [.png], false),
            (nil, png, nil, true), ("application/octet-stream", png, nil, true), (nil, gif, [.png], false),
            (nil, Array("<html>".utf8), nil, false), ("image/webp", png, [], true), ("text/plain", png, [], false),
            (nil, png, [], true), ("image/x-thing", png, ContentType("image/*").map { [$0] }, true),
            ("text/plain", png, ContentType("image/*").map { [$0] }, false),
        ]
        for row in table {
            var reply = ScriptedReply.image(row.bytes, maxAge: 60)
            reply.fields.removeAll(named: "Content-Type")
            if let type = row.type { reply.fields.append("Content-Type", type) }
            let bench = try LoaderBench(ScriptedTransport(reply)) {
                if let accepted = row.accepted { $0.acceptedContentTypes = accepted }
            }
            let end = row.isAccepted ? "finished networkToDisk" : "failed unacceptableContentType"
            #expect(await bench.steps() == ["sending", end], "\(row.type ?? "none") \(row.bytes.count)")
            #expect(bench.storedFiles.isEmpty == !row.isAccepted)
        }
    }

    @Test(.requirement("O43")) func downloadOfAnUnacceptedContentTypeIsCancelled() async throws {
        var reply = ScriptedReply.image(TestImage.first)
        reply.fields = ["Content-Type": "text/html"]
        reply.ending = .stalled
        let bench = try LoaderBench(ScriptedTransport(reply))

        #expect(await bench.steps() == ["sending", "failed unacceptableContentType"])
        #expect(bench.transport.openCount == 0)
    }

    @Test(.requirement("O43")) func storedImageOfANoLongerAcceptedTypeIsRequestedAgainAndRejected() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        _ = await bench.steps()
        try bench.loader.update { $0.acceptedContentTypes = [.gif] }

        #expect(await bench.steps() == ["sending", "failed unacceptableContentType"])
    }

    @Test(.requirement("O28")) func bodyRemovedFromDiskDuringRevalidationIsStoredAgain() async throws {
        let gate = Gate()
        var confirmed = ScriptedReply.status(304, ["Cache-Control": "max-age=60"])
        confirmed.headGate = gate
        let bench = try await staleBench(confirmed)
        async let steps = bench.steps()
        await gate.arrival()
        for file in bench.storedFiles { try FileManager.default.removeItem(atPath: bench.folder.path + "/" + file) }
        gate.open()

        #expect(await steps == ["cached disk stale", "sending after image", "finished networkNotModified"])
        #expect(await bench.steps() == ["cached disk fresh", "finished disk"])
    }

    @Test(.requirement("O8", "O28")) func damagedStoredBodyIsRequestedUnconditionally() async throws {
        let bench = try await staleBench(.image(TestImage.second))
        for file in bench.storedFiles {
            let path = bench.folder.path + "/" + file
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            bytes[bytes.count - 1] ^= 1
            try bytes.write(to: URL(fileURLWithPath: path))
        }

        #expect(await bench.steps() == ["sending", "finished networkToDisk"])
        #expect(bench.transport.requests[1].fields.lines.isEmpty)
    }

    @Test(.requirement("O92")) func bodyOverMaxResponseBytesIsRejected() async throws {
        let size = TestImage.first.count
        for (limit, isAccepted) in [(size, true), (size - 1, false), (0, false)] {
            for hasLength in [true, false] {
                var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
                if !hasLength { reply.fields.removeAll(named: "Content-Length") }
                let bench = try LoaderBench(ScriptedTransport(reply)) { $0.maxResponseBytes = limit }
                let end = isAccepted ? "finished networkToDisk" : "failed bodyTooLarge"
                #expect(await bench.steps() == ["sending", end], "\(limit) \(hasLength)")
                #expect(bench.storedFiles.isEmpty == !isAccepted)
                #expect(bench.transport.openCount == 0)
            }
        }
    }

    @Test(.requirement("O92")) func imageOverMaxDecodedBytesIsRejected() async throws {
        let bytes = 19 * 13 * 4
        for (limit, end) in [(bytes, "finished networkToDisk"), (bytes - 4, "failed pixelLimit")] {
            let bench = try LoaderBench(ScriptedTransport(.image(TestImage.first))) { $0.maxDecodedBytes = limit }
            #expect(await bench.steps() == ["sending", end])
        }
    }

    @Test(.requirement("O10", "O72", "O73")) func onlyRetryableFailuresAreRetriedUpToMaxAttempts() async throws {
        let retry = RetryPolicy(maxAttempts: 3, firstDelay: .zero)
        let bench = try LoaderBench(.offline, .status(503), .image(TestImage.first)) { $0.retry = retry }
        #expect(
            await bench.steps() == [
                "sending", "retrying 2 transport", "retrying 3 http", "finished networkToDisk",
            ])
        let fatal = try LoaderBench(.status(404)) { $0.retry = retry }
        #expect(await fatal.steps() == ["sending", "failed http 404"])
        let offline = try LoaderBench(.offline) { $0.retry = retry }
        #expect(
            await offline.steps() == ["sending", "retrying 2 transport", "retrying 3 transport", "failed transport"])
        #expect(offline.isIdle)
    }

    @Test(.requirement("O35")) func retriesOfOneLoadCountAsOneError() async throws {
        let bench = try LoaderBench(.status(500)) {
            $0.retry = RetryPolicy(maxAttempts: 3, firstDelay: .zero)
            $0.maxAttemptsForErrors = 2
            $0.defaultCacheControlMaxAgeForErrors = .seconds(60)
        }
        for _ in 0..<3 { _ = await bench.steps() }
        #expect(bench.transport.requests.count == 6)
    }

    @Test func staleIfErrorDeliversTheStaleImageOnATransportOrServerError() async throws {
        for reply in [ScriptedReply.offline, .status(500), .status(503)] {
            let bench = try await staleBench(reply) { $0.staleIfError = .upTo(.seconds(60)) }
            let image = try await bench.loader.image(for: ImageRequest(url: LoaderBench.url))
            #expect(image.source == .disk)
            #expect(!image.isFresh)
            #expect(image.staleReason?.code == (reply.error == nil ? .http : .transport))
            #expect(await bench.steps() == ["cached disk stale", "sending after image", "finished disk"])
        }
        let refused = try await staleBench(.status(404)) { $0.staleIfError = .upTo(.seconds(60)) }
        #expect(await refused.failure()?.statusCode == 404)
    }

    @Test(.requirement("O19")) func loadSucceedsDespiteADiskFault() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        _ = await bench.steps()
        try FileManager.default.removeItem(atPath: bench.folder.path + "/images")
        try Data().write(to: URL(fileURLWithPath: bench.folder.path + "/images"))

        for _ in 0..<2 { #expect(await bench.steps() == ["sending", "finished networkToDisk"]) }
    }

    @Test(.requirement("O34", "O83"))
    func permanentFailureIsReturnedFromTheNegativeCacheWithoutARequest() async throws {
        let page = ScriptedReply.image(Array("<html>".utf8))
        var html = page
        html.fields = ["Content-Type": "text/html"]
        for (reply, code) in [
            (ScriptedReply.status(404), "http 404"), (.status(410), "http 410"), (page, "undecodable"),
            (html, "unacceptableContentType"),
        ] {
            let bench = try LoaderBench(ScriptedTransport(reply)) { $0.negativeCacheMaxAge = .seconds(60) }
            #expect(await bench.steps() == ["sending", "failed \(code)"])
            #expect(await bench.steps().first?.hasPrefix("failed remembered") == true)
            bench.loader.forgetFailures()
            #expect(await bench.steps() == ["sending", "failed \(code)"])
            bench.clock.advance(60)
            #expect(await bench.steps() == ["sending", "failed \(code)"])
            let reload = ImageRequest(url: LoaderBench.url, policy: .reload)
            #expect(await bench.steps(reload) == ["sending", "failed \(code)"])
        }
        for reply in [ScriptedReply.offline, .status(500), .status(403)] {
            let bench = try LoaderBench(ScriptedTransport(reply)) { $0.negativeCacheMaxAge = .seconds(60) }
            _ = await bench.steps()
            #expect(await bench.steps().first == "sending")
        }
        let bench = try LoaderBench(.status(404))
        for _ in 0..<2 { #expect(await bench.steps() == ["sending", "failed http 404"]) }
    }
}
