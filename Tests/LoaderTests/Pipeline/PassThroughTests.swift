import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

// Docs/http-cache.md 5.3 and 5.5: responses that the caller interprets.
@Suite struct PassThroughTests {
    private static let end = "http://example.com/end"
    private let image = ScriptedReply.image(TestImage.first, maxAge: 60, etag: "\"1\"")

    private func moved(_ status: Int = 302, _ fields: HeaderFields = [:]) -> ScriptedReply {
        var reply = ScriptedReply.status(status, ["Location": Self.end])
        reply.fields.lines += fields.lines
        reply.chunks = [Array("over there".utf8)]
        return reply
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func requestWithManualRedirectReturnsTheRedirectResponse(status: Int) async throws {
        let bench = try LoaderBench(ScriptedTransport(moved(status)))
        var data = DataRequest(url: LoaderBench.url)
        data.redirect = .manual
        let loaded = try await bench.loader.data(for: data)

        #expect(loaded.status == status)
        #expect(loaded.fields["Location"] == Array(Self.end.utf8))
        #expect(loaded.bytes == Array("over there".utf8))
        #expect(loaded.source == .networkToDisk)
        #expect(!loaded.isStored)

        var request = ImageRequest(url: LoaderBench.url)
        request.redirect = .manual
        let error = await bench.failure(request)
        #expect(error?.code == .unexpectedStatus)
        #expect(error?.statusCode == status)
        #expect(error?.response?.fields["Location"] == Array(Self.end.utf8))
        #expect(error?.response?.body == Array("over there".utf8))
        #expect(bench.transport.requests.map(\.url) == [LoaderBench.url, LoaderBench.url])
    }

    @Test func requestWithManualRedirectReturnsARedirectWithoutLocation() async throws {
        for status in [300, 302, 305, 399] {
            let bench = try LoaderBench(ScriptedTransport(.status(status)))
            var data = DataRequest(url: LoaderBench.url)
            data.redirect = .manual
            let loaded = try await bench.loader.data(for: data)
            #expect(loaded.status == status)
            #expect(loaded.bytes == [])
        }
    }

    @Test func requestWithManualRedirectReturnsAFreshStoredRedirect() async throws {
        let bench = try LoaderBench(
            ScriptedTransport { [moved] request, _ in
                request.url == Self.end
                    ? .image(TestImage.first, maxAge: 60) : moved(301, ["Cache-Control": "max-age=60"])
            })
        var data = DataRequest(url: LoaderBench.url)
        let followed = try await bench.loader.data(for: data)
        #expect(followed.bytes == TestImage.first)
        data.redirect = .manual
        bench.clock.advance(5)
        let stored = try await bench.loader.data(for: data)
        #expect(stored.status == 301)
        #expect(stored.source == .disk)
        #expect(stored.isStored)
        #expect(stored.bytes == Array("over there".utf8))
        #expect(stored.fields["Age"] == Array("5".utf8))
        #expect(bench.transport.requests.count == 2)

        var request = ImageRequest(url: LoaderBench.url)
        _ = await bench.steps(request)
        request.redirect = .manual
        let error = await bench.failure(request)
        #expect(error?.code == .unexpectedStatus)
        #expect(error?.response?.source == .disk)
        // A request that follows redirects loads the stored image.
        request.redirect = .follow
        #expect(await bench.steps(request) == ["cached disk fresh", "finished disk"])
        // The image load follows the redirect again and uses the image that the data load stored.
        #expect(bench.transport.requests.count == 3)
    }

    @Test func loadsWithFollowedAndManualRedirectDoNotShareADownload() async throws {
        let gate = Gate()
        var first = moved()
        first.headGate = gate
        let (held, second) = (first, moved())
        let bench = try LoaderBench(
            ScriptedTransport { [image] request, number in
                request.url == Self.end ? image : number == 1 ? held : second
            })
        async let followed = bench.loader.data(for: DataRequest(url: LoaderBench.url))
        await gate.arrival()
        var manual = DataRequest(url: LoaderBench.url)
        manual.redirect = .manual
        #expect(try await bench.loader.data(for: manual).status == 302)
        gate.open()
        #expect(try await followed.bytes == TestImage.first)
    }

    private static let conditions: [HeaderFields] = [
        ["If-None-Match": "\"0\""], ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], ["If-Match": "\"1\""],
        ["If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], ["Range": "bytes=0-9"],
        ["Range": "bytes=0-9", "If-Range": "\"1\""], ["if-none-match": "*"],
    ]

    @Test(arguments: [304, 206])
    func responseToAConditionalOrRangeRequestOfTheCallerIsReturnedAndNotStored(status: Int) async throws {
        for fields in Self.conditions {
            // The response allows storing for 600 s.
            var special = ScriptedReply.status(
                status, ["ETag": "\"1\"", "Cache-Control": "max-age=600", "Content-Range": "bytes 0-9/506"])
            if status == 206 { special.chunks = [Array(TestImage.first.prefix(10))] }
            let reply = special
            let bench = try LoaderBench(
                ScriptedTransport { [image] request, _ in request.fields.hasCallerConditions ? reply : image })
            _ = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
            let before = bench.folder.files

            // Every conditional request is sent although a fresh body is stored.
            for count in [2, 3] {
                let loaded = try await bench.loader.data(for: DataRequest(url: LoaderBench.url, fields: fields))
                #expect(loaded.status == status)
                #expect(loaded.bytes == (status == 206 ? Array(TestImage.first.prefix(10)) : []))
                #expect(loaded.fields["Content-Range"] == Array("bytes 0-9/506".utf8))
                #expect(loaded.source == .networkToDisk)
                #expect(!loaded.isStored)
                #expect(bench.transport.requests.count == count)
                #expect(bench.transport.requests.last?.fields == fields)
            }
            #expect(bench.folder.files == before)
            let own = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
            #expect(own.source == .disk)
            #expect(own.bytes == TestImage.first)
        }
    }

    @Test(.requirement("O40"), arguments: [304, 206])
    func response304Or206ToAConditionalOrRangeImageRequestFailsWithUnexpectedStatus(status: Int) async throws {
        for fields in Self.conditions {
            let bench = try LoaderBench(ScriptedTransport(.status(status, ["ETag": "\"1\""])))
            let error = await bench.failure(ImageRequest(url: LoaderBench.url, fields: fields))
            #expect(error?.code == .unexpectedStatus)
            #expect(error?.statusCode == status)
            #expect(error?.response?.status == status)
            #expect(error?.response?.fields == ["ETag": "\"1\""])
            #expect(bench.transport.requests.count == 1)
            #expect(bench.storedFiles.isEmpty)
        }
    }

    @Test(.requirement("O40")) func partialContentWithoutARangeRequestFails() async throws {
        var part = ScriptedReply.status(206, ["Content-Range": "bytes 0-9/506", "Cache-Control": "max-age=60"])
        part.chunks = [Array(TestImage.first.prefix(10))]
        let bench = try LoaderBench(ScriptedTransport(part))
        let error = await bench.dataFailure()
        #expect(error?.code == .unexpectedStatus)
        #expect(error?.response?.status == 206)
        #expect(await bench.failure()?.code == .unexpectedStatus)
        #expect(bench.folder.files.filter { $0.contains("/v1/") }.isEmpty)
    }

    @Test func fullResponseToAConditionalRequestOfTheCallerIsNotStored() async throws {
        let bench = try LoaderBench(ScriptedTransport(image))
        for _ in 0..<2 {
            let loaded = try await bench.loader.data(
                for: DataRequest(url: LoaderBench.url, fields: ["If-None-Match": "\"0\""]))
            #expect(loaded.status == 200)
            #expect(loaded.bytes == TestImage.first)
            #expect(!loaded.isStored)
        }
        #expect(bench.transport.requests.count == 2)
        #expect(bench.folder.files.filter { $0.contains("/v1/") }.isEmpty)
    }

    @Test func partialBodyWithAContentCodingIsReturnedEncoded() async throws {
        let coded = Array(CodedBody.gzip(TestImage.first)[5..<25])
        var part = ScriptedReply.status(206, ["Content-Range": "bytes 5-24/300", "Content-Encoding": "gzip"])
        part.chunks = [coded]
        let bench = try LoaderBench(ScriptedTransport(part))
        let loaded = try await bench.loader.data(
            for: DataRequest(url: LoaderBench.url, fields: ["Range": "bytes=5-24"]))
        #expect(loaded.bytes == coded)
    }

    @Test func partialBodyOverMaxResponseBytesIsRejected() async throws {
        var part = ScriptedReply.status(206, ["Content-Range": "bytes 0-99/300"])
        part.chunks = [Array(repeating: 1, count: 100)]
        let reply = part
        for (limit, isAccepted) in [(100, true), (99, false)] {
            let bench = try LoaderBench(ScriptedTransport(reply)) { $0.maxResponseBytes = limit }
            let error = await bench.dataFailure(DataRequest(url: LoaderBench.url, fields: ["Range": "bytes=0-99"]))
            #expect(error?.code == (isAccepted ? nil : .bodyTooLarge))
        }
    }

    @Test(.requirement("O83")) func requestWithAConditionalFieldOfTheCallerIgnoresCachedFailures() async throws {
        let bench = try LoaderBench(.status(404), .status(304)) { $0.negativeCacheMaxAge = .seconds(60) }
        _ = await bench.dataFailure()
        #expect(await bench.dataFailure()?.code == .remembered)
        let loaded = try await bench.loader.data(
            for: DataRequest(url: LoaderBench.url, fields: ["If-None-Match": "\"1\""]))
        #expect(loaded.status == 304)
    }
}
