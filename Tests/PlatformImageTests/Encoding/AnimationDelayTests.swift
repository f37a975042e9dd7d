import PlatformImage
import PlatformImageTestSupport
import Testing

/// Extreme delays of frames, which files, workers and callers can choose freely, in all encoders of animations.
@Suite(.requirement("A1")) struct AnimationDelayTests {
    /// A delay of the source, and how often it follows.
    private struct Run {
        let count: Int
        let numerator: Int
        let denominator: Int
    }

    /// Delays whose sum is between two units before the longest delay of a format; the second is a WebP of the review.
    private static let runs: [[Run]] = [
        [Run(count: 1, numerator: 9, denominator: 2_000), Run(count: 1, numerator: 65_535, denominator: 100)],
        [Run(count: 15, numerator: 3, denominator: 1_000), Run(count: 1, numerator: 65_535, denominator: 1)],
        [Run(count: 3, numerator: 1, denominator: 600), Run(count: 2, numerator: .max, denominator: 1)],
        [Run(count: 1, numerator: 1, denominator: 2_000), Run(count: 2, numerator: 16_777_215, denominator: 1_000)],
        [Run(count: 7, numerator: 1, denominator: 7_000), Run(count: 3, numerator: .max, denominator: .max)],
        [Run(count: 2, numerator: .max, denominator: .max - 1), Run(count: 2, numerator: 1, denominator: .max)],
        [
            Run(count: 300, numerator: .max - 1, denominator: 3),
            Run(count: 2, numerator: 4_999, denominator: 1_000_000),
        ],
        [Run(count: 2, numerator: 0, denominator: .max), Run(count: 2, numerator: 4_294_967_295, denominator: 1)],
    ]

    private static func frames(_ runs: [Run]) -> [AnimationFrame] {
        let delays = runs.flatMap { run in
            [FrameDelay](
                repeating: FrameDelay(numerator: run.numerator, denominator: run.denominator), count: run.count)
        }
        // Frames that differ, so that no encoder merges them.
        return delays.enumerated().map { index, delay in
            let bitmap = Bitmap(width: 2, height: 1) { pixels in
                for at in 0..<pixels.count { pixels[at] = at % 4 == 3 ? 255 : index.isMultiple(of: 2) ? 0 : 200 }
            }
            return AnimationFrame(bitmap, delay: delay, index: index)
        }
    }

    /// The exact sum of the first delays in units, rounded, each delay limited to `most` units.
    private static func start(_ frames: ArraySlice<AnimationFrame>, _ unitsPerSecond: Int, _ most: Int) -> Double {
        frames.reduce(0) { sum, frame in
            let delay = frame.info.delay
            return sum + min(Double(delay.numerator) * Double(unitsPerSecond) / Double(delay.denominator), Double(most))
        }
    }

    @Test(arguments: [(EncodedFormat.gif, 100, 65_535), (.webp, 1_000, 0xFF_FFFF)], runs.indices)
    func startTimesAreTheRoundedSumsOfTheDelays(
        _ format: (EncodedFormat, unitsPerSecond: Int, most: Int), _ index: Int
    ) throws {
        let frames = Self.frames(Self.runs[index])

        let file = try ImageEncoder().encodeAnimation(frames, as: format.0)

        let infos = try ImageDecoder().frameInfos(of: file)
        #expect(infos.count == frames.count)
        var start = 0
        for (position, info) in infos.enumerated() {
            #expect(info.delay.denominator == format.unitsPerSecond)
            #expect((0...format.most).contains(info.delay.numerator))
            start += info.delay.numerator
            let exact = Self.start(frames[...position], format.unitsPerSecond, format.most)
            #expect(abs(Double(start) - exact) <= 0.501, "frame \(position)")
        }
    }

    /// The larger of the two numbers has 16 bits, and the smaller one is rounded.
    @Test(arguments: runs.indices)
    func apngStoresARoundedFractionOfSixteenBits(_ index: Int) throws {
        let frames = Self.frames(Self.runs[index])

        let file = try ImageEncoder().encodeAnimation(frames, as: .png)

        for (info, frame) in zip(try ImageDecoder().frameInfos(of: file), frames) {
            let (stored, delay) = (info.delay, frame.info.delay)
            let exact = min(Double(delay.numerator) / Double(delay.denominator), 65_535)
            let (numerator, denominator) = (Double(stored.numerator), Double(stored.denominator))
            let most = exact * 0.51 / max(1, min(numerator, denominator)) + 1 / 65_535
            #expect(abs(numerator / denominator - exact) <= most)
        }
    }

    @Test(arguments: [(-1, 1), (1, 0), (0, 0), (.min, 1), (1, .min), (.min, .min)])
    func delayThatIsNoTimeIsAnInvalidArgument(_ numerator: Int, _ denominator: Int) {
        let frames = Self.frames([Run(count: 2, numerator: numerator, denominator: denominator)])

        for format in [EncodedFormat.png, .webp, .gif] {
            #expect(throws: EncodeError.self) { try ImageEncoder().encodeAnimation(frames, as: format) }
        }
    }

    /// The path of a client's request: the file of the review is decoded and encoded in every format.
    @Test(arguments: [EncodedFormat.png, .webp, .gif], [EncodedFormat.png, .webp, .gif])
    func animationWithALongDelayAfterShortOnesIsConverted(_ source: EncodedFormat, _ target: EncodedFormat) throws {
        for runs in Self.runs {
            let file = try ImageEncoder().encodeAnimation(Self.frames(runs), as: source)
            let frames = try ImageDecoder().thumbnails(ofFramesIn: file, options: ThumbnailOptions(width: 1)).frames

            let converted = try ImageEncoder().encodeAnimation(frames, as: target)

            #expect(try !ImageDecoder().frameInfos(of: converted).isEmpty)
        }
    }
}
