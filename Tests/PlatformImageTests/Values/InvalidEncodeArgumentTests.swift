import PlatformImage
import PlatformImageTestSupport
import Testing

/// Encoder options that may come from a request throw `invalidArgument` in the call that uses them.
@Suite(.requirement("N3")) struct InvalidEncodeArgumentTests {
    private static let bitmap = Bitmap(width: 4, height: 3) { _ in }
    private static let second = FrameDelay(numerator: 1, denominator: 1)

    private func expectInvalid(
        at location: SourceLocation = #_sourceLocation, _ call: () throws -> [UInt8]
    ) {
        let error = #expect(throws: EncodeError.self, sourceLocation: location) { try call() }
        #expect(error?.code == .invalidArgument, sourceLocation: location)
    }

    @Test(arguments: [0, 101, -1, 256, .max, .min])
    func jpegQualitiesOutOfRangeThrow(quality: Int) throws {
        var encoder = ImageEncoder()
        encoder.options.jpeg.quality = quality

        expectInvalid { try encoder.encode(Self.bitmap, as: .jpeg) }
        // The PNG encoder ignores the JPEG quality.
        #expect(try encoder.encode(Self.bitmap, as: .png) == ImageEncoder().encode(Self.bitmap, as: .png))
    }

    @Test(arguments: [-1, 10, 256, .max, .min])
    func compressionLevelsOutOfRangeThrow(level: Int) throws {
        var encoder = ImageEncoder()
        encoder.options.png.compressionLevel = level
        let frames = [AnimationFrame(Self.bitmap, delay: Self.second)]

        expectInvalid { try encoder.encode(Self.bitmap, as: .png) }
        expectInvalid { try encoder.encodeAnimation(frames) }
        #expect(try encoder.encode(Self.bitmap, as: .jpeg) == ImageEncoder().encode(Self.bitmap, as: .jpeg))
    }

    #if WebP
    @Test(arguments: [Int.min, -1, 0, 1, 9, 10, 100, 101, 256, .max])
    func webPOptionsThrowExactlyWhenTheyAreOutOfRange(value: Int) {
        let options: [(WritableKeyPath<WebPOptions, Int>, ClosedRange<Int>)] = [
            (\.quality, 1...100), (\.nearLossless, 0...100), (\.alphaQuality, 0...100),
        ]
        let optionals: [(WritableKeyPath<WebPOptions, Int?>, ClosedRange<Int>)] = [
            (\.losslessLevel, 0...9), (\.keyFrameInterval, 0 ... .max),
        ]
        let frame = AnimationFrame(Self.bitmap, delay: Self.second)
        func expectRange(_ range: ClosedRange<Int>, _ change: (inout WebPOptions) -> Void) {
            var encoder = ImageEncoder()
            change(&encoder.options.webp)
            for encode: () throws -> [UInt8] in [
                { try encoder.encode(Self.bitmap, as: .webp) }, { try encoder.encodeAnimation([frame], as: .webp) },
            ] {
                if range.contains(value) {
                    #expect(throws: Never.self) { try encode() }
                } else {
                    expectInvalid(encode)
                }
            }
        }
        for (path, range) in options { expectRange(range) { $0[keyPath: path] = value } }
        for (path, range) in optionals { expectRange(range) { $0[keyPath: path] = value } }
    }
    #endif

    @Test(arguments: [0, -1, .min])
    func maxBytesBelowOneThrows(maxBytes: Int) {
        var encoder = ImageEncoder()
        encoder.options.maxBytes = maxBytes
        for format in EncodedFormat.allCases { expectInvalid { try encoder.encode(Self.bitmap, as: format) } }
        expectInvalid { try encoder.encodeAnimation([AnimationFrame(Self.bitmap, delay: Self.second)]) }
    }

    @Test func animationWithoutFramesOrWithFramesOfDifferentSizesThrows() {
        let frame = AnimationFrame(Self.bitmap, delay: Self.second)
        let turned = AnimationFrame(Bitmap(width: 3, height: 4) { _ in }, delay: Self.second)

        expectInvalid { try ImageEncoder().encodeAnimation([]) }
        expectInvalid { try ImageEncoder().encodeAnimation([frame, turned]) }
        expectInvalid { try ImageEncoder().encodeAnimation([frame], loopCount: -1) }
        for format in [EncodedFormat.png, .webp] where format.isAvailable {
            expectInvalid { try ImageEncoder().encodeAnimation([], as: format) }
            expectInvalid { try ImageEncoder().encodeAnimation([frame, turned], as: format) }
            expectInvalid { try ImageEncoder().encodeAnimation([frame], as: format, loopCount: -1) }
        }
    }

    @Test(arguments: [
        (-1, 1), (1, 0), (0, 0), (1, -1), (.min, .min), (.max, 0),
    ])
    func invalidFrameDelaysThrowInEncodingAndHaveADisplayedDurationOf100Milliseconds(numerator: Int, denominator: Int) {
        let delay = FrameDelay(numerator: numerator, denominator: denominator)

        expectInvalid { try ImageEncoder().encodeAnimation([AnimationFrame(Self.bitmap, delay: delay)]) }
        #expect(delay.displayed == .milliseconds(100))
    }

    @Test func displayedDurationOfADelayWithLargeNumeratorOrDenominatorDoesNotOverflow() {
        #expect(FrameDelay(numerator: .max, denominator: .max).displayed == .seconds(1))
        #expect(FrameDelay(numerator: .max, denominator: 1000).displayed == .milliseconds(Int.max))
        #expect(FrameDelay(numerator: .max, denominator: 1).displayed == .milliseconds(Int.max))
        #expect(FrameDelay(numerator: .max / 100, denominator: .max).displayed == .milliseconds(100))
        #expect(FrameDelay(numerator: .max / 50, denominator: .max).displayed == .milliseconds(19))
    }

    @Test func errorMessageContainsTheValueAndTheAllowedRange() {
        var encoder = ImageEncoder()
        encoder.options.jpeg.quality = 101
        let error = #expect(throws: EncodeError.self) { try encoder.encode(Self.bitmap, as: .jpeg) }
        #expect(error?.description == "invalidArgument: jpeg.quality is 101, allowed: 1...100")
    }
}
