import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct AnimationEncoderTests {
    @Test(arguments: SampleImage.allCases)
    func framesAndDelaysAndLoopCountOfAnEncodedAnimationAreDecodedUnchanged(_ kind: SampleImage) throws {
        for (width, height) in [(1, 1), (2, 5), (17, 3), (24, 33)] {
            let frames = Self.framesWithChanges(kind, width, height, count: 6)
            let file = try ImageEncoder().encodeAnimation(frames, loopCount: 3)

            let decoded = try Self.decode(file)
            #expect(decoded.map { $0.bitmap.copyBytes() } == frames.map { $0.bitmap.copyBytes() })
            #expect(decoded.map(\.info.delay) == frames.map(\.info.delay))
            #expect(try ImageDecoder().header(of: file).loopCount == 3)
        }
    }

    @Test func frameIsStoredAsTheRectangleThatDiffersFromThePreviousFrame() throws {
        var random = SplitMix(seed: 5)
        for _ in 0..<60 {
            let (width, height) = (Int.random(in: 1...30, using: &random), Int.random(in: 1...30, using: &random))
            let before = SampleImage.noise.bitmap(width, height)
            let columns = Self.range(in: width, &random)
            let rows = Self.range(in: height, &random)
            let after = before.changed(columns, rows)
            let frames = [before, after].enumerated().map {
                AnimationFrame($0.element, delay: FrameDelay(numerator: 1, denominator: 10), index: $0.offset)
            }

            let decoded = try Self.decode(ImageEncoder().encodeAnimation(frames))

            let info = decoded[1].info
            #expect(info.x == columns.lowerBound && info.width == columns.count)
            #expect(info.y == rows.lowerBound && info.height == rows.count)
            #expect(decoded[1].bitmap.copyBytes() == after.copyBytes())
        }
    }

    @Test func unchangedFrameIsStoredAsOnePixel() throws {
        let sourceImage = SampleImage.photograph(40, 30)
        let delay = FrameDelay(numerator: 1, denominator: 2)
        let frames = (0..<4).map { AnimationFrame(sourceImage, delay: delay, index: $0) }
        let still = try ImageEncoder().encode(sourceImage, as: .png)

        let file = try ImageEncoder().encodeAnimation(frames)

        let decoded = try Self.decode(file)
        #expect(decoded.count == 4)
        #expect(decoded.dropFirst().allSatisfy { $0.info.width == 1 && $0.info.height == 1 })
        #expect(decoded.allSatisfy { $0.bitmap.copyBytes() == sourceImage.copyBytes() })
        #expect(file.count < still.count + 4 * 100)
    }

    @Test func decodingAnEncodedAnimationAsAStillImageReturnsTheFirstFrame() throws {
        let frames = Self.framesWithChanges(.gradient, 20, 10, count: 3)

        let image = try decodeWithoutWarnings(ImageEncoder().encodeAnimation(frames))

        #expect(image.bitmap.copyBytes() == frames[0].bitmap.copyBytes())
    }

    @Test func colorTypeCoversTheColorsOfAllFrames() throws {
        let delay = FrameDelay(numerator: 1, denominator: 1)
        let (gray, color) = (SampleImage.grayNoise.bitmap(50, 40), SampleImage.opaqueNoise.bitmap(50, 40))
        let alpha = SampleImage.noise.bitmap(50, 40)
        for (bitmaps, type) in [([gray, gray], UInt8(0)), ([gray, color], 2), ([gray, color, alpha], 6)] {
            let file = try ImageEncoder().encodeAnimation(bitmaps.map { AnimationFrame($0, delay: delay) })
            #expect(file[25] == type)
            #expect(try Self.decode(file).map { $0.bitmap.copyBytes() } == bitmaps.map { $0.copyBytes() })
        }
    }

    @Test func chunksOfAnEncodedAnimationAreInStandardOrderWithConsecutiveSequenceNumbers() throws {
        let file = try ImageEncoder().encodeAnimation(Self.framesWithChanges(.noise, 9, 9, count: 3))

        let found = chunks(of: file)
        #expect(found.map(\.type) == ["IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND"])
        let numbers = found.filter { ["fcTL", "fdAT"].contains($0.type) }.map { $0.data[3] }
        #expect(numbers == [0, 1, 2, 3, 4])
    }

    @Test func framesSplitIntoSeveralChunksHaveConsecutiveSequenceNumbers() throws {
        let bitmaps = [SampleImage.noise, .grayAlphaNoise].map { $0.tiled(1000, 1100) }
        var encoder = ImageEncoder()
        encoder.options.png.reducesColors = false
        encoder.options.png.compressionLevel = 1
        let delay = FrameDelay(numerator: 1, denominator: 1)

        let file = try encoder.encodeAnimation(bitmaps.map { AnimationFrame($0, delay: delay) })

        let found = chunks(of: file).filter { ["fcTL", "fdAT"].contains($0.type) }
        #expect(found.count > 4)
        #expect(found.map { Int($0.data[2]) << 8 | Int($0.data[3]) } == Array(0..<found.count))
        #expect(try Self.decode(file)[1].bitmap.copyBytes() == bitmaps[1].copyBytes())
    }

    @Test(arguments: [
        (FrameDelay(numerator: 0, denominator: 1), (0, 1)),
        (FrameDelay(numerator: 65_535, denominator: 65_535), (65_535, 65_535)),
        (FrameDelay(numerator: 100_000, denominator: 1_000_000), (1, 10)),
        (FrameDelay(numerator: 70_000, denominator: 1), (65_535, 1)),
        (FrameDelay(numerator: Int.max, denominator: 1), (65_535, 1)),
        (FrameDelay(numerator: 1, denominator: Int.max), (0, 65_535)),
        (FrameDelay(numerator: 1_000_003, denominator: 1_000_033), (65_533, 65_535)),
    ])
    func delayIsRoundedToTheNearestSixteenBitFraction(delay: FrameDelay, stored: (Int, Int)) throws {
        let file = try ImageEncoder().encodeAnimation([AnimationFrame(SampleImage.noise.bitmap(1, 1), delay: delay)])

        let control = try #require(chunks(of: file).first { $0.type == "fcTL" }).data
        #expect(Int(control[20]) << 8 | Int(control[21]) == stored.0)
        #expect(Int(control[22]) << 8 | Int(control[23]) == stored.1)
    }

    @Test func cancellingAtAnyPollThrowsCancelled() throws {
        let frames = Self.framesWithChanges(.gradient, 20, 40, count: 4)

        try ImageEncoderTests.expectCancelledAtEveryPoll {
            try ImageEncoder().encodeAnimation(frames, cancellation: $0)
        }
    }

    @Test func errorForAnAnimationOverMaxBytesContainsTheByteCountOfItsSmallestEncoding() throws {
        let frames = Self.framesWithChanges(.noise, 30, 30, count: 3)
        var encoder = ImageEncoder()
        encoder.options.png.compressionLevel = 9
        let smallest = try encoder.encodeAnimation(frames).count

        encoder.options.maxBytes = smallest - 1
        let error = #expect(throws: EncodeError.self) { try encoder.encodeAnimation(frames) }

        #expect(error?.code == .overMaxBytes)
        #expect(error?.smallestByteCount == smallest)
    }

    /// Frames that each differ from the previous one in a rectangle.
    private static func framesWithChanges(
        _ kind: SampleImage, _ width: Int, _ height: Int, count: Int
    ) -> [AnimationFrame] {
        var random = SplitMix(seed: UInt64(width * 100 + height))
        var bitmap = kind.bitmap(width, height)
        return (0..<count).map { index in
            if index > 0 {
                let columns = range(in: width, &random)
                bitmap = bitmap.changed(columns, range(in: height, &random))
            }
            let delay = FrameDelay(numerator: index * 7, denominator: 100 + index)
            return AnimationFrame(bitmap, delay: delay, index: index)
        }
    }

    private static func range(in count: Int, _ random: inout SplitMix) -> Range<Int> {
        let first = Int.random(in: 0..<count, using: &random)
        return first..<Int.random(in: first + 1...count, using: &random)
    }

    private static func decode(_ file: [UInt8]) throws -> [AnimationFrame] {
        var options = DecodeOptions()
        options.strictness = .warning
        let frames = try ImageDecoder(options: options).frames(of: file)
        var all: [AnimationFrame] = []
        while let frame = try frames.next() { all.append(frame) }
        return all
    }
}

extension Bitmap {
    /// Inverts the colours of the pixels in the rectangle.
    fileprivate func changed(_ columns: Range<Int>, _ rows: Range<Int>) -> Bitmap {
        let bytes = copyBytes()
        return Bitmap(width: width, height: height) { pixels in
            for at in bytes.indices {
                let (x, y) = (at / 4 % width, at / 4 / width)
                let isInside = columns.contains(x) && rows.contains(y)
                pixels[at] = isInside && at % 4 != 3 ? ~bytes[at] : bytes[at]
            }
        }
    }
}
