#if WebP
import PlatformImage
import PlatformImageTestSupport
import Testing

/// Animated WebP files; ``WebPAnimation`` parses and composes them with libwebp.
@Suite struct WebPAnimationEncoderTests {
    private static let second = FrameDelay(numerator: 1, denominator: 1)

    @Test(arguments: SampleImage.allCases, [false, true])
    func losslessFramesShowTheSourceFramesAtTheirTimes(_ kind: SampleImage, _ isExact: Bool) throws {
        for (width, height) in [(1, 1), (2, 5), (17, 3), (24, 33)] {
            let frames = Self.framesWithChanges(kind, width, height, count: 7)
            let file = try Self.encode(frames, loopCount: 3) {
                $0.isLossless = true
                $0.preservesTransparentColors = isExact
            }

            let animation = try #require(WebPAnimation(file))
            #expect(animation.width == width && animation.height == height && animation.loopCount == 3)
            let shown = animation.composed
            var time = 0.0
            for (index, frame) in frames.enumerated() {
                let delay = Double(frame.info.delay.numerator) / Double(frame.info.delay.denominator) * 1000
                let (start, end) = (Int(time.rounded()), Int((time + delay).rounded()))
                time += delay
                guard end > start else { continue }
                let visible = try #require(shown.last { $0.start <= start }).bitmap
                #expect(visible.digest == frame.bitmap.digest, "\(width) x \(height), frame \(index)")
                if isExact { #expect(visible.copyBytes() == frame.bitmap.copyBytes()) }
            }
            #expect(animation.frames.map(\.duration).reduce(0, +) == Int(time.rounded()))
        }
    }

    @Test(arguments: ["delays", "disposal-mixed", "disposal-3-chain"])
    func losslessAnimationOfAGIFShowsItsComposedFrames(name: String) throws {
        let source = try ImageDecoder().frames(of: Fixture.file("gif/\(name).gif"))
        var frames: [AnimationFrame] = []
        while let frame = try source.next() { frames.append(AnimationFrame(frame.bitmap, delay: Self.second)) }

        let file = try Self.encode(frames) { $0.isLossless = true }

        // Equal consecutive frames are one frame.
        var expected: [(digest: String, duration: Int)] = []
        for frame in frames {
            if expected.last?.digest == frame.bitmap.digest {
                expected[expected.count - 1].duration += 1000
            } else {
                expected.append((frame.bitmap.digest, 1000))
            }
        }
        let animation = try #require(WebPAnimation(file))
        #expect(animation.composed.map(\.bitmap.digest) == expected.map(\.digest))
        #expect(animation.frames.map(\.duration) == expected.map(\.duration))
    }

    @Test(arguments: SampleImage.allCases)
    func imageDecoderReturnsFramesAndDelaysAndLoopCountOfAnEncodedAnimation(_ kind: SampleImage) throws {
        let frames = Self.framesWithChanges(kind, 21, 17, count: 5)
        let file = try Self.encode(frames, loopCount: 4) { $0.isLossless = true }
        let animation = try #require(WebPAnimation(file))

        var options = DecodeOptions()
        options.strictness = .warning
        let source = try ImageDecoder(options: options).frames(of: file)
        var decoded: [AnimationFrame] = []
        while let frame = try source.next() { decoded.append(frame) }

        #expect(decoded.map(\.bitmap.digest) == animation.composed.map(\.bitmap.digest))
        #expect(
            decoded.map { $0.info.delay.numerator * 1000 / $0.info.delay.denominator }
                == animation.frames.map(\.duration))
        #expect(try ImageDecoder().header(of: file).loopCount == 4)
    }

    @Test func frameIsStoredAsTheRectangleThatDiffersFromThePreviousFrame() throws {
        let before = SampleImage.opaqueNoise.bitmap(60, 50)
        let after = Self.inverted(before, columns: 20..<28, rows: 30..<35)

        let file = try Self.encode([before, after].map { AnimationFrame($0, delay: Self.second) }) {
            $0.isLossless = true
        }

        let frame = try #require(WebPAnimation(file)?.frames.last)
        #expect(frame.x == 20 && frame.y == 30)
        #expect(frame.bitmap.width == 8 && frame.bitmap.height == 5)
    }

