import PlatformImage
import PlatformImageTestSupport
import Testing

/// Animated GIFs: frames, disposal, palettes, delays and loop counts.
@Suite struct GIFAnimationEncoderTests {
    private static let tenth = FrameDelay(numerator: 1, denominator: 10)

    @Test(arguments: GIFPalette.allCases, [SampleImage.sevenColors, .transparentColors, .manyColors, .twoColors])
    func framesWithFewColorsAreDecodedUnchanged(_ palette: GIFPalette, _ kind: SampleImage) throws {
        var random = SplitMix(seed: 3)
        for (width, height) in [(1, 1), (2, 5), (17, 3), (24, 33)] {
            let frames = Self.changing(kind.bitmap(width, height), count: 8, &random)

            let file = try Self.encode(frames.map { AnimationFrame($0, delay: Self.tenth) }) { $0.palette = palette }

            #expect(try Self.decode(file).map { $0.bitmap.copyBytes() } == frames.map { Self.thresholded($0) })
            try GIFEncoderTests.expectGIFLibAgrees(file)
        }
    }

    /// Every pair of frames of 2 x 2 pixels, and every triple of 2 x 1 pixels, that are transparent or one of two
    /// colours; the core's C tests also cover four frames.
    @Test(arguments: GIFPalette.allCases)
    func everySmallAnimationShowsItsFrames(_ palette: GIFPalette) throws {
        for (width, height, count) in [(2, 2, 2), (2, 1, 3)] {
            let all = Self.allBitmaps(width, height)
            var indices = [Int](repeating: 0, count: count)
            repeat {
                let bitmaps = indices.map { all[$0] }
                let file = try Self.encode(bitmaps.map { AnimationFrame($0, delay: Self.tenth) }) {
                    $0.palette = palette
                    $0.maxColors = 3
                }
                let decoded = try Self.decode(file).map { $0.bitmap.copyBytes() }
                if decoded != bitmaps.map({ $0.copyBytes() }) {
                    Issue.record("\(width) x \(height): \(indices)")
                    return
                }
            } while Self.increment(&indices, below: all.count)
        }
    }

    @Test(arguments: GIFPalette.allCases, GIFDither.allCases)
    func unchangedPixelsOfQuantisedFramesKeepTheirColor(_ palette: GIFPalette, _ dither: GIFDither) throws {
        var random = SplitMix(seed: 9)
        let bitmaps = Self.changing(SampleImage.noise.bitmap(40, 30), count: 6, &random)

        let file = try Self.encode(bitmaps.map { AnimationFrame($0, delay: Self.tenth) }) {
            $0.palette = palette
            $0.dither = dither
            $0.maxColors = 32
        }

        let frames = try Self.decode(file)
        let decoded = frames.map { $0.bitmap.copyBytes() }
        let sources = bitmaps.map(Self.thresholded)
        #expect(decoded.count == 6 && frames.dropLast().contains { $0.info.disposal == .keep })
        for index in 0..<6 {
            #expect(GIFEncoderTests.alphas(decoded[index]) == GIFEncoderTests.alphas(sources[index]))
            // After another disposal, the pixels are drawn again.
            guard index > 0, frames[index - 1].info.disposal == .keep else { continue }
            for at in stride(from: 0, to: 4800, by: 4)
            where sources[index][at..<at + 4] == sources[index - 1][at..<at + 4] {
                #expect(decoded[index][at..<at + 4] == decoded[index - 1][at..<at + 4], "frame \(index), byte \(at)")
            }
        }
        try GIFEncoderTests.expectGIFLibAgrees(file)
    }

    @Test func frameIsStoredAsTheRectangleThatDiffers() throws {
        let before = SampleImage.sevenColors.bitmap(60, 50)
        let after = Self.replacing(before, 20..<28, 30..<35) { $0 % 4 == 3 ? 255 : 17 }

        let frames = try Self.decode(Self.encode([before, after, after].map { AnimationFrame($0, delay: Self.tenth) }))

        let infos = frames.map(\.info)
        #expect([infos[1].x, infos[1].y, infos[1].width, infos[1].height] == [20, 30, 8, 5])
        #expect(infos[2].width == 1 && infos[2].height == 1)
        #expect(infos.allSatisfy { $0.disposal == .keep })
    }

