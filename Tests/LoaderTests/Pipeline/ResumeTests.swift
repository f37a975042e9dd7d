import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

// Resuming an interrupted download (Docs/http-cache.md 5.2): validators, 206 and 200, Accept-Ranges. Partial bodies are
// not retained after the load.
@Suite(.timeLimit(.minutes(30))) struct ResumeTests {
    private static let whole = TestImage.first
    private static let retry = RetryPolicy(maxAttempts: 5, firstDelay: .zero)
    private static let strong: HeaderFields = ["ETag": "\"1\""]

    /// A 200 response whose connection closes after `count` bytes of the body.
    private static func interrupted(
        after count: Int, of bytes: [UInt8] = whole, _ fields: HeaderFields = strong
    ) -> ScriptedReply {
        var reply = ScriptedReply.image(bytes)
        reply.fields.lines += fields.lines
        reply.chunks = count == 0 ? [] : [Array(bytes.prefix(count))]
        reply.ending = .closed
        return reply
    }

    /// A 206 response with the bytes from `first` on.
    private static func remainder(
        from first: Int, of bytes: [UInt8] = whole, range: String? = nil, _ fields: HeaderFields = strong
    ) -> ScriptedReply {
        let range = range ?? "bytes \(first)-\(bytes.count - 1)/\(bytes.count)"
        var reply = ScriptedReply.status(206, ["Content-Range": range, "Content-Length": "\(bytes.count - first)"])
        reply.fields.lines += fields.lines
        reply.chunks = [Array(bytes.dropFirst(first))]
        return reply
    }

    private func bench(_ replies: ScriptedReply..., retry: RetryPolicy = retry) throws -> LoaderBench {
        try LoaderBench(ScriptedTransport { _, number in replies[min(number, replies.count) - 1] }) {
            $0.retry = retry
        }
    }

    private func range(_ bench: LoaderBench, _ index: Int) -> (range: String?, condition: String?) {
        let fields = bench.transport.requests[index].fields
        return (
            fields["Range"].map { String(decoding: $0, as: UTF8.self) },
            fields["If-Range"].map { String(decoding: $0, as: UTF8.self) }
        )
    }

    @Test func interruptedBodyIsCompletedByARangeRequest() async throws {
        let expected = try ImageDecoder().decode(Self.whole).bitmap.digest
        for count in [1, 10, 100, 300, 505] {
            let bench = try bench(
                Self.interrupted(after: count),
                Self.remainder(from: count, ["ETag": "\"1\"", "Cache-Control": "max-age=60"]))
            #expect(await bench.steps() == ["sending", "retrying 2 transport", "finished networkToDisk"], "\(count)")
            #expect(range(bench, 0).range == nil)
            #expect(range(bench, 1) == ("bytes=\(count)-", "\"1\""))

            // The combined body is stored as one 200 response with the fields of the newer response (RFC 9111 §3.4).
            let image = try await bench.loader.image(for: ImageRequest(url: LoaderBench.url))
            #expect(image.source == .disk)
            #expect(image.isFresh)
            #expect(image.status == 200)
            #expect(image.bitmap.digest == expected)
            #expect(image.fields["Content-Length"] == Array("\(Self.whole.count)".utf8))
            #expect(image.fields["Content-Type"] == Array("image/png".utf8))
            #expect(!image.fields.contains("Content-Range"))
            #expect(bench.transport.requests.count == 2)
        }
    }

    @Test func bodyInterruptedRepeatedlyIsResumedAfterEachInterruption() async throws {
        var second = Self.remainder(from: 100)
        second.chunks = [Array(Self.whole[100..<250])]
        second.ending = .closed
        // The partial body is retained after failures between two parts (status 503, no connection).
        let bench = try bench(Self.interrupted(after: 100), second, .status(503), .offline, Self.remainder(from: 250))
        let loaded = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
        #expect(loaded.bytes == Self.whole)
        #expect(loaded.isStored)
        #expect((1...4).map { range(bench, $0).range } == ["bytes=100-", "bytes=250-", "bytes=250-", "bytes=250-"])
    }

    @Test func fullResponseToARangeRequestReplacesThePartialBody() async throws {
        let other = ScriptedReply.image(TestImage.second, etag: "\"2\"")
        let bench = try bench(Self.interrupted(after: 100), other)
        let loaded = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
        #expect(loaded.bytes == TestImage.second)
        #expect(bench.transport.requests.count == 2)

        // When the new response is interrupted as well, the remainder of the new response is requested.
        let twice = try self.bench(
            Self.interrupted(after: 100), Self.interrupted(after: 30, of: TestImage.second, ["ETag": "\"2\""]),
            Self.remainder(from: 30, of: TestImage.second, ["ETag": "\"2\""]))
        #expect(try await twice.loader.data(for: DataRequest(url: LoaderBench.url)).bytes == TestImage.second)
        #expect(range(twice, 2) == ("bytes=30-", "\"2\""))
    }

    @Test func requestIsRepeatedWithoutRangeAfterARangeMismatch() async throws {
        let size = Self.whole.count
        let mismatches: [(name: String, reply: ScriptedReply)] = [
            ("416", .status(416, ["Content-Range": "bytes */\(size)"])),
            ("no Content-Range", .status(206, ["ETag": "\"1\""])),
            ("other start", Self.remainder(from: 100, range: "bytes 99-\(size - 1)/\(size)")),
            ("range ends early", Self.remainder(from: 100, range: "bytes 100-\(size - 2)/\(size)")),
            ("other length", Self.remainder(from: 100, range: "bytes 100-\(size)/\(size + 1)")),
            ("unknown length", Self.remainder(from: 100, range: "bytes 100-\(size - 1)/*")),
            ("other unit", Self.remainder(from: 100, range: "pages 100-\(size - 1)/\(size)")),
            ("range ends before its start", Self.remainder(from: 100, range: "bytes 100-99/\(size)")),
            ("range ends after the body", Self.remainder(from: 100, range: "bytes 100-\(size)/\(size)")),
            ("number exceeds 64 bits", Self.remainder(from: 100, range: "bytes 100-99999999999999999999/\(size)")),
            ("negative start", Self.remainder(from: 100, range: "bytes -100-\(size - 1)/\(size)")),
            ("unit without a range", Self.remainder(from: 100, range: "bytes")),
            ("two ranges", Self.remainder(from: 100, ["ETag": "\"1\"", "Content-Range": "bytes 100-505/506"])),
            ("other tag", Self.remainder(from: 100, ["ETag": "\"2\""])),
            ("weak tag", Self.remainder(from: 100, ["ETag": "W/\"1\""])),
            ("no tag", Self.remainder(from: 100, [:])),
        ]
        for mismatch in mismatches {
            let bench = try bench(Self.interrupted(after: 100), mismatch.reply, .image(Self.whole))
            // The third request, which follows the mismatch, does not count as an attempt.
            #expect(
                await bench.steps() == ["sending", "retrying 2 transport", "finished networkToDisk"],
                "\(mismatch.name)")
            #expect((0...2).map { range(bench, $0).range } == [nil, "bytes=100-", nil], "\(mismatch.name)")
            #expect(bench.transport.openCount == 0)
        }
    }

    @Test func partialResponseLongerThanItsContentRangeIsDiscarded() async throws {
        var long = Self.remainder(from: 100)
        long.chunks.append([0])
        let bench = try bench(Self.interrupted(after: 100), long, .image(Self.whole))
        let loaded = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
        #expect(loaded.bytes == Self.whole)
        #expect((1...2).map { range(bench, $0).range } == ["bytes=100-", nil])
    }

    @Test func requestThatFailsAfterARangeMismatchIsRetriedWithoutRange() async throws {
        let bench = try bench(
            Self.interrupted(after: 100), .status(416), .offline, .image(Self.whole),
            retry: RetryPolicy(maxAttempts: 3, firstDelay: .zero))
        #expect(
            await bench.steps() == [
                "sending", "retrying 2 transport", "retrying 3 transport", "finished networkToDisk",
            ])
        // The partial body is discarded after the mismatch.
        #expect((1...3).map { range(bench, $0).range } == ["bytes=100-", nil, nil])
    }

    @Test func onlyInterruptedBodiesWithAStrongValidatorAreResumed() async throws {
        let late = "Sun, 06 Nov 1994 08:49:37 GMT"
        let soon = "Sun, 06 Nov 1994 08:50:36 GMT"
        let later = "Sun, 06 Nov 1994 08:50:37 GMT"
        let table: [(fields: HeaderFields, condition: String?)] = [
            (["ETag": "\"1\""], "\"1\""), (["ETag": "\"1\"", "Accept-Ranges": "bytes"], "\"1\""),
            (["ETag": "\"1\"", "Accept-Ranges": "none"], nil), (["ETag": "\"1\"", "Accept-Ranges": "NONE"], nil),
            ([:], nil), (["ETag": "W/\"1\""], nil), (["ETag": "1"], nil), (["ETag": "\""], nil),
            (["ETag": "\"1\"", "etag": "\"1\""], nil),
            // Last-Modified is strong when Date is at least 60 s later; an ETag, even a weak one, takes precedence.
            (["Last-Modified": late, "Date": later], late), (["Last-Modified": late, "Date": soon], nil),
            (["Last-Modified": late], nil), (["Last-Modified": later, "Date": late], nil),
            (["Last-Modified": "yesterday", "Date": later], nil),
            (["Last-Modified": late, "Date": later, "ETag": "W/\"1\""], nil),
            (["Last-Modified": late, "Date": later, "ETag": "\"1\""], "\"1\""),
        ]
        for row in table {
            let bench = try bench(
                Self.interrupted(after: 100, row.fields),
                row.condition == nil ? .image(Self.whole) : Self.remainder(from: 100, row.fields))
            #expect(await bench.steps().last == "finished networkToDisk", "\(row.fields)")
            #expect(range(bench, 1).condition == row.condition, "\(row.fields)")
            #expect((range(bench, 1).range == nil) == (row.condition == nil), "\(row.fields)")
        }
        // A 206 response may omit Last-Modified (RFC 9110 §15.3.7) but must not change it.
        for (fields, requests) in [([:], 2), (["Last-Modified": soon], 3)] as [(HeaderFields, Int)] {
            let bench = try bench(
                Self.interrupted(after: 100, ["Last-Modified": late, "Date": later]), Self.remainder(from: 100, fields),
                .image(Self.whole))
            #expect(await bench.steps().last == "finished networkToDisk")
            #expect(bench.transport.requests.count == requests)
        }
    }

    @Test func onlyNonEmptyBodiesOfStatus200AreResumed() async throws {
        for status in [203, 404, 503] {
            var reply = Self.interrupted(after: 100)
            reply.status = status
            let bench = try bench(reply, .image(Self.whole))
            #expect(await bench.steps().last == "finished networkToDisk")
            #expect(range(bench, 1).range == nil)
        }
        // No byte of the body was received.
        let empty = try bench(Self.interrupted(after: 0), .image(Self.whole))
        _ = await empty.steps()
        #expect(range(empty, 1).range == nil)
    }

    @Test func bodyShorterThanItsContentLengthIsResumed() async throws {
        var short = Self.interrupted(after: 200)
        short.ending = .complete
        var rest = Self.remainder(from: 200)
        rest.chunks = [Array(Self.whole[200..<300])]
        rest.fields.removeAll(named: "Content-Length")
        // Without Content-Length, Content-Range gives the length.
        let bench = try bench(short, rest, Self.remainder(from: 300))
        let loaded = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
        #expect(loaded.bytes == Self.whole)
        #expect((1...2).map { range(bench, $0).range } == ["bytes=200-", "bytes=300-"])
    }

    @Test func bodyWithAContentCodingIsResumedAtItsEncodedOffset() async throws {
        let coded = CodedBody.gzip(Self.whole)
        let fields: HeaderFields = ["ETag": "\"1\"", "Content-Encoding": "gzip"]
        for count in [1, 15, coded.count / 2, coded.count - 1] {
            let bench = try bench(
                Self.interrupted(after: count, of: coded, fields), Self.remainder(from: count, of: coded))
            let loaded = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
            #expect(loaded.bytes == Self.whole)
            #expect(range(bench, 1).range == "bytes=\(count)-")
        }
    }

    @Test func resumedBodyIsCheckedForItsSizeAndItsContentTypeAndForNoStore() async throws {
        let size = Self.whole.count
        for (limit, end) in [(size, "finished networkToDisk"), (size - 1, "failed bodyTooLarge")] {
            var first = Self.interrupted(after: 100)
            first.fields.removeAll(named: "Content-Length")
            let replies = [first, Self.remainder(from: 100)]
            let bench = try LoaderBench(ScriptedTransport { _, number in replies[min(number, 2) - 1] }) {
                $0.retry = Self.retry
                $0.maxResponseBytes = limit
            }
            #expect(await bench.steps() == ["sending", "retrying 2 transport", end])
        }
        // The newer fields apply: `no-store` on the 206 response forbids storing the combined body.
        let bench = try bench(
            Self.interrupted(after: 100), Self.remainder(from: 100, ["ETag": "\"1\"", "Cache-Control": "no-store"]))
        #expect(await bench.steps().last == "finished networkToDisk")
        #expect(bench.storedFiles.isEmpty)
        let html = try self.bench(
            Self.interrupted(after: 100), Self.remainder(from: 100, ["ETag": "\"1\"", "Content-Type": "text/html"]))
        #expect(await html.steps().last == "failed unacceptableContentType")
    }

    @Test func rangeAndConditionalFieldsOfTheCallerAreUnchangedOnRetry() async throws {
        for fields in [["Range": "bytes=0-"], ["If-Match": "\"1\""]] as [HeaderFields] {
            let bench = try bench(Self.interrupted(after: 100), .image(Self.whole))
            let loaded = try await bench.loader.data(for: DataRequest(url: LoaderBench.url, fields: fields))
            #expect(loaded.bytes == Self.whole)
            #expect(bench.transport.requests.map(\.fields) == [fields, fields])
        }
    }

    @Test func targetOfARedirectDuringAResumeIsRequestedWithoutRange() async throws {
        let bench = try bench(
            Self.interrupted(after: 100), .status(302, ["Location": "/end.png"]), .image(Self.whole))
        #expect(await bench.steps() == ["sending", "retrying 2 transport", "finished networkToDisk"])
        #expect((0...2).map { range(bench, $0).range } == [nil, "bytes=100-", nil])
        #expect(bench.transport.requests[2].url == "http://example.com/end.png")
    }

    @Test func partialBodyIsNotReusedByAnotherLoad() async throws {
        // Replies for a load that fails, a load that resumes its download, and a load without retries.
        let few = RetryPolicy(maxAttempts: 2, firstDelay: .zero)
        let bench = try bench(
            Self.interrupted(after: 100), .offline, Self.interrupted(after: 200), Self.remainder(from: 200),
            .image(Self.whole), retry: few
        )
        #expect(await bench.steps() == ["sending", "retrying 2 transport", "failed transport"])
        #expect(bench.storedFiles.isEmpty)
        #expect(await bench.steps() == ["sending", "retrying 2 transport", "finished networkToDisk"])
        let reload = ImageRequest(url: LoaderBench.url, policy: .reload)
        #expect(await bench.steps(reload) == ["sending", "finished networkToDisk"])
        #expect((0...4).map { range(bench, $0).range } == [nil, "bytes=100-", nil, "bytes=200-", nil])

        let single = try self.bench(Self.interrupted(after: 100), .image(Self.whole), retry: .none)
        for _ in 0..<2 { _ = await single.steps() }
        #expect((0...1).map { range(single, $0).range } == [nil, nil])
    }

    @Test func partialBodyOfACancelledLoadIsNotReused() async throws {
        let gate = Gate()
        var held = Self.remainder(from: 100)
        held.headGate = gate
        let bench = try bench(Self.interrupted(after: 100), held, .image(Self.whole))
        let task = Task { await bench.failure() }
        await gate.arrival()
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        await bench.waitUntil { bench.isIdle && bench.transport.openCount == 0 }
        #expect(bench.storedFiles.isEmpty)

        #expect(await bench.failure() == nil)
        #expect((0...2).map { range(bench, $0).range } == [nil, "bytes=100-", nil])
    }

    @Test func resumedRevalidationSendsIfNoneMatchAndIfRange() async throws {
        let bench = try bench(
            .image(TestImage.second, maxAge: 10, etag: "\"0\""), Self.interrupted(after: 100),
            Self.remainder(from: 100))
        _ = await bench.steps()
        bench.clock.advance(11)
        #expect(
            await bench.steps() == [
                "cached disk stale", "sending after image", "retrying 2 transport", "finished networkToDisk",
            ])
        let last = bench.transport.requests[2].fields
        #expect(last[lines: "If-None-Match"] == [Array("\"0\"".utf8)])
        #expect(last[lines: "If-Range"] == [Array("\"1\"".utf8)])
    }

    @Test func progressCountContinuesAfterAResume() async throws {
        let bench = try bench(Self.interrupted(after: 300), Self.remainder(from: 300))
        var counts: [Int] = []
        for await event in bench.loader.events(for: ImageRequest(url: LoaderBench.url)) {
            if case .progress(let received, let expected) = event {
                counts.append(received)
                #expect(expected == Self.whole.count)
            }
        }
        #expect(counts.last == Self.whole.count)
        #expect(counts == counts.sorted())
    }
}