    @Test(arguments: [
        ([(1, 3), (1, 3), (1, 3)], [333, 334, 333]),
        ([(7, 100), (0, 1), (3, 100)], [70, 0, 30]),
        ([(1, 1000), (15, 10_000), (15, 10_000)], [1, 2, 1]),
        ([(.max, 1), (1, .max), (16_777_215, 1000)], [16_777_215, 0, 16_777_215]),
    ])
    func startTimesAreRoundedToMillisecondsWithoutAccumulatingErrors(
        delays: [(Int, Int)], durations: [Int]
    ) throws {
        let frames = delays.enumerated().map { index, delay in
            AnimationFrame(
                SampleImage.noise.bitmap(4, 4, seed: UInt64(index)),
                delay: FrameDelay(numerator: delay.0, denominator: delay.1))
        }

        let animation = try #require(WebPAnimation(Self.encode(frames)))

        #expect(animation.frames.map(\.duration) == durations)
    }

    @Test func thirtyFramesOfNTSCVideoLastOneThousandAndOneMilliseconds() throws {
        let frames = (0..<30).map {
            AnimationFrame(
                SampleImage.noise.bitmap(2, 2, seed: UInt64($0)),
                delay: FrameDelay(numerator: 1001, denominator: 30_000))
        }

        let animation = try #require(WebPAnimation(Self.encode(frames)))

        #expect(animation.frames.map(\.duration).reduce(0, +) == 1001)
        #expect(Set(animation.frames.map(\.duration)) == [33, 34])
    }

    @Test(arguments: [(0, 0), (1, 1), (65_535, 65_535), (65_536, 65_535), (.max, 65_535)])
    func loopCountIsLimitedTo65535(loopCount: Int, stored: Int) throws {
        let frames = Self.framesWithChanges(.noise, 4, 4, count: 2)

        #expect(try WebPAnimation(Self.encode(frames, loopCount: loopCount))?.loopCount == stored)
    }

    @Test func equalFramesAreStoredOnceWithTheSumOfTheirDelays() throws {
        let (a, b) = (SampleImage.noise.bitmap(9, 9), SampleImage.gradient.bitmap(9, 9))
        let file = try Self.encode([a, a, b, b, b].map { AnimationFrame($0, delay: Self.second) }) {
            $0.isLossless = true
        }

        #expect(try #require(WebPAnimation(file)).frames.map(\.duration) == [2000, 3000])
    }

    @Test func animationOfEqualFramesIsAStillImage() throws {
        let bitmap = SampleImage.noise.bitmap(9, 9)
        let file = try Self.encode([bitmap, bitmap].map { AnimationFrame($0, delay: Self.second) }) {
            $0.isLossless = true
        }

        #expect(WebPAnimation(file) == nil)
        #expect(webPChunks(file.dropFirst(12)).map(\.type) == ["VP8L"])
    }

    @Test func withAKeyFrameIntervalOf1EveryFrameCoversTheCanvas() throws {
        let frames = (0..<4).map { index in
            let bitmap = SampleImage.opaqueNoise.bitmap(20, 16)
            return AnimationFrame(Self.inverted(bitmap, columns: index..<index + 2, rows: 0..<1), delay: Self.second)
        }
        let plain = try #require(WebPAnimation(Self.encode(frames) { $0.keyFrameInterval = 0 }))
        let keys = try #require(WebPAnimation(Self.encode(frames) { $0.keyFrameInterval = 1 }))

        #expect(plain.frames.dropFirst().allSatisfy { $0.bitmap.width < 20 })
        #expect(keys.frames.allSatisfy { $0.bitmap.width == 20 && $0.bitmap.height == 16 })
    }

    @Test func mixedAnimationStoresNoiseLossyAndDrawingsLossless() throws {
        let frames = [SampleImage.photograph(80, 80), SampleImage.twoColors.tiled(100, 50)]
            .map { $0.width == 80 ? $0 : Self.cropped($0, 80, 80) }
            .map { AnimationFrame($0, delay: Self.second) }

        let types = try #require(WebPAnimation(Self.encode(frames) { $0.mixesLosslessFrames = true })).frames
            .map { $0.chunkTypes.contains("VP8L") }

        #expect(types == [false, true])
    }

    @Test func cancellingAtAnyPollThrowsCancelled() throws {
        let frames = Self.framesWithChanges(.gradient, 20, 40, count: 3)
        for isLossless in [false, true] {
            var encoder = ImageEncoder()
            encoder.options.webp.isLossless = isLossless
            try ImageEncoderTests.expectCancelledAtEveryPoll {
                try encoder.encodeAnimation(frames, as: .webp, cancellation: $0)
            }
        }
    }

