import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Results with all frames of an animated source.
@Suite struct AnimationRenderTests {
    private let renderer = Renderer()

    private static func output(_ format: NegotiatedFormat) -> OutputFormatRequest {
        var output = OutputFormatRequest(quality: 80)
        output.negotiated = NegotiatedFormats(animatedGIF: format, otherAnimation: format)
        return output
    }

    private static func frames(_ bytes: [UInt8]) throws -> [AnimationFrame] {
        let frames = try ImageDecoder().frames(of: bytes)
        var all: [AnimationFrame] = []
        while let frame = try frames.next() { all.append(frame) }
        return all
    }

    /// APNG is lossless, so its frames must equal the frames that are resampled and finished one by one.
    @Test(
        arguments: [
            ("gif/frames-40.gif", "", 40), ("gif/disposal-mixed.gif", "40x30/", nil),
            ("gif/loop-3.gif", "fit-in/9x9/", nil),
            ("gif/delays.gif", "-12x10/filters:grayscale():rotate(90)/", nil),
            ("apng/plays-3.png", "20x10/filters:fill(red)/", nil), ("gif/local-palettes.gif", "5x7/smart/", nil),
        ] as [(String, String, Int?)])
    func everyFrameIsResampledAndFinishedAsOneImage(_ path: String, _ parts: String, _ count: Int?) throws {
        let bytes = try Fixture.file(path)
        let source = try Self.frames(bytes)
        let header = try ImageDecoder().header(of: bytes)
        var request = try ThumborParserTests.dialect.parse("/unsafe/\(parts)h/a".utf8)
        request.output = Self.output(.apng)

        let image = try renderer.render(bytes, request)

        let result = try Self.frames(image.bytes)
        #expect(image.contentType == "image/apng" && image.format == .png)
        #expect(result.count == source.count && result.count == count ?? result.count && result.count > 1)
        #expect(image.resultFrameCount == result.count && image.frameCount == source.count)
        #expect(try ImageDecoder().header(of: image.bytes).loopCount ?? 1 == header.loopCount ?? 1)
        var options = ThumbnailOptions(width: image.plan.width, height: image.plan.height, fit: .fill)
        options.crop = image.plan.crop
        options.allowsUpscaling = true
        for (before, after) in zip(source, result) {
            let expected = try before.bitmap.thumbnail(options: options).finished(by: image.plan)
            #expect(after.bitmap.digest == expected.digest)
            #expect(after.info.delay.displayed == before.info.delay.displayed)
        }
    }

    @Test(arguments: [NegotiatedFormat.gif, .webp, .apng])
    func animationHasTheFramesAndTheTypeOfItsFormat(_ format: NegotiatedFormat) throws {
        guard format.encoded.isAvailable else { return }
        let image = try renderer.render(Fixture.file("gif/frames-40.gif"), .of(output: Self.output(format)))

        #expect(image.contentType == "image/\(format.rawValue)")
        #expect(ImageFormat(signatureOf: image.bytes.span)?.rawValue == format.encoded.rawValue)
        // libwebp stores equal consecutive frames as one.
        let count = try #require(ImageDecoder().header(of: image.bytes).frameCount)
        #expect(image.resultFrameCount == 40)
        #expect(format == .webp ? (2...40).contains(count) : count == 40)
    }

    @Test(arguments: [
        ("", EncodedFormat.gif, 40), ("filters:format(gif)/", .gif, 40), ("filters:cover()/", .gif, 1),
        ("filters:format(jpeg)/", .jpeg, 1), ("filters:format(png)/", .png, 1),
        ("filters:cover():format(gif)/", .gif, 1),
    ])
    func targetSelectsAllFramesOrTheFirst(_ parts: String, _ format: EncodedFormat, _ count: Int) throws {
        let request = try ThumborParserTests.dialect.parse("/unsafe/\(parts)h/a".utf8)

        let image = try renderer.render(Fixture.file("gif/frames-40.gif"), request)

        #expect(image.format == format && image.resultFrameCount == count)
        #expect(try ImageDecoder().header(of: image.bytes).frameCount ?? 1 == count)
    }

    @Test func animationOverALimitBecomesItsFirstFrame() throws {
        let bytes = try Fixture.file("gif/frames-40.gif")
        let header = try ImageDecoder().header(of: bytes)
        let pixels = header.width * header.height
        func count(
            _ change: (inout DecodeLimits) -> Void = { _ in }, maxPixels: Int = 50_000_000, budget: Int? = nil
        ) throws -> Int {
            var decoder = ImageDecoder()
            change(&decoder.options.limits)
            decoder.options.budgetBytes = budget
            let renderer = Renderer(decoder: decoder, sizes: SizeRules(maxPixels: maxPixels))
            return try renderer.render(bytes, .of()).resultFrameCount
        }

        #expect(try count() == 40)
        #expect(try count { $0.maxFrames = 40 } == 40)
        #expect(try count { $0.maxFrames = 39 } == 1)
        #expect(try count { $0.maxTotalPixels = 40 * pixels } == 40)
        #expect(try count { $0.maxTotalPixels = 40 * pixels - 1 } == 1)
        #expect(try count(maxPixels: 40 * pixels) == 40)
        #expect(try count(maxPixels: 40 * pixels - 1) == 1)
        #expect(try count(budget: 1 << 30) == 40)
        #expect(try count(budget: 40 * pixels) == 1)
    }

    @Test func memoryOfAnAnimationGrowsWithItsFramesAndSharesNoDecode() throws {
        let bytes = try Fixture.file("gif/frames-40.gif")
        let animation = try renderer.prepare(bytes, for: .cover(100, 80))
        let still = try renderer.prepare(
            bytes, for: .of(ThumborSize(width: .pixels(100), height: .pixels(80)), output: .format(.png)))

        #expect(animation.byteCount - still.byteCount >= 40 * 100 * 80 * 4)
        #expect(animation.sharedPlan == nil && still.sharedPlan != nil)
    }

    @Test func cancelledAnimationThrowsDeadlineAtEveryFrame() throws {
        let bytes = try Fixture.file("gif/frames-40.gif")
        let flag = CancellationFlag()
        flag.cancel()

        let prepared = try renderer.prepare(bytes, for: .of())
        let error = #expect(throws: ServiceError.self) {
            try renderer.render(prepared, bytes, cancellation: flag)
        }

        #expect(error?.reason == .deadline)
    }

    @Test func framesBeforeTheDamageOfATruncatedAnimationAreKept() throws {
        let whole = try Fixture.file("gif/frames-40.gif")

        let image = try renderer.render(Array(whole.prefix(whole.count * 2 / 3)), .of(output: Self.output(.apng)))

        #expect(image.resultFrameCount > 1 && image.resultFrameCount < 40)
        #expect(image.status != .complete)
    }

    @Test func iiifTargetHasTheFirstFrameOfAnAnimation() throws {
        let target = Array("/iiif/3/id/full/max/0/default.gif".utf8)
        guard case .image(let request) = try IIIFDialect().parse(target) else {
            Issue.record("not parsed as an image request")
            return
        }

        let image = try renderer.render(Fixture.file("gif/frames-40.gif"), request)

        #expect(image.format == .gif && image.resultFrameCount == 1)
    }
}
