import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Encoded results on disk (`variantFormat`).
@Suite(.timeLimit(.minutes(30))) struct VariantFileTests {
    private static func request(_ format: EncodedFormat = .png, width: Int = 8) -> ImageRequest {
        var request = VariantLoadTests.request(width)
        request.variantFormat = format
        return request
    }

    /// The disk keys of the source and of the variant of a request.
    private func keys(_ bench: LoaderBench, _ request: ImageRequest) throws -> (source: CacheKey, variant: CacheKey) {
        let pipeline = bench.loader.images
        let hop = try #require(LoadHop(Load(request, pipeline), pipeline))
        return (hop.key, try #require(hop.variantKey))
    }

    /// Loads an image, and waits until its variant file is written.
    private func load(_ bench: LoaderBench, _ request: ImageRequest = request()) async throws -> LoadedImage {
        let image = try await bench.loader.image(for: request)
        let writes = bench.loader.images.shared.variantWrites
        await writes.finish()
        return image
    }

    private func imageFolder(_ bench: LoaderBench, _ key: CacheKey) -> String { "images/" + DiskName(key.bytes).path }

    @Test func variantFileIsUsedInsteadOfTheStoredBody() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        let first = try await load(bench)
        #expect(bench.storedFiles.count == 2)
        // The pixel data of the source is damaged, so that only the variant file can give the image.
        let keys = try keys(bench, Self.request())
        try bench.folder.change(imageFolder(bench, keys.source)) { $0[$0.count - 20] ^= 0xFF }

        let second = try await load(bench)

        #expect(second.source == .disk)
        #expect(second.isStored)
        #expect(second.bitmap.copyBytes() == first.bitmap.copyBytes())
        #expect(try second.bitmap.copyBytes() == VariantLoadTests.expected(8))
        #expect(second.header == first.header)
        #expect(bench.transport.requests.count == 1)
    }

    /// The processor leaves the decode queue without a free thread, so that the image cannot be encoded.
    @Test func imageIsReturnedBeforeItsVariantFileIsEncoded() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.cacheImagesInMemory = true }
        let queue = bench.loader.images.shared.decodeQueue
        let (blocked, isReleased) = (Locked(0), Locked(false))
        defer { isReleased.update { $0 = true } }
        var request = ImageRequest(
            url: LoaderBench.url,
            processors: [
                .custom(identifier: "blocking") { bitmap, _ in
                    for _ in 0..<queue.width {
                        Task {
                            try await queue.run(priority: .high) { (_) throws(DecodeError) in
                                blocked.update { $0 += 1 }
                                while !isReleased.value { System.yieldThread() }
                            }
                        }
                    }
                    while blocked.value < queue.width - 1 || queue.waitingCount == 0 { System.yieldThread() }
                    return bitmap
                }
            ])
        request.variantFormat = .png

        let image = try await bench.loader.image(for: request)

        #expect(bench.loader.lookUpImageBlocking(for: request, layers: .memory)?.isFresh == true)
        #expect(bench.storedFiles.count == 1)
        isReleased.update { $0 = true }
        await bench.loader.flush()
        #expect(bench.storedFiles.count == 2)
        #expect(image.bitmap.width == 19)
        #expect(bench.isIdle)
    }

    @Test func removalWaitsForAVariantFileThatIsBeingWritten() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        let keys = try keys(bench, Self.request())
        for _ in 0..<20 {
            _ = try await bench.loader.image(for: Self.request())
            await bench.loader.removeImage(for: Self.request())
            #expect(bench.loader.images.disk?.header(keys.variant) == nil)
        }
        #expect(bench.storedFiles.isEmpty)
    }

    @Test func variantIsNotStoredWithoutAFormat() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        _ = try await bench.loader.image(for: VariantLoadTests.request(8))
        #expect(bench.storedFiles.count == 1)
    }

    @Test(arguments: [EncodedFormat.jpeg, .webp].filter(\.isAvailable))
    func lossyVariantHasThePixelsOfItsFile(format: EncodedFormat) async throws {
        let bench = try LoaderBench(.image(try Fixture.file("png/rgb8.png"), maxAge: 60))
        let original = try await load(bench, Self.request(format))
        let decodes = bench.loader.statistics.decodes
        let stored = try await load(bench, Self.request(format))
        #expect(stored.source == .disk && bench.loader.statistics.decodes == decodes)
        let file = try ImageEncoder().encode(original.bitmap, as: format)
        #expect(try stored.bitmap.copyBytes() == ImageDecoder().decode(file).bitmap.copyBytes())
        #expect(stored.header.format == .png)
    }

    @Test func variantOfAReplacedSourceIsNotUsed() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60), .image(TestImage.second, maxAge: 60))
        _ = try await load(bench)
        // Replaces the source, but not the variant file.
        var reload = ImageRequest(url: LoaderBench.url)
        reload.policy = .reload
        _ = try await bench.loader.image(for: reload)
        for _ in 0..<2 {
            let image = try await load(bench)
            #expect(try image.bitmap.copyBytes() == VariantLoadTests.expected(8, of: TestImage.second))
        }
        #expect(bench.transport.requests.count == 2)
        #expect(bench.storedFiles.count == 2)
    }

    @Test func equalBodyStoredAgainDoesNotUseTheOlderVariant() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        _ = try await load(bench)
        let keys = try keys(bench, Self.request())
        bench.clock.advance(1)
        _ = bench.loader.images.disk?.remove(keys.source)
        #expect(await bench.loader.lookUpImage(for: Self.request()) == nil)
        _ = try await bench.loader.imageData(for: ImageRequest(url: LoaderBench.url))
        // The variant names the removed body. The load decodes the new body and replaces the variant file.
        let decodes = bench.loader.statistics.decodes
        _ = try await load(bench)
        #expect(bench.loader.statistics.decodes == decodes + 1)
    }

    @Test func removedPurgedOrEvictedSourceEndsItsVariant() async throws {
        for removal in 0..<3 {
            let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
            _ = try await load(bench)
            let keys = try keys(bench, Self.request())
            switch removal {
            case 0: await bench.loader.removeImage(for: Self.request())
            case 1: await bench.loader.purgeDisk()
            default: _ = bench.loader.images.disk?.remove(keys.source)
            }
            #expect(await bench.loader.lookUpImage(for: Self.request()) == nil)
            #expect(bench.loader.images.disk?.header(keys.variant) == nil || removal == 2)
            _ = try await load(bench)
            #expect(bench.transport.requests.count == 2)
        }
    }

    @Test func expiredSourceIsRevalidatedAndItsVariantIsUsedAgain() async throws {
        let bench = try LoaderBench(
            .image(TestImage.first, maxAge: 60, etag: "\"1\""), .status(304, ["Cache-Control": "max-age=60"]))
        _ = try await load(bench)
        bench.clock.advance(61)
        let decodes = bench.loader.statistics.decodes
        let image = try await load(bench)
        #expect(image.source == .networkNotModified)
        #expect(try image.bitmap.copyBytes() == VariantLoadTests.expected(8))
        #expect(try await load(bench).isFresh)
        #expect(bench.loader.statistics.decodes == decodes)
        #expect(bench.transport.requests.count == 2)
    }

    /// The decode queue has no free thread until the request is sent.
    @Test(arguments: [CachePolicy.reload, .revalidate])
    func variantFileIsNotDecodedBeforeTheRequestOfALoadThatDoesNotUseItFirst(_ policy: CachePolicy) async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60, etag: "\"1\""))
        _ = try await load(bench)
        let queue = bench.loader.images.shared.decodeQueue
        let (blocked, isReleased) = (Locked(0), Locked(false))
        defer { isReleased.update { $0 = true } }
        var request = Self.request()
        request.policy = policy
        try await withThrowingTaskGroup(of: Void.self) { [request] group in
            for _ in 0..<queue.width {
                group.addTask {
                    try await queue.run(priority: .high) { (_) throws(DecodeError) in
                        blocked.update { $0 += 1 }
                        while !isReleased.value { System.yieldThread() }
                    }
                }
            }
            await bench.waitUntil { blocked.value == queue.width }
            group.addTask { _ = try await bench.loader.image(for: request) }
            await bench.waitUntil { bench.transport.requests.count == 2 }
            isReleased.update { $0 = true }
            try await group.waitForAll()
        }
    }

    @Test func confirmedBodyIsDecodedWhenTheVariantFileDoesNotDecode() async throws {
        let bench = try LoaderBench(
            .image(TestImage.first, maxAge: 60, etag: "\"1\""), .status(304, ["Cache-Control": "max-age=60"]))
        _ = try await load(bench)
        let keys = try keys(bench, Self.request())
        let disk = try #require(bench.loader.images.disk)
        #expect(disk.store(try #require(disk.read(keys.variant)).entry, body: Array("no image".utf8)))
        bench.clock.advance(61)

        let image = try await load(bench)

        #expect(image.source == .networkNotModified)
        #expect(try image.bitmap.copyBytes() == VariantLoadTests.expected(8))
        #expect(bench.transport.requests.count == 2)
    }

    @Test func variantFileOfAResponseWithoutAContentTypeIsUsed() async throws {
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.fields = ["Cache-Control": "max-age=60"]
        let bench = try LoaderBench(reply)
        _ = try await load(bench)
        let decodes = bench.loader.statistics.decodes
        #expect(try await load(bench).bitmap.copyBytes() == VariantLoadTests.expected(8))
        #expect(bench.loader.statistics.decodes == decodes)
        #expect(bench.transport.requests.count == 1)
    }

    /// Another size that waits for the same 304 has no variant file and uses the stored body.
    @Test func notModifiedResponseServesSizesWithAndWithoutAVariantFile() async throws {
        let gate = Gate()
        var reply = ScriptedReply.status(304, ["Cache-Control": "max-age=60"])
        reply.headGate = gate
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60, etag: "\"1\""), reply)
        _ = try await load(bench)
        bench.clock.advance(61)
        async let small = bench.loader.image(for: Self.request())
        await gate.arrival()
        async let large = bench.loader.image(for: Self.request(width: 16))
        let fetches = bench.loader.images.shared.fetches
        await bench.waitUntil { fetches.waiterTotal == 2 }
        gate.open()
        #expect(try await small.bitmap.copyBytes() == VariantLoadTests.expected(8))
        #expect(try await large.bitmap.copyBytes() == VariantLoadTests.expected(16))
        #expect(bench.transport.requests.count == 2)
    }

    @Test func variantFileCutAtEachByteIsIgnoredAndReplaced() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 6_000))
        _ = try await load(bench)
        let keys = try keys(bench, Self.request())
        let path = imageFolder(bench, keys.variant)
        let whole = try bench.folder.read(path)
        let disk = try #require(bench.loader.images.disk)
        let body = try #require(disk.read(keys.variant)).body
        let expected = try VariantLoadTests.expected(8)
        for length in whole.indices {
            try bench.folder.change(path) { $0 = Array(whole.prefix(length)) }
            #expect(disk.read(keys.variant) == nil, "\(length)")
            let image = try await load(bench)
            #expect(image.bitmap.copyBytes() == expected, "\(length)")
            #expect(disk.read(keys.variant)?.body == body, "\(length)")
        }
        #expect(bench.transport.requests.count == 1)
    }

    /// Stores variant files with forged fields or bodies under valid checksums.
    @Test func forgedVariantFilesAreIgnored() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 6_000))
        _ = try await load(bench)
        let keys = try keys(bench, Self.request())
        let disk = try #require(bench.loader.images.disk)
        let hit = try #require(disk.read(keys.variant))
        let expected = try VariantLoadTests.expected(8)
        let header = try #require(hit.entry.response?.fields["Variant-Header"])
        // A valid file with other pixels: if a file with forged fields were used, the image would differ.
        let size = try ImageDecoder().header(of: hit.body)
        let other = try ImageEncoder().encode(
            Bitmap(width: size.width, height: size.height, filledWith: RGBA8(red: 255, green: 0, blue: 255)), as: .png)
        let forgeries: [(String, [UInt8]?, [UInt8])] = [
            ("Variant-Source", nil, other), ("Variant-Source", Array("0 0 0 0".utf8), other),
            ("Variant-Header", nil, other), ("Variant-Header", Array("png;-1".utf8), other),
            ("Variant-Header", header + [0x3B], other), ("Variant-Header", header, []),
            ("Variant-Header", header, Array("no image".utf8)), ("Variant-Header", header, hit.body.dropLast(20)),
        ]
        for (index, (name, value, body)) in forgeries.enumerated() {
            var entry = hit.entry
            entry.response?.fields.lines.removeAll { $0.isNamed(name) }
            if let value { entry.response?.fields.lines.append(HeaderField(name, bytes: value)) }
            #expect(disk.store(entry, body: body))
            let image = try await load(bench)
            #expect(image.bitmap.copyBytes() == expected, "\(index)")
        }
        #expect(bench.transport.requests.count == 1)
    }

    @Test func headerTextContainsAllPropertiesExceptWarningsPagesAndTheProfileDescription() throws {
        var compared = 0
        for fixture in Fixture.all {
            guard let header = try? ImageDecoder().header(of: fixture.load()) else { continue }
            let read = try #require(ImageHeader(cacheText: Array(header.cacheText.utf8)))
            for (old, new) in zip(Mirror(reflecting: header).children, Mirror(reflecting: read).children) {
                if ["warnings", "iccProfileDescription", "pages"].contains(old.label) { continue }
                #expect("\(old.value)" == "\(new.value)", "\(fixture.path) \(old.label ?? "")")
            }
            compared += 1
        }
        #expect(compared > 500)
    }

    @Test func damagedImageHasNoVariantFile() async throws {
        let bench = try LoaderBench(.image(Array(TestImage.first.dropLast(60)), maxAge: 60))
        let image = try await load(bench)
        #expect(image.decodeStatus != .complete)
        #expect(bench.storedFiles.count == 1)
    }

    @Test func variantFileCountsAgainstTheLimitOfTheDiskCache() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.diskCacheMaxBytes = 20_000 }
        for width in 1...19 { _ = try await load(bench, Self.request(width: width)) }
        await bench.loader.flush()
        #expect(try #require(bench.loader.diskStatistics).bytes <= 20_000)
        for width in 1...19 {
            let image = try await load(bench, Self.request(width: width))
            #expect(try image.bitmap.copyBytes() == VariantLoadTests.expected(width))
        }
    }
}

extension DiskFolder {
    fileprivate func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }

    /// Replaces a file by a new one with changed bytes.
    fileprivate func change(_ name: String, _ change: (inout [UInt8]) -> Void) throws {
        var bytes = try read(name)
        change(&bytes)
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
    }
}