    @Test func framePixelsThatBecomeTransparentAreClearedAndOverlaysAreRestored() throws {
        let base = SampleImage.sevenColors.bitmap(40, 40)
        let overlay = Self.replacing(base, 5..<30, 5..<30) { _ in 255 }
        let hole = Self.replacing(base, 10..<12, 10..<12) { _ in 0 }

        let restored = try Self.decode(
            Self.encode([base, overlay, base].map { AnimationFrame($0, delay: Self.tenth) }))
        let cleared = try Self.decode(Self.encode([base, base, hole].map { AnimationFrame($0, delay: Self.tenth) }))

        #expect(restored.map(\.info.disposal) == [.keep, .restorePrevious, .keep])
        #expect(restored[2].info.width == 1)
        // The second frame is empty; it is enlarged to the pixels that its disposal clears.
        #expect(cleared[1].info.disposal == .clear)
        #expect(cleared.map { $0.bitmap.copyBytes() } == [base, base, hole].map { $0.copyBytes() })
    }

    @Test(arguments: [
        ([(1, 3), (1, 3), (1, 3)], [33, 34, 33]), ([(7, 100), (0, 1), (3, 100)], [7, 0, 3]),
        ([(4, 1000), (4, 1000), (4, 1000)], [0, 1, 0]), ([(1001, 30_000), (1001, 30_000), (1001, 30_000)], [3, 4, 3]),
        ([(.max, 1), (1, .max), (65_535, 100)], [65_535, 0, 65_535]),
    ])
    func delaysAreRoundedToHundredthsWithoutAccumulatingErrors(delays: [(Int, Int)], stored: [Int]) throws {
        let frames = delays.enumerated().map { index, delay in
            AnimationFrame(
                SampleImage.noise.bitmap(4, 4, seed: UInt64(index)),
                delay: FrameDelay(numerator: delay.0, denominator: delay.1))
        }

        let decoded = try Self.decode(Self.encode(frames))

        #expect(decoded.map(\.info.delay) == stored.map { FrameDelay(numerator: $0, denominator: 100) })
    }

    @Test(arguments: [
        (0, 0), (1, nil), (2, 2), (3, 3), (65_535, 65_535), (65_536, 65_536), (65_537, 65_536), (.max, 65_536),
    ])
    func headerOfTheFileHasTheLoopCountAndNoneForOnePlay(loopCount: Int, expected: Int?) throws {
        let frames = [SampleImage.sevenColors, .twoColors].map { AnimationFrame($0.bitmap(5, 5), delay: Self.tenth) }

        let file = try ImageEncoder().encodeAnimation(frames, as: .gif, loopCount: loopCount)

        #expect(try ImageDecoder().header(of: file).loopCount == expected)
    }

    @Test func oneFrameBecomesAStillGIF() throws {
        let bitmap = SampleImage.gradient.bitmap(9, 7)

        let file = try ImageEncoder().encodeAnimation([AnimationFrame(bitmap, delay: Self.tenth)], as: .gif)

        #expect(try file == ImageEncoder().encode(bitmap, as: .gif))
    }

    @Test(arguments: ["gif/disposal-mixed.gif", "gif/disposal-3-chain.gif", "gif/local-palettes.gif", "gif/delays.gif"])
    func framesAndDelaysAndLoopCountOfAGIFAreKept(path: String) throws {
        let bytes = try Fixture.file(path)
        let source = try ImageDecoder().frames(of: bytes)
        var frames: [AnimationFrame] = []
        while let frame = try source.next() { frames.append(frame) }

        let file = try ImageEncoder().encodeAnimation(frames, as: .gif, loopCount: source.header.loopCount ?? 1)

        let decoded = try Self.decode(file)
        #expect(decoded.map(\.bitmap.digest) == frames.map(\.bitmap.digest))
        #expect(decoded.map(\.info.delay) == frames.map(\.info.delay))
        #expect(try ImageDecoder().header(of: file).loopCount == source.header.loopCount)
    }

