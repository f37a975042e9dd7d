import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// `imageData(for:)`, and downloads that image and data loads of one URL share.
@Suite(.timeLimit(.minutes(30))) struct SharedDownloadTests {
    private typealias Work = @Sendable () async throws -> Void

    private let request = ImageRequest(url: LoaderBench.url)

    /// Starts the loads in order, each after the previous one waits for its download, and then opens the gate of the
    /// response.
    private func runTogether(_ loads: [Work], _ bench: LoaderBench, _ gate: Gate) async throws {
        let fetches = bench.loader.images.shared.fetches
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, load) in loads.enumerated() {
                group.addTask(operation: load)
                await bench.waitUntil { fetches.waiterTotal == index + 1 }
            }
            gate.open()
            try await group.waitForAll()
        }
    }

    @Test func imageDataOfAStoredImageSendsNoRequest() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        _ = try await bench.loader.image(for: request)
        let data = try await bench.loader.imageData(for: request)
        #expect(data.bytes == TestImage.first)
        #expect(data.source == .disk)
        #expect(data.isFresh && data.isStored)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func imageDataOfRetainedBytesInMemorySendsNoRequest() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) {
            ($0.cacheImagesInMemory, $0.retainsEncodedData, $0.cacheDirectory, $0.dataDirectory) = (
                true, true, nil, nil
            )
        }
        _ = try await bench.loader.image(for: VariantLoadTests.request(8))
        let data = try await bench.loader.imageData(for: request)
        #expect(data.bytes == TestImage.first)
        #expect(data.source == .memory)
        // Another size is decoded from the same bytes.
        let image = try await bench.loader.image(for: VariantLoadTests.request(4))
        #expect(try image.bitmap.copyBytes() == VariantLoadTests.expected(4))
        #expect(bench.transport.requests.count == 1)
    }

    @Test func imageAfterImageDataSendsNoRequest() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        #expect(try await bench.loader.imageData(for: request).bytes == TestImage.first)
        #expect(bench.loader.statistics.decodes == 0)
        #expect(try await bench.loader.image(for: request).source == .disk)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func imageAndImageDataShareARunningDownload() async throws {
        for startsWithData in [true, false] {
            let gate = Gate()
            var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
            reply.headGate = gate
            let bench = try LoaderBench(reply)
            let loads: [Work] = [
                {
                    let data = try await bench.loader.imageData(for: request)
                    #expect(data.bytes == TestImage.first)
                },
                {
                    let image = try await bench.loader.image(for: request)
                    #expect(image.bitmap.width == 19)
                },
            ]
            try await runTogether(startsWithData ? loads : loads.reversed(), bench, gate)
            #expect(bench.transport.requests.count == 1)
        }
    }

    @Test func imageDataOfABodyThatIsNoImageFailsAndIsNotStored() async throws {
        let bench = try LoaderBench(.image(Array("no image".utf8), maxAge: 60))
        await #expect(throws: LoadError(.undecodable, "")) { try await bench.loader.imageData(for: request) }
        #expect(bench.storedFiles.isEmpty)
    }

    @Test func imageDataWithManualRedirectsFailsWithTheStatus() async throws {
        let bench = try LoaderBench(.status(302, ["Location": "/other"]))
        var manual = request
        manual.redirect = .manual
        await #expect(throws: LoadError(.unexpectedStatus, "")) { try await bench.loader.imageData(for: manual) }
    }

    @Test func dataAfterImageAndImageAfterDataSendNoRequest() async throws {
        for startsWithData in [true, false] {
            let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
            if startsWithData {
                #expect(try await bench.loader.data(for: DataRequest(url: LoaderBench.url)).bytes == TestImage.first)
                let image = try await bench.loader.image(for: request)
                #expect(image.source == .disk && image.isFresh && image.isStored)
            } else {
                _ = try await bench.loader.image(for: request)
                let data = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
                #expect(data.bytes == TestImage.first)
                #expect(data.source == .disk && data.isFresh && data.isStored)
            }
            #expect(bench.transport.requests.count == 1)
        }
    }

    @Test func concurrentDataAndImageLoadsShareOneDownload() async throws {
        for startsWithData in [true, false] {
            let gate = Gate()
            var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
            reply.headGate = gate
            let bench = try LoaderBench(reply)
            let loads: [Work] = [
                {
                    let data = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
                    #expect(data.bytes == TestImage.first)
                },
                {
                    let image = try await bench.loader.image(for: request)
                    #expect(image.bitmap.width == 19)
                },
            ]
            try await runTogether(startsWithData ? loads : loads.reversed(), bench, gate)
            #expect(bench.transport.requests.count == 1)
        }
    }

    @Test func imageLoadThatJoinsADataFetchDoesNotRegisterItsDecoding() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(reply)
        let fetches = bench.loader.images.shared.fetches
        async let data = bench.loader.data(for: DataRequest(url: LoaderBench.url))
        await bench.waitUntil { fetches.waiterTotal == 1 }
        async let image = bench.loader.image(for: request)
        await bench.waitUntil { fetches.waiterTotal == 2 }
        let waiting = bench.loader.images.shared.waiting
        await bench.waitUntil { waiting.count == 0 }
        gate.open()
        #expect(try await data.bytes == TestImage.first)
        #expect(try await image.bitmap.width == 19)
    }

    /// A page of HTML: the data load gets its bytes, the image load fails as it does alone.
    @Test(arguments: [true, false]) func dataThatIsNoImageIsReturnedAlthoughTheImageLoadFails(
        startsWithData: Bool
    ) async throws {
        let gate = Gate()
        let page = Array("<html>".utf8)
        let bench = try LoaderBench(
            ScriptedTransport { _, number in
                var reply = ScriptedReply(
                    fields: ["Content-Type": "text/html", "Cache-Control": "max-age=60"], chunks: [page])
                if number == 1 { reply.headGate = gate }
                return reply
            })
        let loads: [Work] = [
            {
                let data = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
                #expect(data.bytes == page)
            },
            {
                let failure = await bench.failure(request)
                #expect(failure?.code == .unacceptableContentType)
            },
        ]
        try await runTogether(startsWithData ? loads : loads.reversed(), bench, gate)
        #expect(bench.transport.requests.count == 2)
    }

    @Test func staleDataIsRevalidatedByTheImageLoad() async throws {
        let bench = try LoaderBench(
            .image(TestImage.first, maxAge: 60, etag: "\"1\""), .status(304, ["Cache-Control": "max-age=60"]))
        _ = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
        bench.clock.advance(61)
        let image = try await bench.loader.image(for: request)
        #expect(image.source == .networkNotModified)
        #expect(image.bitmap.width == 19)
        #expect(bench.transport.requests.last?.fields["If-None-Match"] == Array("\"1\"".utf8))
        #expect(try await bench.loader.image(for: request).source == .disk)
        #expect(bench.transport.requests.count == 2)
    }

    @Test func removalOfAnImageRemovesTheDataOfItsURL() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        _ = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
        await bench.loader.removeImage(for: request)
        _ = try await bench.loader.image(for: request)
        #expect(bench.transport.requests.count == 2)
    }

    @Test func removalOfAnImageWithCredentialsRemovesTheDataOfItsURL() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        let fields: HeaderFields = ["Authorization": "Bearer a"]
        _ = try await bench.loader.data(for: DataRequest(url: LoaderBench.url, fields: fields))
        await bench.loader.removeImage(for: ImageRequest(url: LoaderBench.url, fields: fields))
        #expect(bench.loader.dataStatistics?.entries == 0)
    }

    @Test func responseThatMayNotBeStoredSupersedesTheStoredData() async throws {
        var reply = ScriptedReply.image(TestImage.second)
        reply.fields.append("Cache-Control", "no-store")
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 600), reply)
        _ = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
        var reload = request
        reload.policy = .reload
        #expect(try await bench.loader.image(for: reload).bitmap.width == 11)
        #expect(try await bench.loader.image(for: request).bitmap.width == 11)
        #expect(bench.transport.requests.count == 3)
    }

    /// A data load without a disk cache stores nothing, so an image load that joined it would store nothing either.
    @Test func imageLoadDoesNotJoinADataLoadWithoutADiskCache() async throws {
        let gate = Gate()
        let bench = try LoaderBench(
            ScriptedTransport { _, number in
                var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
                if number == 1 { reply.headGate = gate }
                return reply
            }
        ) { $0.dataDirectory = nil }
        async let data = bench.loader.data(for: DataRequest(url: LoaderBench.url))
        await gate.arrival()
        let image = try await bench.loader.image(for: request)
        gate.open()
        #expect(image.isStored)
        #expect(try await data.bytes == TestImage.first)
        #expect(bench.transport.requests.count == 2)
    }

    @Test func staleDataIsRefreshedByALoadThatReadItsVariantFile() async throws {
        let bench = try LoaderBench(
            .image(TestImage.first, maxAge: 60, etag: "\"1\""), .status(304, ["Cache-Control": "max-age=60"]))
        _ = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
        var thumbnail = VariantLoadTests.request(8)
        thumbnail.variantFormat = .png
        _ = try await bench.loader.image(for: thumbnail)
        await bench.loader.flush()
        bench.clock.advance(61)
        #expect(try await bench.loader.image(for: thumbnail).source == .networkNotModified)
        #expect(try await bench.loader.image(for: thumbnail).source == .disk)
        #expect(bench.transport.requests.count == 2)
    }

    @Test func variantFileIsMadeFromStoredData() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        _ = try await bench.loader.data(for: DataRequest(url: LoaderBench.url))
        var thumbnail = VariantLoadTests.request(8)
        thumbnail.variantFormat = .png
        _ = try await bench.loader.image(for: thumbnail)
        await bench.loader.flush()
        let decodes = bench.loader.statistics.decodes
        let again = try await bench.loader.image(for: thumbnail)
        #expect(try again.bitmap.copyBytes() == VariantLoadTests.expected(8))
        #expect(bench.loader.statistics.decodes == decodes)
        #expect(bench.transport.requests.count == 1)
    }
}
