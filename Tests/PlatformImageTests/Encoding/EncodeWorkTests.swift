import PlatformImage
import PlatformImageTestSupport
import Testing

/// ``EncodeOptions/maxWork``: estimates of an encode from sizes, frames and options.
@Suite(.requirement("A5")) struct EncodeWorkTests {
    private static let animated: [EncodedFormat] = [.png, .gif, .webp]

    private func frames(_ count: Int, side: Int) -> [AnimationFrame] {
        (0..<count).map { index in
            let bitmap = Bitmap(width: side, height: side) { pixels in
                for at in 0..<pixels.count {
                    pixels[at] = at % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: at / 4 * 7 + index * 31)
                }
            }
            return AnimationFrame(bitmap, delay: FrameDelay(numerator: 1, denominator: 20))
        }
    }

    @Test(arguments: EncodedFormat.allCases.filter(\.isAvailable))
    func encodeAboveTheLimitIsRejected(_ format: EncodedFormat) throws {
        var encoder = ImageEncoder()
        let frame = frames(1, side: 40)[0].bitmap
        let work = encoder.work(width: 40, height: 40, as: format)

        encoder.options.maxWork = work - 1
        let error = #expect(throws: EncodeError.self) { try encoder.encode(frame, as: format) }
        encoder.options.maxWork = work

        #expect(error?.code == .limitExceeded)
        #expect(try !encoder.encode(frame, as: format).isEmpty)
    }

    @Test(arguments: animated.filter(\.isAvailable))
    func animationAboveTheLimitIsRejected(_ format: EncodedFormat) throws {
        var encoder = ImageEncoder()
        let frames = frames(5, side: 16)
        let work = encoder.work(width: 16, height: 16, frameCount: 5, as: format)

        encoder.options.maxWork = work - 1
        let error = #expect(throws: EncodeError.self) { try encoder.encodeAnimation(frames, as: format) }
        encoder.options.maxWork = work

        #expect(error?.code == .limitExceeded)
        #expect(try !encoder.encodeAnimation(frames, as: format).isEmpty)
    }

    /// 2,000 small frames took 4.4 to 12.3 s of CPU: they are estimated at more than 2 s.
    @Test(arguments: animated) func manySmallFramesAreEstimatedAboveTwoSeconds(_ format: EncodedFormat) {
        let encoder = ImageEncoder()

        #expect(encoder.work(width: 100, height: 100, frameCount: 2_000, as: format) > 2_000_000_000)
        #expect(encoder.work(width: 100, height: 100, frameCount: 20, as: format) < 2_000_000_000)
        #expect(encoder.work(width: 1_280, height: 720, as: format) < 2_000_000_000)
    }

    @Test(arguments: EncodedFormat.allCases) func estimatesAreClamped(_ format: EncodedFormat) {
        #expect(ImageEncoder().work(width: .max, height: .max, frameCount: .max, as: format) == .max)
    }

    @Test func losslessWebPAndHighLevelsAreEstimatedHigher() {
        func work(_ format: EncodedFormat, _ change: (inout EncodeOptions) -> Void) -> Int {
            var encoder = ImageEncoder()
            change(&encoder.options)
            return encoder.work(width: 500, height: 500, frameCount: 3, as: format)
        }
        let lossy = work(.webp) { _ in }
        let lossless = work(.webp) { $0.webp.isLossless = true }

        #expect(lossless > lossy)
        #expect(work(.webp) { ($0.webp.isLossless, $0.webp.losslessLevel) = (true, 9) } > lossless)
        #expect(work(.png) { $0.png.compressionLevel = 9 } > work(.png) { _ in })
        #expect(work(.gif) { $0.gif.palette = .perFrame } > work(.gif) { _ in })
    }

    @Test func framesOfAnAnimationAreEstimatedPerFormat() throws {
        let side = 223, image = WorstFiles.constantWebP(side: side, hasTransforms: true)
        let header = try ImageDecoder().header(of: WorstFiles.webPAnimation(side: side, frames: 7, image: image))

        #expect(header.framesWork(2_000) > 2_000 * side * side * 13)
        #expect(header.framesWork(.max) == .max)
    }
}
