import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct ImageEncoderTests {
    @Test func maxBytesChoosesTheHighestQualityThatFits() throws {
        let bitmap = SampleImage.photograph(48, 36)
        let sizes = try (1...90).map { try Self.jpeg(bitmap, quality: $0).count }
        // The search for the quality is binary, so it is exact only if the file size grows with the quality.
        for limit in Set([1, 2, 5, 20, 40, 63, 80, 89, 90].flatMap { [sizes[$0 - 1], sizes[$0 - 1] + 1] }) {
            let file = try Self.jpeg(bitmap, quality: 90, maxBytes: limit)
            #expect(file.count <= limit)
            let quality = try #require(sizes.firstIndex(of: file.count)) + 1
            // The next higher quality does not fit, except where the size does not grow with the quality.
            #expect(quality == 90 || sizes[quality] > limit || sizes[quality] <= sizes[quality - 1], "\(limit)")
        }
    }

    @Test func fileWithinMaxBytesEqualsTheFileWithoutALimit() throws {
        let bitmap = SampleImage.photograph(48, 36)
        for format in EncodedFormat.allCases where format.isAvailable {
            let plain = try ImageEncoder().encode(bitmap, as: format)
            var encoder = ImageEncoder()
            encoder.options.maxBytes = plain.count
            #expect(try encoder.encode(bitmap, as: format) == plain)
        }
    }

    @Test func unreachableMaxBytesThrowsOverMaxBytesWithTheSmallestSize() throws {
        let bitmap = SampleImage.photograph(48, 36)
        let smallest = try Self.jpeg(bitmap, quality: 1).count
        for limit in [1, 100, smallest - 1] {
            let error = #expect(throws: EncodeError.self) { try Self.jpeg(bitmap, quality: 80, maxBytes: limit) }
            #expect(error?.code == .overMaxBytes)
            #expect(error?.smallestByteCount == smallest)
        }
        #expect(try Self.jpeg(bitmap, quality: 80, maxBytes: smallest).count == smallest)
    }

    @Test func pngOverMaxBytesIsCompressedAgainAtTheHighestLevel() throws {
        let bitmap = SampleImage.photograph(64, 48)
        var encoder = ImageEncoder()
        encoder.options.png.compressionLevel = 1
        let quick = try encoder.encode(bitmap, as: .png)
        encoder.options.png.compressionLevel = 9
        let tight = try encoder.encode(bitmap, as: .png)
        #expect(tight.count < quick.count)

        encoder.options.png.compressionLevel = 1
        encoder.options.maxBytes = quick.count - 1
        #expect(try encoder.encode(bitmap, as: .png) == tight)

        encoder.options.maxBytes = tight.count - 1
        let error = #expect(throws: EncodeError.self) { try encoder.encode(bitmap, as: .png) }
        #expect(error?.code == .overMaxBytes)
        #expect(error?.smallestByteCount == tight.count)
    }

    @Test func firstEncodingAttemptOfALargePNGStopsWhenItExceedsMaxBytes() throws {
        let tall = SampleImage.noise.tiled(1000, 1100)
        var encoder = ImageEncoder()
        encoder.options.png.reducesColors = false
        encoder.options.png.compressionLevel = 0
        let flag = CancellationFlag()
        _ = try encoder.encode(tall, as: .png, cancellation: flag)

        // The encoder makes three attempts: at level 0, at level 9, and at level 9 without the limit to get the size
        // for the error. The first attempt ends after one chunk.
        encoder.options.maxBytes = 70_000
        let limited = CancellationFlag()
        let error = #expect(throws: EncodeError.self) { try encoder.encode(tall, as: .png, cancellation: limited) }
        #expect(error?.code == .overMaxBytes)
        #expect(limited.pollCount < 3 * flag.pollCount)
    }

    @Test func equalImagesAndOptionsGiveEqualBytes() async throws {
        for format in EncodedFormat.allCases where format.isAvailable {
            let bitmap = SampleImage.sevenColors.bitmap(60, 44)
            let first = try ImageEncoder().encode(bitmap, as: format)
            let files = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<8 {
                    group.addTask { try ImageEncoder().encode(SampleImage.sevenColors.bitmap(60, 44), as: format) }
                }
                return try await group.reduce(into: [[UInt8]]()) { $0.append($1) }
            }
            #expect(files.allSatisfy { $0 == first })
        }
    }

    @Test func cancellingAtAnyPollThrowsCancelled() throws {
        var progressive = ImageEncoder()
        progressive.options.jpeg.isProgressive = true
        var quick = ImageEncoder()
        quick.options.jpeg.optimizesHuffman = false
        let image = SampleImage.photograph(40, 100)
        for (encoder, format) in [
            (progressive, EncodedFormat.jpeg), (quick, .jpeg), (ImageEncoder(), .jpeg), (ImageEncoder(), .png),
        ] {
            for bitmap in [image, SampleImage.twoColors.bitmap(20, 70), SampleImage.noise.bitmap(20, 70)] {
                try Self.expectCancelledAtEveryPoll { try encoder.encode(bitmap, as: format, cancellation: $0) }
            }
        }
    }

    @Test func everyEncoderPollsTheCancellationFlagAtLeastEverySixteenRows() throws {
        for format in EncodedFormat.allCases where format.isAvailable {
            for kind in SampleImage.allCases {
                let flag = CancellationFlag()
                _ = try ImageEncoder().encode(kind.bitmap(3, 500), as: format, cancellation: flag)
                // The encoder reads the pixels twice: the first pass analyses them, the second pass encodes them.
                #expect(flag.pollCount >= 2 * 500 / 16, "\(format) \(kind): \(flag.pollCount)")
            }
        }
    }

    @Test func expiredDeadlineThrowsDeadlinePassed() {
        for format in EncodedFormat.allCases where format.isAvailable {
            let flag = CancellationFlag()
            flag.setDeadline(.now - .seconds(1))
            let error = #expect(throws: EncodeError.self) {
                try ImageEncoder().encode(SampleImage.gradient.bitmap(9, 9), as: format, cancellation: flag)
            }
            #expect(error?.code == .deadlinePassed)
        }
    }

    @Test func everyEncodedFormatHasItsContentTypeAndFileExtension() {
        let types = EncodedFormat.allCases.map(\.contentType.description)
        #expect(types == ["image/png", "image/jpeg", "image/webp", "image/gif"])
        #expect(EncodedFormat.allCases.map(\.fileExtension) == ["png", "jpg", "webp", "gif"])
    }

    @Test func formatsWithoutAnEncoderThrowUnsupportedFormat() {
        let bitmap = SampleImage.gradient.bitmap(4, 4)
        for format in EncodedFormat.allCases where !format.isAvailable {
            let error = #expect(throws: EncodeError.self) { try ImageEncoder().encode(bitmap, as: format) }
            #expect(error?.code == .unsupportedFormat && error?.format == format)
        }
        let frame = AnimationFrame(bitmap, delay: FrameDelay(numerator: 1, denominator: 1))
        let error = #expect(throws: EncodeError.self) { try ImageEncoder().encodeAnimation([frame], as: .jpeg) }
        #expect(error?.code == .unsupportedFormat && error?.format == .jpeg)
    }

    static func expectCancelledAtEveryPoll(_ encode: (CancellationFlag) throws -> [UInt8]) throws {
        let counter = CancellationFlag()
        let whole = try encode(counter)
        #expect(counter.pollCount > 1)
        for polls in 0..<counter.pollCount {
            let flag = CancellationFlag()
            flag.cancelAfter(polls: polls)
            let error = #expect(throws: EncodeError.self) { try encode(flag) }
            #expect(error?.code == .cancelled, "at poll \(polls)")
        }
        #expect(try encode(CancellationFlag()) == whole)
    }

    private static func jpeg(_ bitmap: Bitmap, quality: Int, maxBytes: Int? = nil) throws -> [UInt8] {
        var encoder = ImageEncoder()
        encoder.options.jpeg.quality = quality
        encoder.options.maxBytes = maxBytes
        return try encoder.encode(bitmap, as: .jpeg)
    }
}
