import Dispatch
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Loads of thumbnails and processed images: downloads, decodes, cancellation and errors.
@Suite(.timeLimit(.minutes(30))) struct VariantLoadTests {
    static let widths = [16, 12, 8, 6, 4]

    static func request(_ width: Int, url: String = LoaderBench.url) -> ImageRequest {
        ImageRequest(url: url, thumbnail: ThumbnailOptions(width: width))
    }

    /// The pixels of a thumbnail made without a loader.
    static func expected(_ width: Int, of bytes: [UInt8] = TestImage.first) throws -> [UInt8] {
        try ImageDecoder().thumbnail(of: bytes, options: ThumbnailOptions(width: width)).bitmap.copyBytes()
    }

    /// Returns when `count` loads of the URL wait for one download.
    private func waitForWaiters(_ count: Int, _ bench: LoaderBench) async throws {
        let pipeline = bench.loader.images
        let request = ImageRequest(url: LoaderBench.url)
        let hop = try #require(LoadHop(Load(request, pipeline), pipeline))
        let key = FetchKey(hop, variant: nil, isUnconditionalRetry: false, configuration: 0, cache: .images)
        await bench.waitUntil { pipeline.shared.fetches.waiterCount(of: key) == count }
    }

    @Test(arguments: [true, false]) func thousandLoadsOfFiveSizesOf20URLsSend20Requests(usesMemory: Bool) async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 86_400)) { $0.cacheImagesInMemory = usesMemory }
        let urls = (0..<20).map { "http://example.com/\($0).png" }
        let expected = try Self.widths.map { try Self.expected($0) }

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let size = number / 20 % 5
                    let image = try await bench.loader.image(
                        for: Self.request(Self.widths[size], url: urls[number % 20]))
                    #expect(image.bitmap.copyBytes() == expected[size])
                    #expect(image.header.width == 19)
                }
            }
            try await group.waitForAll()
        }

        #expect(bench.transport.requests.count == 20)
        #expect(Set(bench.transport.requests.map(\.url)) == Set(urls))
        #expect(bench.isIdle)
        #expect(bench.loader.images.shared.waiting.count == 0)
        #expect(bench.loader.images.shared.batches.openCount == 0)
    }

    /// Two sizes miss the caches; a third load then stores the response and one of these sizes, and the fetch that they
    /// share finds that image instead of the body.
    @Test(arguments: [true, false])
    func sizeThatSharesAFetchOfAnotherStoredSizeIsMadeFromTheStoredBody(usesMemory: Bool) async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 86_400)) { $0.cacheImagesInMemory = usesMemory }
        let pipeline = bench.loader.images
        var (narrow, wide) = (Self.request(8), Self.request(16))
        if !usesMemory { (narrow.variantFormat, wide.variantFormat) = (.png, .png) }
        let hops = try [narrow, wide].map { try #require(LoadHop(Load($0, pipeline), pipeline)) }
        let missing = await pipeline.lookup.find(hops[1])
        let stale = await pipeline.lookup.find(hops[0])
        _ = try await bench.loader.image(for: narrow)
        await pipeline.shared.variantWrites.finish()

        let end = await pipeline.join(hops[0], RequestPlan(), stale, isRefresh: false, isExclusive: false).fetch
            .output()?.result
        guard case .success(let fetched) = end else { throw LoadError.transport("the load has no result") }
        #expect(fetched.kind == .stored && fetched.body == nil)
        var timings = LoadTimings()
        let result = try await pipeline.builder.result(fetched, hops[1], missing, &timings)

        #expect(try result?.image?.bitmap.copyBytes() == Self.expected(16))
        #expect(bench.transport.requests.count == 1)
    }

    @Test func sizesThatWaitForOneDownloadAreMadeByOneDecode() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(reply)

        try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            for width in Self.widths {
                group.addTask {
                    (width, try await bench.loader.image(for: Self.request(width)).bitmap.copyBytes())
                }
            }
            try await waitForWaiters(Self.widths.count, bench)
            gate.open()
            for try await (width, bytes) in group { #expect(try bytes == Self.expected(width)) }
        }

        #expect(bench.loader.statistics.decodes == 1)
    }

    @Test func sizesThatWaitForTheDecodeQueueAreMadeByOneDecodeOfTheStoredBody() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        _ = try await bench.loader.imageData(for: ImageRequest(url: LoaderBench.url))
        let queue = bench.loader.images.shared.decodeQueue
        let (blocked, isReleased) = (Locked(0), Locked(false))
        #expect(bench.loader.statistics.decodes == 0)

        try await withThrowingTaskGroup(of: Void.self) { group in
            // Occupies every thread of the decode queue, so that the sizes wait together.
            for _ in 0..<queue.width {
                group.addTask {
                    try await queue.run(priority: .high) { (_) throws(DecodeError) in
                        blocked.update { $0 += 1 }
                        while !isReleased.value { System.yieldThread() }
                    }
                }
            }
            await bench.waitUntil { blocked.value == queue.width }
            for width in Self.widths {
                group.addTask {
                    let image = try await bench.loader.image(for: Self.request(width))
                    #expect(try image.bitmap.copyBytes() == Self.expected(width))
                    #expect(image.source == .disk)
                }
            }
            let batches = bench.loader.images.shared.batches
            await bench.waitUntil { batches.jobs.waiterTotal == Self.widths.count }
            isReleased.update { $0 = true }
            try await group.waitForAll()
        }

        #expect(bench.loader.statistics.decodes == 1)
        #expect(bench.transport.requests.count == 1)
    }

    @Test(arguments: 0..<5) func cancellingOneSizeLeavesTheOtherSizes(_ cancelled: Int) async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(reply)
        let tasks = Self.widths.map { width in
            Task { try await bench.loader.image(for: Self.request(width)).bitmap.copyBytes() }
        }
        try await waitForWaiters(5, bench)
        tasks[cancelled].cancel()
        try await waitForWaiters(4, bench)
        gate.open()

        for (index, task) in tasks.enumerated() {
            switch await task.result {
            case .success(let bytes):
                #expect(index != cancelled)
                #expect(try bytes == Self.expected(Self.widths[index]))
            case .failure(let error):
                #expect(index == cancelled)
                #expect((error as? LoadError)?.code == .cancelled)
            }
        }
        #expect(bench.transport.requests.count == 1)
        await bench.waitUntil { bench.isIdle }
        #expect(bench.loader.images.shared.waiting.count == 0)
    }

    @Test func cancellingAllSizesCancelsTheDownload() async throws {
        var reply = ScriptedReply.image(TestImage.first)
        reply.ending = .stalled
        let bench = try LoaderBench(reply)
        let tasks = Self.widths.map { width in Task { try await bench.loader.image(for: Self.request(width)) } }
        try await waitForWaiters(5, bench)
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: LoadError.self) { try await task.value } }
        await bench.waitUntil { bench.isIdle && bench.transport.openCount == 0 }
        #expect(bench.loader.images.shared.waiting.count == 0)
    }

    @Test func processorsAreAppliedInOrderToTheThumbnail() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        let processors: [ImageProcessor] = [
            .grayscale(), .crop(PixelRectangle(x: 2, y: 1, width: 8, height: 5)), .blur(sigma: 1),
        ]
        let image = try await bench.loader.image(
            for: ImageRequest(url: LoaderBench.url, thumbnail: ThumbnailOptions(width: 12), processors: processors))
        var bitmap = try ImageDecoder().thumbnail(of: TestImage.first, options: ThumbnailOptions(width: 12)).bitmap
        for processor in processors { bitmap = try processor.process(bitmap) }
        #expect(image.bitmap.copyBytes() == bitmap.copyBytes())
        #expect(image.bitmap.width == 8 && image.bitmap.height == 5)
        #expect(image.header.width == 19)
    }

    @Test func loadsThatDifferOnlyInProcessorsShareTheDecode() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(reply)
        async let gray = bench.loader.image(for: ImageRequest(url: LoaderBench.url, processors: [.grayscale()]))
        async let blurred = bench.loader.image(for: ImageRequest(url: LoaderBench.url, processors: [.blur(sigma: 1)]))
        async let plain = bench.loader.image(for: ImageRequest(url: LoaderBench.url))
        try await waitForWaiters(3, bench)
        gate.open()
        let bitmap = try ImageDecoder().decode(TestImage.first).bitmap
        #expect(try await gray.bitmap.copyBytes() == bitmap.grayscale().copyBytes())
        #expect(try await blurred.bitmap.copyBytes() == bitmap.blurred(sigma: 1).copyBytes())
        #expect(try await plain.bitmap.copyBytes() == bitmap.copyBytes())
        #expect(bench.loader.statistics.decodes == 1)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func otherLoadsOfADownloadDoNotWaitForAProcessor() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(reply)
        let isReleased = Locked(false)
        defer { isReleased.update { $0 = true } }
        let slow = ImageProcessor.custom(identifier: "slow") { bitmap, _ in
            while !isReleased.value { System.yieldThread() }
            return bitmap
        }
        async let processed = bench.loader.image(for: ImageRequest(url: LoaderBench.url, processors: [slow]))
        try await waitForWaiters(1, bench)
        async let thumbnail = bench.loader.image(for: Self.request(8))
        async let complete = bench.loader.image(for: ImageRequest(url: LoaderBench.url))
        async let data = bench.loader.imageData(for: ImageRequest(url: LoaderBench.url))
        try await waitForWaiters(4, bench)
        gate.open()

        #expect(try await thumbnail.bitmap.copyBytes() == Self.expected(8))
        #expect(try await data.bytes == TestImage.first)
        #expect(bench.storedFiles.count == 1)
        isReleased.update { $0 = true }
        #expect(try await complete.bitmap.width == 19)
        #expect(try await processed.bitmap.width == 19)
        #expect(bench.loader.statistics.decodes == 2)
        #expect(bench.transport.requests.count == 1)
    }

    /// Without a disk cache, a load that starts after the fetch finds the processed image only in memory.
    @Test func processedImageOfARetainedLoadIsAddedToMemory() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(reply) {
            ($0.cacheImagesInMemory, $0.keepsDownloadingWhenCancelled) = (true, true)
            ($0.cacheDirectory, $0.dataDirectory) = (nil, nil)
        }
        let request = ImageRequest(url: LoaderBench.url, processors: [.grayscale()])
        let task = Task { try await bench.loader.image(for: request) }
        try await waitForWaiters(1, bench)
        task.cancel()
        await #expect(throws: LoadError.self) { try await task.value }
        gate.open()
        await bench.waitUntil { bench.isIdle }
        #expect(try await bench.loader.image(for: request).source == .memory)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func bodyThatDecodesInOneVariantOnlyIsStored() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(reply)
        var small = Self.request(8)
        small.decodeOptions.limits.maxPixels = 1
        let limited = small
        async let failure = bench.failure(limited)
        try await waitForWaiters(1, bench)
        async let image = bench.loader.image(for: ImageRequest(url: LoaderBench.url))
        try await waitForWaiters(2, bench)
        gate.open()
        #expect(await failure?.code == .pixelLimit)
        #expect(try await image.isStored)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func failingProcessorFailsItsLoadAndTheResponseStaysStored() async throws {
        struct Refusal: Error {}
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        let failing = ImageRequest(
            url: LoaderBench.url, processors: [.custom(identifier: "failing") { _, _ in throw Refusal() }])
        #expect(await bench.failure(failing)?.code == .processing)
        #expect(await bench.failure(failing)?.code == .processing)
        let image = try await bench.loader.image(for: ImageRequest(url: LoaderBench.url))
        #expect(image.source == .disk)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func emptyCropFailsItsLoadAndTheResponseStaysStored() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        var options = ThumbnailOptions(width: 4)
        options.crop = PixelRectangle(x: 100, y: 100, width: 5, height: 5)
        let outside = ImageRequest(url: LoaderBench.url, thumbnail: options)
        let failure = await bench.failure(outside)
        #expect(failure?.code == .processing)
        #expect(failure?.decodeError?.code == .emptyCrop)
        #expect(try await bench.loader.image(for: Self.request(4)).source == .disk)
        #expect(bench.transport.requests.count == 1)
    }

    @Test(arguments: [0, -1, ThumbnailOptions.maxSide + 1])
    func sizeOutOfRangeSendsNoRequest(_ width: Int) async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        #expect(await bench.failure(Self.request(width))?.code == .configuration)
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func bodyThatDoesNotDecodeFailsAllSizesWithOneRequestAndIsNotStored() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(Array("no image at all".utf8), maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(reply)
        await withTaskGroup(of: LoadError?.self) { group in
            for width in Self.widths { group.addTask { await bench.failure(Self.request(width)) } }
            try? await waitForWaiters(5, bench)
            gate.open()
            for await failure in group { #expect(failure?.code == .undecodable) }
        }
        #expect(bench.transport.requests.count == 1)
        #expect(bench.storedFiles.isEmpty)
    }

    @Test func sizesWhoseMemoryTogetherExceedsTheBudgetAreMadeBySeveralDecodes() async throws {
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        var options = ThumbnailOptions(width: 400, height: 400, fit: .fill)
        options.allowsUpscaling = true
        let bytes = 400 * 400 * 4
        let bench = try LoaderBench(reply) {
            $0.maxDecodedBytes = bytes + (1 << 20)
            $0.maxInFlightDecodedBytes = bytes + (1 << 20)
        }
        await withTaskGroup(of: LoadError?.self) { group in
            for height in 396...400 {
                var size = options
                size.height = height
                let request = ImageRequest(url: LoaderBench.url, thumbnail: size)
                group.addTask { await bench.failure(request) }
            }
            try? await waitForWaiters(5, bench)
            gate.open()
            for await failure in group { #expect(failure == nil) }
        }
        // The memory is sufficient for two sizes. The decode of the download and later decodes make one or two sizes,
        // depending on the loads that wait when they start.
        #expect((3...5).contains(bench.loader.statistics.decodes))
        #expect(bench.transport.requests.count == 1)
    }

    /// Only a size over a limit of memory is decoded again alone.
    @Test func onlyErrorsOfMemoryLimitsAreMemoryLimits() async throws {
        var (smallMemory, fewPixels) = (ImageDecoder(), ImageDecoder())
        smallMemory.options.limits.maxMemory = 1
        fewPixels.options.limits.maxPixels = 1
        let rows = [(smallMemory, 1 << 20, true), (ImageDecoder(), 1, true), (fewPixels, 1 << 20, false)]
        for (decoder, budget, isMemoryLimit) in rows {
            let queue = DecodeQueue(width: 1, budget: DecodeBudget(maxBytes: budget))
            do throws(DecodeError) {
                _ = try await queue.thumbnails(
                    of: TestImage.first, options: [ThumbnailOptions(width: 4)], with: decoder)
                Issue.record("no error")
            } catch {
                #expect(error.code == .limitExceeded && error.isMemoryLimit == isMemoryLimit)
            }
        }
    }

    /// The thumbnail ignores the scale, and the complete image that waits for the same download has full size.
    @Test func scaleDenominatorOfAThumbnailDoesNotScaleTheCompleteImage() async throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        let gate = Gate()
        var reply = ScriptedReply.image(bytes, maxAge: 60)
        reply.fields = ["Content-Type": "image/jpeg", "Cache-Control": "max-age=60"]
        reply.headGate = gate
        let bench = try LoaderBench(reply)
        var scaled = Self.request(16)
        scaled.decodeOptions.scaleDenominator = 4
        let small = scaled
        async let thumbnail = bench.loader.image(for: small)
        try await waitForWaiters(1, bench)
        async let complete = bench.loader.image(for: ImageRequest(url: LoaderBench.url))
        try await waitForWaiters(2, bench)
        gate.open()
        #expect(try await thumbnail.bitmap.width == 16)
        #expect(try await complete.bitmap.width == ImageDecoder().header(of: bytes).width)
    }

    @Test func lookupWithAGravityThatIsNoNumberReturnsNothing() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        _ = try await bench.loader.imageData(for: ImageRequest(url: LoaderBench.url))
        var options = ThumbnailOptions(width: 4, height: 4, fit: .cover)
        options.gravity = Gravity(x: .nan, y: 0)
        let request = ImageRequest(url: LoaderBench.url, thumbnail: options)
        #expect(await bench.loader.lookUpImage(for: request) == nil)
        #expect(await bench.failure(request)?.code == .configuration)
    }

    @Test func blockingLookupReturnsTheThumbnailOfTheStoredBody() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        _ = try await bench.loader.imageData(for: ImageRequest(url: LoaderBench.url))
        let request = ImageRequest(
            url: LoaderBench.url, thumbnail: ThumbnailOptions(width: 8), processors: [.grayscale()])
        let blocking = try #require(
            await DispatchQueue(label: "lookup").run { bench.loader.lookUpImageBlocking(for: request) })
        let asynchronous = try #require(await bench.loader.lookUpImage(for: request))
        let thumbnail = try ImageDecoder().thumbnail(of: TestImage.first, options: ThumbnailOptions(width: 8)).bitmap
        #expect(try blocking.bitmap.copyBytes() == thumbnail.grayscale().copyBytes())
        #expect(asynchronous.bitmap.copyBytes() == blocking.bitmap.copyBytes())
    }
}
