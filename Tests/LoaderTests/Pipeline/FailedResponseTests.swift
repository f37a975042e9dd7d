import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

// The response that an error contains: status, fields and body (Docs/pipe.md, "Response to load").
@Suite struct FailedResponseTests {
    private let request = ImageRequest(url: LoaderBench.url)

    private func reply(_ status: Int, _ body: String, _ fields: HeaderFields = [:]) -> ScriptedReply {
        var reply = ScriptedReply.status(status, ["Content-Type": "text/plain", "Connection": "X-Hop", "X-Hop": "1"])
        reply.fields.lines += fields.lines
        reply.chunks = [Array(body.utf8)]
        return reply
    }

    private func failure(_ bench: LoaderBench, asData: Bool) async -> LoadError? {
        guard asData else { return await bench.failure() }
        return await bench.dataFailure()
    }

    @Test(.requirement("O32", "O40", "O41"), arguments: [false, true])
    func loadErrorContainsStatusFieldsAndBodyOfTheFailedResponse(asData: Bool) async throws {
        for (status, code) in [
            (404, "http"), (500, "http"), (599, "http"), (201, "unexpectedStatus"), (300, "unexpectedStatus"),
        ] {
            let bench = try LoaderBench(ScriptedTransport(reply(status, "what happened")))
            let error = await failure(bench, asData: asData)
            let response = try #require(error?.response)
            #expect(error?.code.description == code)
            #expect(response.status == status)
            #expect(response.body == Array("what happened".utf8))
            #expect(response.source == .none)
            // `Connection` and the field that it names are removed (RFC 9110 section 7.6.1).
            #expect(response.fields == ["Content-Type": "text/plain"])
        }
    }

    @Test func errorBodyWithAContentCodingIsDecoded() async throws {
        let text = Array("what happened, what happened".utf8)
        var coded = reply(404, "", ["Content-Encoding": "gzip"])
        coded.chunks = [CodedBody.gzip(text)]
        let bench = try LoaderBench(ScriptedTransport(coded))
        #expect(await bench.failure()?.response?.body == text)

        // A body that cannot be decoded is omitted; status and code of the error do not change.
        for (name, body) in [("br", [1, 2, 3]), ("gzip", [1, 2, 3]), ("gzip", CodedBody.gzip(text).dropLast())] {
            coded.fields = ["Content-Encoding": name]
            coded.chunks = [Array(body)]
            let bench = try LoaderBench(ScriptedTransport(coded))
            let error = await bench.failure()
            #expect(error?.statusCode == 404)
            #expect(error?.response?.body == [])
        }
    }

    @Test func errorBodyOver64KiBIsOmitted() async throws {
        for (count, isShown) in [(65_536, true), (65_537, false)] {
            var long = reply(500, "")
            long.chunks = [Array(repeating: 1, count: count)]
            let bench = try LoaderBench(ScriptedTransport(long))
            let error = await bench.failure()
            #expect(error?.statusCode == 500)
            #expect(error?.response?.body.count == (isShown ? count : 0))
        }
        let block = CodedBody.blocks(Array(repeating: 0, count: 1 << 20), level: 9)
        var bomb = reply(404, "", ["Content-Encoding": "deflate"])
        bomb.chunks = Array(repeating: block, count: 1_024)
        bomb.ending = .stalled
        let bench = try LoaderBench(ScriptedTransport(bomb))
        let error = await bench.failure()
        #expect(error?.statusCode == 404)
        #expect(error?.response?.body == [])
        #expect(bench.transport.openCount == 0)
    }

    @Test(.requirement("O42", "O43")) func errorOfARejectedBodyContainsTheResponseStatus() async throws {
        var page = ScriptedReply.image(Array("<html>".utf8))
        let undecodable = try LoaderBench(ScriptedTransport(page))
        let error = await undecodable.failure()
        #expect(error?.code == .undecodable)
        #expect(error?.response?.status == 200)
        #expect(error?.response?.body == Array("<html>".utf8))

        page.fields = ["Content-Type": "text/html"]
        let rejected = try LoaderBench(ScriptedTransport(page))
        let other = await rejected.failure()
        #expect(other?.code == .unacceptableContentType)
        #expect(other?.response?.status == 200)
        #expect(other?.response?.fields == ["Content-Type": "text/html"])

        let large = try LoaderBench(ScriptedTransport(.image(TestImage.first))) { $0.maxResponseBytes = 10 }
        #expect(await large.failure()?.response?.status == 200)
        // If no complete response was received, the error contains no response.
        for reply in [ScriptedReply.offline, ScriptedReply(chunks: [[1]], ending: .closed)] {
            #expect(await (try LoaderBench(ScriptedTransport(reply))).failure()?.response == nil)
        }
    }

    @Test(arguments: [false, true]) func loadErrorForACachedErrorContainsTheStoredResponse(asData: Bool) async throws {
        let fresh = reply(404, "gone for a while", ["Cache-Control": "max-age=60"])
        let bench = try LoaderBench(ScriptedTransport(fresh))
        _ = await failure(bench, asData: asData)
        bench.clock.advance(7)
        let error = await failure(bench, asData: asData)

        #expect(error?.code == .remembered)
        #expect(error?.original == .http)
        #expect(error?.statusCode == 404)
        let response = try #require(error?.response)
        #expect(response.source == .disk)
        #expect(response.body == Array("gone for a while".utf8))
        #expect(response.fields["Age"] == Array("7".utf8))
        #expect(response.fields["Content-Type"] == Array("text/plain".utf8))
        #expect(bench.transport.requests.count == 1)
    }

    @Test func storedErrorBodyWithAContentCodingIsDecodedOnUse() async throws {
        var coded = reply(404, "", ["Cache-Control": "max-age=60", "Content-Encoding": "gzip"])
        coded.chunks = [CodedBody.gzip(Array("gone".utf8))]
        let bench = try LoaderBench(ScriptedTransport(coded))
        _ = await bench.failure()
        #expect(await bench.failure()?.response?.body == Array("gone".utf8))
        #expect(bench.transport.requests.count == 1)
    }

    @Test(.requirement("O83")) func failureFromTheNegativeCacheContainsStatusAndFieldsWithoutBody() async throws {
        let bench = try LoaderBench(ScriptedTransport(reply(404, "gone"))) { $0.negativeCacheMaxAge = .seconds(60) }
        #expect(await bench.failure()?.response?.body == Array("gone".utf8))
        let error = await bench.failure()
        #expect(error?.code == .remembered)
        #expect(error?.response?.status == 404)
        #expect(error?.response?.fields == ["Content-Type": "text/plain"])
        #expect(error?.response?.source == LoadSource.none)
        #expect(error?.response?.body == [])
    }

    @Test func errorOfAnInvalidRedirectContainsTheRedirectResponse() async throws {
        let bench = try LoaderBench(ScriptedTransport(.status(302, ["Location": "ftp://example.com/"])))
        let error = await bench.failure()
        #expect(error?.code == .redirect)
        #expect(error?.response?.status == 302)
        #expect(error?.response?.fields == ["Location": "ftp://example.com/"])
    }

    @Test func staleImageDeliveredForAnErrorContainsTheErrorAsStaleReason() async throws {
        let bench = try LoaderBench(
            ScriptedTransport(.image(TestImage.first, maxAge: 10), reply(503, "busy"))
        ) { $0.staleIfError = .upTo(.seconds(60)) }
        _ = await bench.steps()
        bench.clock.advance(11)
        let image = try await bench.loader.image(for: request)
        #expect(image.staleReason?.response?.status == 503)
        #expect(image.staleReason?.response?.body == Array("busy".utf8))
    }
}
