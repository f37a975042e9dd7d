import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Memory of several thumbnails that are made with one decode.
@Suite(.requirement("N1"), .timeLimit(.minutes(30))) struct ThumbnailBatchMemoryTests {
    private static let sizes = [40, 90, 160, 300]
    private static let options = sizes.map { ThumbnailOptions(width: $0, height: $0) }

    private func byteCount(_ bytes: [UInt8], _ options: [ThumbnailOptions]) throws -> Int {
        try ThumbnailBatch(bytes.span, LocalDecoder(options: DecodeOptions()), options: options).byteCount
    }

    /// 80 MB of pixels; a decode row by row needs the buffers of each size and their pixels.
    @Test func fourThumbnailsOfALargeBMPNeedAtMost4MiB() async throws {
        let bytes = BMPFile.monochrome(width: 10_000, height: 2_000)
        let budget = DecodeBudget(maxBytes: 4 << 20)

        let images = try await DecodeQueue(width: 1, budget: budget).thumbnails(of: bytes, options: Self.options)

        #expect(images.map(\.bitmap.width) == Self.sizes)
        #expect(budget.grantedBytes == 0)
    }

    @Test(arguments: Fixture.all.filter { $0.path.hasPrefix("demo/") && $0.expect.error == nil })
    func estimatedByteCountSufficesAsMaxMemory(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let estimate = try byteCount(bytes, Self.options)
        var limited = ImageDecoder()
        limited.options.limits.maxMemory = estimate

        let made = try limited.thumbnailResults(of: bytes.span, options: Self.options)

        #expect(made.decodeCount == 1)
        #expect(throws: Never.self) { try made.images() }
    }

    /// Under the limit of the largest single thumbnail and the finished ones, each thumbnail is decoded separately;
    /// the pixels are those of single thumbnails.
    @Test(arguments: [("demo/mountains.jpg", 300), ("demo/orbit.gif", 60), ("demo/dunes-16-bit.tif", 60)])
    func maxMemoryTooSmallForOneDecodeGivesSeparateDecodes(_ path: String, _ side: Int) throws {
        let bytes = try Fixture.file(path)
        let options = [side, side - 1, side - 2].map { ThumbnailOptions(width: $0, height: $0) }
        let single = try byteCount(bytes, [options[0]])
        let all = try byteCount(bytes, options)
        var limited = ImageDecoder()
        limited.options.limits.maxMemory = all - 1

        let made = try limited.thumbnailResults(of: bytes.span, options: options)

        #expect(all > single)
        #expect(made.decodeCount == 3)
        for (options, image) in zip(options, try made.images()) {
            let expected = try ImageDecoder().thumbnail(of: bytes, options: options)
            #expect(image.bitmap.copyBytes() == expected.bitmap.copyBytes())
        }
    }

    @Test func thumbnailsThatDoNotFitBesideTheFinishedOnesFailAndTheOthersAreReturned() throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        let options = [300, 20, 299].map { ThumbnailOptions(width: $0, height: $0) }
        var limited = ImageDecoder()
        limited.options.limits.maxMemory = try byteCount(bytes, [options[0]])

        let made = try limited.thumbnailResults(of: bytes.span, options: options)

        #expect(try made.results[0].get().bitmap.width == 300)
        #expect(try made.results[1].get().bitmap.width == 20)
        let error = #expect(throws: DecodeError.self) { try made.results[2].get() }
        #expect(error?.code == .limitExceeded && error?.detail == "maxMemory")
    }

    @Test func pngIsDecodedWithLessMemoryWhenTheBudgetIsTooSmallForTheFastDecoder() async throws {
        let bytes = LargePNG.bytes(bitDepth: 8, width: 2000, height: 1500)
        let expected = try ImageDecoder().thumbnails(of: bytes, options: Self.options)
        let queue = DecodeQueue(width: 1, budget: DecodeBudget(maxBytes: 3 << 20))

        let images = try await queue.thumbnails(of: bytes, options: Self.options)

        #expect(queue.budget.peakGrantedBytes <= 3 << 20)
        #expect(images.map { $0.bitmap.copyBytes() } == expected.map { $0.bitmap.copyBytes() })
    }

    @Test func budgetTooSmallForOneThumbnailThrowsLimitExceeded() async throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        let queue = DecodeQueue(width: 1, budget: DecodeBudget(maxBytes: 1000))

        let error = await #expect(throws: DecodeError.self) {
            try await queue.thumbnails(of: bytes, options: Self.options)
        }

        #expect(error?.code == .limitExceeded && error?.detail == "decodeBudget")
        #expect(queue.budget.peakGrantedBytes == 0)
    }
}