    @Test func expiredDeadlineThrowsDeadlinePassed() {
        let flag = CancellationFlag()
        flag.setDeadline(.now - .seconds(1))
        let frames = Self.framesWithChanges(.gradient, 9, 9, count: 2)

        let error = #expect(throws: EncodeError.self) {
            try ImageEncoder().encodeAnimation(frames, as: .webp, cancellation: flag)
        }

        #expect(error?.code == .deadlinePassed)
    }

    @Test func maxBytesLowersTheQualityOfALossyAnimation() throws {
        let frames = Self.framesWithChanges(.gradient, 30, 30, count: 3)
        let sizes = try [80, 1].map { quality in try Self.encode(frames) { $0.quality = quality }.count }
        #expect(sizes[1] < sizes[0])

        let file = try Self.encode(frames, maxBytes: (sizes[0] + sizes[1]) / 2)
        #expect(file.count <= (sizes[0] + sizes[1]) / 2)
        let error = #expect(throws: EncodeError.self) { try Self.encode(frames, maxBytes: sizes[1] - 1) }
        #expect(error?.code == .overMaxBytes && error?.smallestByteCount == sizes[1])
    }

    @Test func sideOver16383PixelsThrowsTooLarge() throws {
        let frames = [AnimationFrame(Bitmap(width: 16_384, height: 1) { _ in }, delay: Self.second)]
        let error = #expect(throws: EncodeError.self) { try ImageEncoder().encodeAnimation(frames, as: .webp) }
        #expect(error?.code == .tooLarge)
    }

    /// Frames that each differ from the previous one in a rectangle.
    private static func framesWithChanges(
        _ kind: SampleImage, _ width: Int, _ height: Int, count: Int
    ) -> [AnimationFrame] {
        var random = SplitMix(seed: UInt64(width * 100 + height))
        var bitmap = kind.bitmap(width, height)
        return (0..<count).map { index in
            let columns = range(in: width, &random)
            bitmap = inverted(bitmap, columns: columns, rows: range(in: height, &random))
            let delay = FrameDelay(numerator: index * 7, denominator: 100 + index)
            return AnimationFrame(bitmap, delay: delay, index: index)
        }
    }

    private static func range(in count: Int, _ random: inout SplitMix) -> Range<Int> {
        let first = Int.random(in: 0..<count, using: &random)
        return first..<Int.random(in: first + 1...count, using: &random)
    }

    /// Inverts the colours of the pixels in the rectangle.
    private static func inverted(_ bitmap: Bitmap, columns: Range<Int>, rows: Range<Int>) -> Bitmap {
        let bytes = bitmap.copyBytes()
        return Bitmap(width: bitmap.width, height: bitmap.height) { pixels in
            for at in bytes.indices {
                let isInside = columns.contains(at / 4 % bitmap.width) && rows.contains(at / 4 / bitmap.width)
                pixels[at] = isInside && at % 4 != 3 ? ~bytes[at] : bytes[at]
            }
        }
    }

    @Test(arguments: SampleImage.allCases, [1, 80, 100])
    func losslessAnimationIsUsedUnlessTheLossyOneIsSmaller(_ kind: SampleImage, _ quality: Int) throws {
        let frames = Self.framesWithChanges(kind, 24, 33, count: 5)
        let lossless = try Self.encode(frames) { $0.isLossless = true }
        let lossy = try Self.encode(frames) { $0.quality = quality }

        let file = try Self.encode(frames) {
            $0.quality = quality
            $0.usesLosslessUnlessLarger = true
        }

        #expect(file == (lossy.count < lossless.count ? lossy : lossless))
    }

    /// The pixels of a bitmap repeated to a canvas of this size.
    private static func cropped(_ bitmap: Bitmap, _ width: Int, _ height: Int) -> Bitmap {
        let bytes = bitmap.copyBytes()
        return Bitmap(width: width, height: height) { pixels in
            for at in 0..<width * height * 4 {
                let (x, y) = (at / 4 % width % bitmap.width, at / 4 / width % bitmap.height)
                pixels[at] = bytes[(y * bitmap.width + x) * 4 + at % 4]
            }
        }
    }

    private static func encode(
        _ frames: [AnimationFrame], loopCount: Int = 0, maxBytes: Int? = nil,
        _ change: (inout WebPOptions) -> Void = { _ in }
    ) throws -> [UInt8] {
        var encoder = ImageEncoder()
        change(&encoder.options.webp)
        encoder.options.maxBytes = maxBytes
        return try encoder.encodeAnimation(frames, as: .webp, loopCount: loopCount)
    }
}
#endif
