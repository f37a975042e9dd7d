import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

// Docs/http-cache.md 5.2: a response with a content coding is stored as received and decoded on use.
@Suite struct LoadCodingTests {
    private let request = ImageRequest(url: LoaderBench.url)
    private static let image = TestImage.first
    private static let gzip = CodedBody.gzip(image)

    private func reference() throws -> String { try ImageDecoder().decode(Self.image).bitmap.digest }

    @Test(.requirement("O87")) func imageWithAContentCodingIsStoredEncodedAndDecodedOnUse() async throws {
        for (name, bytes) in [
            ("gzip", Self.gzip), ("deflate", CodedBody.zlib(Self.image)), ("deflate", CodedBody.bare(Self.image)),
            ("deflate, gzip", CodedBody.gzip(CodedBody.zlib(Self.image))),
        ] {
            let bench = try LoaderBench(
                ScriptedTransport(.coded(name, bytes, maxAge: 10, etag: "\"1\""), .status(304))
            ) { $0.retainsEncodedData = true }
            let loaded = try await bench.loader.image(for: request)
            let found = try await bench.loader.image(for: request)
            bench.clock.advance(11)
            let confirmed = try await bench.loader.image(for: request)

            let expected = try reference()
            #expect([loaded.source, found.source, confirmed.source] == [.networkToDisk, .disk, .networkNotModified])
            for image in [loaded, found, confirmed] {
                #expect(image.bitmap.digest == expected)
                #expect(image.encodedData == Self.image)
                #expect(image.fields["Content-Encoding"] == Array(name.utf8))
            }
            let pipeline = bench.loader.images
            let hop = try #require(LoadHop(Load(request, pipeline), pipeline))
            let stored = try #require(pipeline.disk?.read(hop.key, varying: hop.varying))
            #expect(stored.body == bytes)
        }
    }

    @Test func dataWithAContentCodingIsDeliveredDecoded() async throws {
        let text = Array("{\"a\": [1, 2, 3, 1, 2, 3]}".utf8)
        let bench = try LoaderBench(
            ScriptedTransport(
                .coded("gzip", CodedBody.gzip(text), maxAge: 10, etag: "\"1\"", type: nil), .status(304)))
        let data = DataRequest(url: LoaderBench.url)
        for wait: Int64 in [0, 0, 11] {
            bench.clock.advance(wait)
            #expect(try await bench.loader.data(for: data).bytes == text)
        }
        #expect(bench.transport.requests.count == 2)
    }

    @Test(.requirement("O43")) func contentTypeIsDetectedFromTheDecodedBody() async throws {
        for type in [nil, "application/octet-stream"] {
            let bench = try LoaderBench(ScriptedTransport(.coded("gzip", Self.gzip, maxAge: 60, type: type)))
            #expect(await bench.steps() == ["sending", "finished networkToDisk"])
            #expect(await bench.steps() == ["cached disk fresh", "finished disk"])
            let page = CodedBody.gzip(Array("<html>".utf8))
            let other = try LoaderBench(ScriptedTransport(.coded("gzip", page, type: type)))
            #expect(await other.steps() == ["sending", "failed unacceptableContentType"])
        }
    }

    @Test func contentLengthIsComparedWithTheEncodedBodyLength() async throws {
        var short = ScriptedReply.coded("gzip", Self.gzip)
        short.chunks.removeLast()
        let bench = try LoaderBench(ScriptedTransport(short))
        #expect(await bench.steps() == ["sending", "failed transport"])

        // Without `Content-Length`, the decoder detects the missing end.
        short.fields.removeAll(named: "Content-Length")
        let withoutLength = try LoaderBench(ScriptedTransport(short))
        #expect(await withoutLength.steps() == ["sending", "failed undecodable"])
        #expect(withoutLength.storedFiles.isEmpty)
    }

