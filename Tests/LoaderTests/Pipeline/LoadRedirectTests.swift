import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

// Docs/http-cache.md 5.5: redirects.
@Suite struct LoadRedirectTests {
    private static let end = "http://example.com/end.png"

    private func moved(_ location: String, _ fields: HeaderFields = [:], status: Int = 302) -> ScriptedReply {
        .status(status, HeaderFields(fields.lines + [HeaderField("Location", location)]))
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func redirectedImageIsStoredUnderItsFinalURL(status: Int) async throws {
        let moved = moved("/end.png", status: status)
        let bench = try LoaderBench(
            ScriptedTransport { request, _ in
                request.url == Self.end ? .image(TestImage.first, maxAge: 60) : moved
            })

        #expect(await bench.steps() == ["sending", "finished networkToDisk"])
        #expect(await bench.steps(ImageRequest(url: Self.end)) == ["cached disk fresh", "finished disk"])
        // The redirect has no lifetime and is requested again; the image is fresh.
        // No `cached` event is sent, because it must come before every request (O10).
        #expect(await bench.steps() == ["sending", "finished disk"])
        #expect(bench.transport.requests.map(\.url) == [LoaderBench.url, Self.end, LoaderBench.url])
    }

    @Test(.requirement("O10")) func staleImageOfARedirectTargetIsNotDeliveredBeforeItsRevalidation() async throws {
        let moved = moved("/end.png")
        let bench = try LoaderBench(
            ScriptedTransport { request, number in
                if request.url != Self.end { return moved }
                return number > 2 ? .status(304) : .image(TestImage.first, maxAge: 10, etag: "\"1\"")
            })
        _ = await bench.steps()
        bench.clock.advance(11)

        #expect(await bench.steps() == ["sending", "finished networkNotModified"])
        #expect(bench.transport.requests.count == 4)
    }

    @Test func loadThroughAFreshStoredRedirectSendsNoRequest() async throws {
        let moved = moved("/end.png", ["Cache-Control": "max-age=60"])
        let bench = try LoaderBench(
            ScriptedTransport { request, _ in
                request.url == Self.end ? .image(TestImage.first, maxAge: 60) : moved
            })
        _ = await bench.steps()
        #expect(await bench.steps() == ["cached disk fresh", "finished disk"])
        #expect(bench.transport.requests.count == 2)
    }

    @Test func invalidAndEndlessRedirectsFail() async throws {
        let table: [(reply: ScriptedReply, requests: Int)] = [
            (moved(LoaderBench.url), 1), (moved("ftp://example.com/"), 1), (.status(302), 1),
            (moved("http://user@example.com/"), 1), (moved("http://"), 1),
        ]
        for row in table {
            let bench = try LoaderBench(ScriptedTransport(row.reply))
            #expect(await bench.steps() == ["sending", "failed redirect"])
            #expect(bench.transport.requests.count == row.requests)
        }
        let endless = try LoaderBench(
            ScriptedTransport { _, number in .status(302, ["Location": "/\(number)"]) }
        ) { $0.maxRedirects = 5 }
        #expect(await endless.steps() == ["sending", "failed redirect"])
        #expect(endless.transport.requests.count == 6)
    }

    @Test(.requirement("O57")) func credentialsAreRemovedOnACrossOriginRedirect() async throws {
        for (location, isKept) in [
            ("http://example.com/end.png", true), ("https://example.com/end.png", false),
            ("http://example.com:81/end.png", false), ("http://cdn.example.com/end.png", false),
        ] {
            let bench = try LoaderBench(
                ScriptedTransport(moved(location), .image(TestImage.first))
            ) { $0.basicAuth = try? BasicAuth(user: "u", password: "p") }
            let request = ImageRequest(url: LoaderBench.url, fields: ["Cookie": "a=b", "X-Other": "1"])
            _ = try await bench.loader.image(for: request)

            let hops = bench.transport.requests
            #expect(hops[0].fields[lines: "Authorization"] == [Array("Basic dTpw".utf8)])
            #expect(hops[1].fields.contains("Authorization") == isKept, "\(location)")
            #expect(hops[1].fields.contains("Cookie") == isKept, "\(location)")
            #expect(hops[1].fields.contains("X-Other"))
        }
    }

    @Test(.requirement("O71", "O95")) func loadsWithEqualCacheKeysAndDifferentURLsShareACacheEntry() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        var request = ImageRequest(url: "http://example.com/a.png?signature=1")
        request.cacheKey = "http://example.com/a.png"
        _ = await bench.steps(request)
        request.url = "http://example.com/a.png?signature=2"

        #expect(await bench.steps(request) == ["cached disk fresh", "finished disk"])
        #expect(bench.transport.requests.map(\.url) == ["http://example.com/a.png?signature=1"])
    }
}
