import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct ImageProcessorTests {
    private struct Failure: Error, CustomStringConvertible {
        let description = "out of ink"
    }

    private static let image: Bitmap = {
        var random = SplitMix(seed: 6)
        return Bitmap(width: 40, height: 35) { pixels in
            for at in 0..<pixels.count { pixels[at] = UInt8.random(in: 0...255, using: &random) }
        }
    }()

    private static let color = RGBA8(red: 250, green: 20, blue: 90, alpha: 99)
    private static let crop = PixelRectangle(x: 30, y: -2, width: 20, height: 9)

    private static let covering: ThumbnailOptions = {
        var options = ThumbnailOptions(width: 64, height: 20, fit: .contain)
        (options.padsToBox, options.background) = (true, color)
        return options
    }()

    /// Each processor with the equal call of a method of `Bitmap`.
    private static let pairs: [(ImageProcessor, @Sendable (Bitmap) throws -> Bitmap)] = [
        (.resize(width: 20), { try $0.thumbnail(options: ThumbnailOptions(width: 20)) }),
        (.resize(covering), { try $0.thumbnail(options: covering) }),
        (
            .resize(width: 9, height: 9, fit: .cover),
            {
                try $0.thumbnail(options: ThumbnailOptions(width: 9, height: 9, fit: .cover))
            }
        ),
        (.crop(crop), { try $0.resized(width: 10, height: 7, crop: crop) }),
        (.crop(PixelRectangle(x: 0, y: 0, width: 40, height: 35)), { $0 }),
        (.roundedCorners(radius: 6.5), { try $0.withRoundedCorners(radius: 6.5) }),
        (.circle(), { try $0.croppedToCircle() }),
        (.blur(sigma: 1.5), { try $0.blurred(sigma: 1.5) }),
        (.blur(sigma: 30), { try $0.blurred(sigma: 30) }),
        (.sharpen(amount: 2), { try $0.sharpened(amount: 2) }),
        (
            .sharpen(amount: 2, radius: 1.5, luminanceOnly: false),
            {
                try $0.sharpened(amount: 2, radius: 1.5, luminanceOnly: false)
            }
        ),
        (.tint(color), { try $0.tinted(with: color) }),
        (.grayscale(), { try $0.grayscale() }),
        (.brightness(percent: 20), { try $0.adjustingBrightness(byPercent: 20) }),
        (.contrast(percent: 20), { try $0.adjustingContrast(byPercent: 20) }),
        (.saturation(factor: 0.5), { try $0.adjustingSaturation(byFactor: 0.5) }),
        (.custom(identifier: "twice") { bitmap, _ in try bitmap.grayscale() }, { try $0.grayscale() }),
    ]

    @Test func processorsGiveTheResultsOfTheMethods() throws {
        for (processor, method) in Self.pairs {
            let result = try processor.process(Self.image)
            let expected = try method(Self.image)
            #expect(result.width == expected.width && result.height == expected.height, "\(processor)")
            #expect(result.copyBytes() == expected.copyBytes(), "\(processor)")
        }
    }

    @Test func identifiersOfDifferentProcessorsAreDifferent() {
        let processors = Self.pairs.map(\.0)
        #expect(Set(processors).count == processors.count)
        #expect(Set(processors.map(\.identifier)).count == processors.count)
        for processor in processors { #expect(processor.description == processor.identifier) }
    }

    @Test func identifierTextsDoNotChangeBetweenVersions() {
        let texts = Self.pairs.map(\.0.identifier)
        #expect(texts[3] == "crop(20x9+30-2)")
        #expect(
            texts[5...] == [
                "roundedCorners(radius: 6.5)", "circle()", "blur(sigma: 1.5)", "blur(sigma: 30.0)",
                "sharpen(amount: 2.0, radius: 0.0, luminanceOnly: true)",
                "sharpen(amount: 2.0, radius: 1.5, luminanceOnly: false)", "tint(#fa145a63)", "grayscale()",
                "brightness(percent: 20)", "contrast(percent: 20)", "saturation(factor: 0.5)", "custom(twice)",
            ])
        #expect(
            texts[0]
                == "resize(width: 20, height: nil, fit: contain, gravity: 0.5 0.5, crop: nil, allowsUpscaling: false, "
                + "padsToBox: false, background: nil, filter: lanczos3, linearLight: false, quality: balanced, "
                + "usesEmbeddedThumbnail: false)")
    }

    @Test(arguments: ["circle()", "blur(sigma: 1.5)", "", ")", "custom(a)", "1:a"])
    func customProcessorsNeverEqualBuiltInProcessors(_ identifier: String) {
        let custom = ImageProcessor.custom(identifier: identifier) { bitmap, _ in bitmap }
        for (processor, _) in Self.pairs { #expect(custom != processor) }
        #expect(custom == .custom(identifier: identifier) { bitmap, _ in try bitmap.grayscale() })
    }

    @Test func identifiersAreComparedByteByByte() {
        let composed = ImageProcessor.custom(identifier: "\u{E9}") { bitmap, _ in bitmap }
        let decomposed = ImageProcessor.custom(identifier: "e\u{301}") { bitmap, _ in bitmap }
        #expect(composed.identifier == decomposed.identifier)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
    }

    /// All lists of up to three processors from a set whose identifiers contain the characters of the joined text.
    @Test func listsOfProcessorsHaveDifferentCacheVariants() {
        let set: [ImageProcessor] =
            [.circle(), .grayscale()]
            + ["a", "b", "ab", "", "9:custom(a)", "a)9:custom(b"].map { name in
                .custom(identifier: name) { bitmap, _ in bitmap }
            }
        var lists: [[ImageProcessor]] = [[]]
        for _ in 0..<3 {
            lists = [[]] + lists.flatMap { list in set.map { [$0] + list } }
        }
        #expect(Set(lists).count == Set(lists.map(\.cacheVariant)).count)
        #expect([ImageProcessor]().cacheVariant == "")
        #expect([ImageProcessor.circle(), .grayscale()].cacheVariant == "8:circle()11:grayscale()")
    }

    @Test func errorOfACustomProcessorHasTheCodeProcessorFailedAndItsText() {
        let processor = ImageProcessor.custom(identifier: "print") { _, _ in throw Failure() }
        let error = #expect(throws: DecodeError.self) { try processor.process(Self.image) }
        #expect(error?.code == .processorFailed && error?.detail == "print")
        #expect(error?.message.contains("out of ink") == true)
    }

    @Test func decodeErrorsOfACustomProcessorAreNotChanged() {
        let processor = ImageProcessor.custom(identifier: "crop") { bitmap, _ in try bitmap.blurred(sigma: -1) }
        let error = #expect(throws: DecodeError.self) { try processor.process(Self.image) }
        #expect(error?.code == .invalidArgument && error?.detail == "sigma")
    }

    @Test func cancellationOfACustomProcessorHasTheCodeCancelled() {
        let throwing = ImageProcessor.custom(identifier: "a") { _, _ in throw CancellationError() }
        #expect(throws: DecodeError.self) { try throwing.process(Self.image) }
        let flag = CancellationFlag()
        let ignoring = ImageProcessor.custom(identifier: "b") { bitmap, flag in
            flag?.cancel()
            return bitmap
        }
        for (processor, flag) in [(throwing, nil), (ignoring, flag)] {
            let error = #expect(throws: DecodeError.self) { try processor.process(Self.image, cancellation: flag) }
            #expect(error?.code == .cancelled)
        }
    }

    @Test func bitmapOfACustomProcessorIsCheckedAgainstTheLimits() throws {
        var limits = DecodeLimits()
        limits.maxSide = 50
        for (width, code) in [(50, nil), (51, DecodeError.Code.limitExceeded)] {
            let processor = ImageProcessor.custom(identifier: "wide \(width)") { _, _ in
                Bitmap(width: width, height: 1) { _ in }
            }
            let result = Result { () throws(DecodeError) in try processor.process(Self.image, limits: limits) }
            switch result {
            case .success(let bitmap): #expect(code == nil && bitmap.width == width)
            case .failure(let error): #expect(error.code == code)
            }
        }
    }

    @Test(
        arguments: [
            (.resize(width: 0), .invalidArgument), (.resize(width: nil, height: .max), .invalidArgument),
            (.crop(PixelRectangle(x: 40, y: 0, width: 5, height: 5)), .emptyCrop),
            (.crop(PixelRectangle(x: .max, y: .min, width: .max, height: -1)), .emptyCrop),
            (.roundedCorners(radius: .nan), .invalidArgument), (.blur(sigma: -1), .invalidArgument),
            (.blur(sigma: .infinity), .invalidArgument), (.sharpen(amount: .nan), .invalidArgument),
            (.brightness(percent: .min), .invalidArgument), (.contrast(percent: .max), .invalidArgument),
            (.saturation(factor: 1e9), .invalidArgument),
        ] as [(ImageProcessor, DecodeError.Code)])
    func processorWithAnInvalidParameterThrowsWhenItIsApplied(_ processor: ImageProcessor, _ code: DecodeError.Code) {
        let error = #expect(throws: DecodeError.self) { try processor.process(Self.image, limits: .unlimited) }
        #expect(error?.code == code)
        _ = processor.memory(width: 40, height: 35)
    }

    @Test func memoryOfTheLargestResultDoesNotOverflow() {
        let side = ThumbnailOptions.maxSide
        var options = ThumbnailOptions(width: side, height: side, fit: .fill)
        options.allowsUpscaling = true
        let bytes = side * side * 4

        for next in [ImageProcessor.sharpen(amount: 1), .circle(), .blur(sigma: 250), .grayscale()] {
            let byteCount = [.resize(options), next].byteCount(width: 10, height: 10)
            #expect(byteCount >= 2 * bytes && byteCount <= 6 * bytes, "\(next)")
        }
    }

    @Test func cancellationAtAnyPollEndsAProcessor() throws {
        for (processor, _) in Self.pairs {
            let whole = CancellationFlag()
            _ = try processor.process(Self.image, cancellation: whole)
            #expect(whole.pollCount > 0)
            for polls in 0..<whole.pollCount {
                let flag = CancellationFlag()
                flag.cancelAfter(polls: polls)
                let error = #expect(throws: DecodeError.self, "\(processor)") {
                    try processor.process(Self.image, cancellation: flag)
                }
                #expect(error?.code == .cancelled)
            }
        }
    }

    /// The row buffers and the second bitmap of padding and backgrounds count.
    @Test func resizeWithOneByteLessThanItsMemoryThrowsLimitExceeded() {
        for (processor, _) in Self.pairs[..<3] {
            var limits = DecodeLimits()
            limits.maxMemory = processor.memory(width: 40, height: 35).byteCount - 1

            let error = #expect(throws: DecodeError.self) { try processor.process(Self.image, limits: limits) }

            #expect(error?.code == .limitExceeded && error?.detail == "maxMemory", "\(processor)")
        }
    }

    /// `memory` is sufficient as `maxMemory`, and its size is the size of the result.
    @Test(arguments: [(1, 1), (40, 35), (35, 40), (300, 7)])
    func memoryBoundCoversTheResultAndTheBuffers(_ width: Int, _ height: Int) throws {
        let image = try Bitmap(width: width, height: height, filledWith: Self.color)
        for (processor, _) in Self.pairs {
            let memory = processor.memory(width: width, height: height)
            var limits = DecodeLimits()
            limits.maxMemory = memory.byteCount
            let result = Result { () throws(DecodeError) in try processor.process(image, limits: limits) }
            switch result {
            case .success(let bitmap):
                #expect(bitmap.width == memory.width && bitmap.height == memory.height, "\(processor)")
                #expect(memory.byteCount >= bitmap.byteCount, "\(processor)")
            case .failure(let error):
                // The rectangle of the crop is outside of the narrow images.
                #expect(error.code == .emptyCrop && memory.byteCount == 0, "\(processor): \(error)")
            }
        }
    }
}