    @Test func progressOfABodyWithAContentCodingCountsDecodedBytes() async throws {
        let bench = try LoaderBench(ScriptedTransport(.coded("gzip", Self.gzip)))
        var last: (received: Int, expected: Int?) = (0, 0)
        for await event in bench.loader.events(for: request) {
            if case .progress(let received, let expected) = event { last = (received, expected) }
        }
        #expect(last.received == Self.image.count)
        #expect(last.expected == nil)
    }

    @Test(.requirement("O42")) func unknownContentCodingIsNamedInTheError() async throws {
        for name in ["br", "zstd", "gzip, br"] {
            let bench = try LoaderBench(ScriptedTransport(.coded(name, [1, 2, 3], maxAge: 60, etag: "\"1\"")))
            let error = await bench.failure()
            #expect(error?.code == .undecodable)
            #expect(error?.message.contains(name.hasSuffix("br") ? "br" : name) == true)
            #expect(error?.response?.status == 200)
            #expect(error?.isFatal == true)
            await #expect(throws: LoadError(.undecodable, "")) {
                try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
            }
            #expect(bench.folder.files.filter { $0.contains("/v1/") }.isEmpty)
        }
    }

    @Test(.requirement("O97")) func errorMessageForALongContentCodingNameIsShortPrintableASCII() async throws {
        let name = "\u{1B}[2J" + String(repeating: "long", count: 1_000)
        let bench = try LoaderBench(ScriptedTransport(.coded(name, [1])))
        let error = await bench.failure()
        #expect(error?.message.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } == true)
        #expect(error.map { $0.message.utf8.count < 100 } == true)
    }

    @Test(.requirement("O42")) func bodyWithADamagedContentCodingIsNotStored() async throws {
        let bodies = [Array(Self.gzip.dropLast()), Self.gzip + [0], Self.image, []]
        for body in bodies {
            let bench = try LoaderBench(ScriptedTransport(.coded("gzip", body, maxAge: 60)))
            #expect(await bench.steps() == ["sending", "failed undecodable"])
            await #expect(throws: LoadError(.undecodable, "")) {
                try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
            }
            #expect(bench.folder.files.filter { $0.contains("/v1/") }.isEmpty)
        }
    }

    @Test(.requirement("O92")) func maxResponseBytesLimitsTheDecodedBytesOfABodyWithAContentCoding() async throws {
        let size = Self.image.count
        for (limit, isAccepted) in [(size, true), (size - 1, false)] {
            let bench = try LoaderBench(ScriptedTransport(.coded("gzip", Self.gzip, maxAge: 60))) {
                $0.maxResponseBytes = limit
            }
            let end = isAccepted && Self.gzip.count <= limit ? "finished networkToDisk" : "failed bodyTooLarge"
            #expect(await bench.steps() == ["sending", end])
        }
    }

    @Test(.requirement("O92")) func downloadOfADecompressionBombIsCancelledAtMaxResponseBytes() async throws {
        let block = CodedBody.blocks(Array(repeating: 0, count: 1 << 20), level: 9)
        var bomb = ScriptedReply(fields: ["Content-Type": "image/png", "Content-Encoding": "deflate"])
        bomb.chunks = Array(repeating: block, count: 1_024)
        bomb.ending = .stalled
        let bench = try LoaderBench(ScriptedTransport(bomb)) { $0.maxResponseBytes = 2 << 20 }

        #expect(await bench.steps() == ["sending", "failed bodyTooLarge"])
        #expect(bench.transport.openCount == 0)
        #expect(bench.storedFiles.isEmpty)
    }

    @Test(.requirement("O28")) func storedBodyOverALoweredMaxResponseBytesIsFetchedAgain() async throws {
        let bench = try LoaderBench(
            ScriptedTransport(.coded("gzip", Self.gzip, maxAge: 60), .image(TestImage.second, maxAge: 60)))
        _ = await bench.steps()
        // The stored body decodes to more bytes than the lowered limit.
        try bench.loader.update { $0.maxResponseBytes = Self.image.count - 1 }

        #expect(await bench.steps() == ["sending", "finished networkToDisk"])
        #expect(try await bench.loader.image(for: request).bitmap.width == 11)
    }
}