    @Test(arguments: GIFPalette.allCases)
    func cancellingAGIFAnimationAtAnyPollThrowsCancelled(_ palette: GIFPalette) throws {
        var random = SplitMix(seed: 4)
        let frames = Self.changing(SampleImage.noise.bitmap(20, 40), count: 4, &random).map {
            AnimationFrame($0, delay: Self.tenth)
        }
        var encoder = ImageEncoder()
        encoder.options.gif.palette = palette

        try ImageEncoderTests.expectCancelledAtEveryPoll {
            try encoder.encodeAnimation(frames, as: .gif, cancellation: $0)
        }
    }

    // ---------------------------------------------------------------- helpers

    private static func encode(
        _ frames: [AnimationFrame], _ set: (inout GIFOptions) -> Void = { _ in }
    ) throws -> [UInt8] {
        var encoder = ImageEncoder()
        set(&encoder.options.gif)
        return try encoder.encodeAnimation(frames, as: .gif)
    }

    private static func decode(_ file: [UInt8]) throws -> [AnimationFrame] {
        var options = DecodeOptions()
        options.strictness = .warning
        let frames = try ImageDecoder(options: options).frames(of: file)
        var all: [AnimationFrame] = []
        while let frame = try frames.next() { all.append(frame) }
        return all
    }

    /// The pixels that a GIF can show: opaque, or transparent black.
    private static func thresholded(_ bitmap: Bitmap) -> [UInt8] {
        var bytes = bitmap.copyBytes()
        for at in stride(from: 0, to: bytes.count, by: 4) {
            if bytes[at + 3] < 128 {
                for channel in 0..<4 { bytes[at + channel] = 0 }
            } else {
                bytes[at + 3] = 255
            }
        }
        return bytes
    }

    /// Frames that each differ from the previous one in a rectangle, which contains pixels of other places of the first
    /// frame, or transparent pixels.
    private static func changing(_ first: Bitmap, count: Int, _ random: inout SplitMix) -> [Bitmap] {
        var frames = [first]
        let pixels = first.copyBytes()
        while frames.count < count {
            let (columns, rows) = (range(in: first.width, &random), range(in: first.height, &random))
            let shift = Int.random(in: 0..<pixels.count / 4, using: &random) * 4
            let clears = Bool.random(using: &random)
            frames.append(
                replacing(frames[frames.count - 1], columns, rows) {
                    clears && $0 % 12 < 8 ? 0 : pixels[($0 + shift) % pixels.count]
                })
        }
        return frames
    }

    private static func range(in count: Int, _ random: inout SplitMix) -> Range<Int> {
        let first = Int.random(in: 0..<count, using: &random)
        return first..<Int.random(in: first + 1...count, using: &random)
    }

    /// Replaces the bytes of the pixels in the rectangle by `value` of their offset.
    private static func replacing(
        _ bitmap: Bitmap, _ columns: Range<Int>, _ rows: Range<Int>, _ value: (Int) -> UInt8
    ) -> Bitmap {
        let bytes = bitmap.copyBytes()
        return Bitmap(width: bitmap.width, height: bitmap.height) { pixels in
            for at in bytes.indices {
                let isInside = columns.contains(at / 4 % bitmap.width) && rows.contains(at / 4 / bitmap.width)
                pixels[at] = isInside ? value(at) : bytes[at]
            }
        }
    }

    /// All images of this size whose pixels are transparent, red or blue.
    private static func allBitmaps(_ width: Int, _ height: Int) -> [Bitmap] {
        let colors: [[UInt8]] = [[0, 0, 0, 0], [200, 0, 0, 255], [0, 16, 255, 255]]
        var indices = [Int](repeating: 0, count: width * height)
        var all: [Bitmap] = []
        repeat {
            let bytes = indices.flatMap { colors[$0] }
            all.append(
                Bitmap(width: width, height: height) { pixels in
                    for at in bytes.indices { pixels[at] = bytes[at] }
                })
        } while increment(&indices, below: 3)
        return all
    }

    /// Advances to the next combination; false after the last one.
    private static func increment(_ digits: inout [Int], below base: Int) -> Bool {
        for at in digits.indices {
            digits[at] += 1
            if digits[at] < base { return true }
            digits[at] = 0
        }
        return false
    }
}
