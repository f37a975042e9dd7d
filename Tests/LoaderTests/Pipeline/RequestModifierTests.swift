import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite(.timeLimit(.minutes(30))) struct RequestModifierTests {
    private struct Refusal: Error, CustomStringConvertible { let description = "no key for this host" }

    private let request = ImageRequest(url: LoaderBench.url, fields: ["X-Own": "1"])

    private func bench(
        _ replies: ScriptedReply..., change: (inout ImageLoader.Configuration) -> Void = { _ in },
        modifier: @escaping @Sendable (HTTPRequest) async throws -> HTTPRequest
    ) throws -> LoaderBench {
        try LoaderBench(ScriptedTransport { _, number in replies[min(number, replies.count) - 1] }) {
            $0.requestModifier = modifier
            change(&$0)
        }
    }

    @Test func requestModifierReceivesAndChangesEachSentRequest() async throws {
        let seen = Locked<[HTTPRequest]>([])
        let bench = try bench(.image(TestImage.first, maxAge: 10, etag: "\"1\""), .status(304)) { request in
            seen.update { $0.append(request) }
            var signed = request
            signed.url += "?signature=\(request.fields.lines.count)"
            signed.fields.append("Authorization", "Signed")
            return signed
        }
        _ = await bench.steps(request)
        // A fresh image sends no request, so the modifier does not run.
        #expect(await bench.steps(request) == ["cached disk fresh", "finished disk"])
        bench.clock.advance(11)
        #expect(
            await bench.steps(request) == ["cached disk stale", "sending after image", "finished networkNotModified"])

        // The modifier also receives the fields that the cache added.
        #expect(seen.value.map(\.url) == [LoaderBench.url, LoaderBench.url])
        #expect(seen.value.map(\.fields) == [["X-Own": "1"], ["X-Own": "1", "If-None-Match": "\"1\""]])
        #expect(
            bench.transport.requests.map(\.url) == [
                LoaderBench.url + "?signature=1", LoaderBench.url + "?signature=2",
            ])
        #expect(
            bench.transport.requests.map(\.fields) == [
                ["X-Own": "1", "Authorization": "Signed"],
                ["X-Own": "1", "If-None-Match": "\"1\"", "Authorization": "Signed"],
            ])
    }

    @Test func requestModifierRunsForEveryAttemptAndRedirect() async throws {
        let number = Locked(0)
        let bench = try bench(
            .offline, .status(302, ["Location": "http://cdn.example.com/end.png"]), .image(TestImage.first),
            change: { $0.retry = RetryPolicy(maxAttempts: 2, firstDelay: .zero) }
        ) { request in
            var signed = request
            number.update { $0 += 1 }
            // The modifier signs only requests to the first origin.
            if request.url.hasPrefix("http://example.com/") { signed.fields.append("Authorization", "\(number.value)") }
            return signed
        }
        #expect(await bench.steps(request) == ["sending", "retrying 2 transport", "finished networkToDisk"])
        #expect(number.value == 3)
        #expect(
            bench.transport.requests.map { $0.fields[lines: "Authorization"] } == [
                [Array("1".utf8)], [Array("2".utf8)], [],
            ])
        #expect(bench.transport.requests.map(\.url).last == "http://cdn.example.com/end.png")
    }

    @Test(.requirement("O57")) func fieldsAddedByTheModifierAreNotCopiedToRedirectTargets() async throws {
        for (location, isSigned) in [("/end.png", false), ("http://other.example.com/", false)] {
            let bench = try bench(
                .status(302, ["Location": location]), .image(TestImage.first)
            ) { request in
                guard request.url == LoaderBench.url else { return request }
                var signed = request
                signed.url += "?key=secret"
                for name in ["Authorization", "Cookie", "X-Signature"] { signed.fields.append(name, "secret") }
                return signed
            }
            _ = await bench.steps()
            let last = try #require(bench.transport.requests.last)
            #expect(last.fields.lines.isEmpty == !isSigned)
            #expect(!last.url.contains("secret"))
        }
    }

    @Test func modifierErrorFailsTheLoadWithoutARequest() async throws {
        let bench = try bench(
            .image(TestImage.first, maxAge: 10),
            change: { $0.retry = RetryPolicy(maxAttempts: 3, firstDelay: .zero) }
        ) { _ in throw Refusal() }
        // Without a request there is no `sending` event.
        #expect(await bench.steps() == ["failed configuration"])
        let error = await bench.failure()
        #expect(error?.message == "no key for this host")
        #expect(error?.isFatal == true)
        #expect(bench.transport.requests.isEmpty)
        #expect(bench.isIdle)
    }

    @Test func modifierErrorKeepsTheStoredImage() async throws {
        let isBroken = Locked(false)
        let bench = try bench(
            .image(TestImage.first, maxAge: 10), change: { $0.staleIfError = .upTo(.seconds(60)) }
        ) {
            if isBroken.value { throw Refusal() }
            return $0
        }
        _ = await bench.steps()
        isBroken.update { $0 = true }
        bench.clock.advance(11)
        #expect(await bench.steps() == ["cached disk stale", "failed configuration"])
        #expect(bench.storedFiles.count == 1)
    }

    @Test func modifierThatChangesMoreThanFieldsAndQueryFailsTheLoad() async throws {
        let other: [(name: String, change: @Sendable (inout HTTPRequest) -> Void)] = [
            ("host", { $0.url = "http://example.org/picture.png" }),
            ("port", { $0.url = "http://example.com:81/picture.png" }),
            ("default port", { $0.url = "http://example.com:80/picture.png" }),
            ("scheme", { $0.url = "https://example.com/picture.png" }),
            ("path", { $0.url = "http://example.com/other.png" }),
            ("user", { $0.url = "http://user@example.com/picture.png" }),
            ("fragment", { $0.url += "#part" }), ("blank", { $0.url += "?a b" }), ("nothing", { $0.url = "" }),
            ("line", { $0.url += "?a\r\nHost: other" }), ("method", { $0.method = "POST" }),
        ]
        for row in other {
            let bench = try bench(.image(TestImage.first)) { request in
                var changed = request
                row.change(&changed)
                return changed
            }
            #expect(await bench.steps() == ["failed configuration"], "\(row.name)")
            #expect(bench.transport.requests.isEmpty)
        }
        let removed = try bench(.image(TestImage.first)) { request in
            var changed = request
            changed.url = String(request.url.prefix { $0 != "?" })
            changed.fields = [:]
            return changed
        }
        #expect(await removed.failure(ImageRequest(url: LoaderBench.url + "?a=b", fields: ["A": "b"])) == nil)
        #expect(removed.transport.requests == [HTTPRequest(url: LoaderBench.url)])
    }

    @Test(.requirement("O59")) func cancellingTheLoadCancelsTheModifier() async throws {
        let gate = Gate()
        let bench = try bench(.image(TestImage.first)) { request in
            try await gate.pass()
            return request
        }
        let task = Task { await bench.failure() }
        await gate.arrival()
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        await bench.waitUntil { bench.isIdle }
        #expect(bench.transport.requests.isEmpty)
    }

    @Test(.requirement("O94")) func responsesToRequestsSignedByTheModifierAreStoredPerPartition() async throws {
        let bench = try bench(.image(TestImage.first, maxAge: 60)) { request in
            var signed = request
            signed.fields.append("Authorization", "Signed")
            return signed
        }
        var (one, other) = (ImageRequest(url: LoaderBench.url), ImageRequest(url: LoaderBench.url))
        one.partition = "one"
        other.partition = "other"
        for request in [one, other] { #expect(await bench.steps(request) == ["sending", "finished networkToDisk"]) }
        for request in [one, other] { #expect(await bench.steps(request) == ["cached disk fresh", "finished disk"]) }
    }
}
