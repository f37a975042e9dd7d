import PlatformImageTestSupport
import Testing

@testable import PlatformImage

@Suite struct ThumbnailTests {
    private static func options(
        _ width: Int?, _ height: Int?, _ fit: ThumbnailFit = .contain,
        _ change: (inout ThumbnailOptions) -> Void = { _ in }
    ) -> ThumbnailOptions {
        var options = ThumbnailOptions(width: width, height: height, fit: fit)
        change(&options)
        return options
    }

    /// Sizes, fits, crops and gravities whose result depends on how the orientation maps the image to stored pixels.
    private static let many: [ThumbnailOptions] = ThumbnailFit.allCases.flatMap { fit in
        [
            options(9, 7, fit), options(5, nil, fit), options(nil, 6, fit),
            options(6, 6, fit) { $0.gravity = .topRight },
            options(6, 9, fit) { $0.gravity = Gravity(x: 0.2, y: 0.8) },
            options(7, 5, fit) { $0.crop = PixelRectangle(x: 3, y: 1, width: 11, height: 9) },
            options(4, 6, fit) {
                $0.crop = PixelRectangle(x: 8, y: 4, width: 50, height: 50)
                $0.gravity = .bottomLeft
            },
            options(8, 8, fit) { $0.filter = .box },
            options(30, 50, fit) {
                $0.allowsUpscaling = true
                $0.padsToBox = true
                $0.gravity = .bottom
            },
        ]
    }

    private func noise(_ width: Int, _ height: Int, seed: UInt64 = 1, opaque: Bool = true) -> Bitmap {
        var random = SplitMix(seed: seed)
        return Bitmap(width: width, height: height) { pixels in
            for at in 0..<pixels.count {
                pixels[at] = opaque && at & 3 == 3 ? 255 : UInt8(truncatingIfNeeded: random.next())
            }
        }
    }

    /// The image rotated or mirrored according to the table of the EXIF specification.
    private func oriented(_ stored: Bitmap, _ orientation: Orientation) -> Bitmap {
        let (width, height) = orientation.swapsSides ? (stored.height, stored.width) : (stored.width, stored.height)
        return Bitmap(width: width, height: height) { pixels in
            for y in 0..<height {
                for x in 0..<width {
                    let (right, down) = (width - 1 - x, height - 1 - y)
                    let pixel =
                        switch orientation {
                        case .up: stored[x, y]
                        case .upMirrored: stored[right, y]
                        case .down: stored[right, down]
                        case .downMirrored: stored[x, down]
                        case .leftMirrored: stored[y, x]
                        case .right: stored[y, right]
                        case .rightMirrored: stored[down, right]
                        case .left: stored[down, x]
                        }
                    let at = (y * width + x) * 4
                    pixels[at] = pixel.red
                    pixels[at + 1] = pixel.green
                    pixels[at + 2] = pixel.blue
                    pixels[at + 3] = pixel.alpha
                }
            }
        }
    }

    @Test(arguments: Orientation.allCases)
    func shrinkingBeforeRotatingMatchesShrinkingAfterRotating(_ orientation: Orientation) throws {
        let stored = noise(23, 17)
        let upright = oriented(stored, orientation)
        for options in Self.many {
            let expected = try upright.thumbnail(options: options)

            let geometry = try ThumbnailGeometry(
                sourceWidth: upright.width, sourceHeight: upright.height, limits: .unlimited, options: options)
            let request = geometry.request(
                storedWidth: stored.width, storedHeight: stored.height, orientation: orientation, options: options)
            let small = try stored.resized(by: request, flag: nil).oriented(orientation)
            let made = try small.paddedAndComposited(geometry, background: options.background)

            #expect(request.isValid, "\(options)")
            #expect([made.width, made.height] == [expected.width, expected.height], "\(options)")
            // The rounding of weights depends on the order of the taps.
            let difference = expected.withBytes { _ in made.largestDifference(to: expected.copyBytes(), tolerance: 0) }
            #expect(try #require(difference) <= 1, "\(options)")
        }
    }

    @Test(arguments: Orientation.allCases)
    func thumbnailOfARotatedFileMatchesThatOfTheUprightImage(_ orientation: Orientation) throws {
        let bytes = try Fixture.file("jpeg/exif-orientation-\(orientation.rawValue).jpg")
        let decoder = ImageDecoder()
        let upright = try decoder.decode(bytes).bitmap
        for options in Self.many {
            let expected = try upright.thumbnail(options: options)

            let made = try decoder.thumbnail(of: bytes, options: options)

            #expect([made.bitmap.width, made.bitmap.height] == [expected.width, expected.height])
            #expect(made.header.orientation == orientation)
            // A JPEG may be scaled by the decoder, which gives other pixels than the resampler.
            let difference = made.bitmap.largestDifference(to: expected.copyBytes(), tolerance: 0)
            let isScaled = min(upright.width, upright.height) >= 2 * 3 * max(expected.width, expected.height)
            if !isScaled { #expect(try #require(difference) <= 1, "\(options)") }
        }
    }

    @Test func orientationIsNotAppliedWhenAppliesOrientationIsFalse() throws {
        let bytes = try Fixture.file("jpeg/exif-orientation-6.jpg")
        var decoder = ImageDecoder()
        let upright = try decoder.thumbnail(of: bytes, options: Self.options(8, 8))
        decoder.options.appliesOrientation = false

        let stored = try decoder.thumbnail(of: bytes, options: Self.options(8, 8))

        #expect(stored.bitmap.width == upright.bitmap.height && stored.bitmap.height == upright.bitmap.width)
    }

    @Test func headerOfAThumbnailResultContainsTheSizeOfTheFullImage() throws {
        for path in ["demo/mountains.jpg", "demo/aurora-progressive.jpg", "demo/logo.png", "demo/orbit.gif"] {
            let bytes = try Fixture.file(path)

            let made = try ImageDecoder().thumbnail(of: bytes, options: Self.options(16, 16))

            let full = try ImageDecoder().decode(bytes).header
            #expect(made.header.width == full.width && made.header.height == full.height, "\(path)")
            #expect(made.status == .complete)
            #expect(max(made.bitmap.width, made.bitmap.height) == 16)
        }
    }

    @Test func thumbnailHasTheStatusOfTheFullDecode() throws {
        let decoder = ImageDecoder()
        for fixture in Fixture.all where fixture.expect.error == nil {
            let bytes = try fixture.load()
            guard let full = try? decoder.decode(bytes) else { continue }

            let made = try decoder.thumbnail(of: bytes, options: Self.options(5, 5))

            // For a JPEG that is decoded at 1/8, the reported number of rows may be up to 7 lower. A WebP that is
            // decoded at 1/2 may have one more row, because its last row does not need the chroma of the next one.
            if case .truncated(let rows) = made.status, case .truncated(let allRows) = full.status {
                let additional = full.header.format == .webp ? 1 : 0
                #expect(rows <= allRows + additional && rows > allRows - 8, "\(fixture)")
            } else {
                #expect(made.status == full.status, "\(fixture)")
            }
            #expect(made.bitmap.width <= 5 && made.bitmap.height <= 5, "\(fixture)")
        }
    }

    @Test func thumbnailOfAnInvalidFileThrowsTheErrorOfTheDecode() throws {
        let decoder = ImageDecoder()
        for fixture in Fixture.all where fixture.expect.error != nil {
            let bytes = try fixture.load()
            let expected = Result { () throws(DecodeError) in try decoder.decode(bytes).status }
            guard case .failure(let error) = expected, error.detail != "maxMemory" else { continue }

            let made = Result { () throws(DecodeError) in
                try decoder.thumbnail(of: bytes, options: Self.options(5, 5)).status
            }

            #expect(made == .failure(error), "\(fixture)")
        }
    }

    @Test func transparentPixelsAreBlendedWithTheBackground() throws {
        let glass = Bitmap(width: 4, height: 4) { (pixels: inout MutableSpan<UInt8>) in
            for at in stride(from: 0, to: 64, by: 4) {
                pixels[at] = 200
                pixels[at + 3] = 128
            }
        }
        let blue = RGBA8(red: 0, green: 0, blue: 255)
        let made = try glass.thumbnail(options: Self.options(2, 2) { $0.background = blue })

        #expect(made[0, 0] == RGBA8(red: 100, green: 0, blue: 127, alpha: 255))
        #expect(made[1, 1] == made[0, 0])
    }

    @Test func alphaBlendingDiffersFromTheExactValueByAtMostHalfALevel() {
        var random = SplitMix(seed: 3)
        for _ in 0..<20_000 {
            let bits = random.next()
            func byte(_ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: bits >> (8 * index)) }
            let above = RGBA8(red: byte(0), green: 0, blue: 0, alpha: byte(1))
            let below = RGBA8(red: byte(2), green: 0, blue: 0, alpha: byte(3))

            let made = above.over(below)

            let (a, b) = (Double(above.alpha) / 255, Double(below.alpha) / 255)
            let alpha = a + b * (1 - a)
            #expect(abs(Double(made.alpha) - alpha * 255) <= 0.5 + 1e-9)
            if alpha > 0 {
                let red = (Double(above.red) * a + Double(below.red) * b * (1 - a)) / alpha
                #expect(abs(Double(made.red) - red) <= 0.5 + 1e-9)
            }
        }
    }

    @Test func paddingHasTheBackgroundColorAndIsTransparentWithoutOne() throws {
        let image = noise(8, 4)
        let clear = try image.thumbnail(options: Self.options(4, 4) { $0.padsToBox = true })
        let white = RGBA8(red: 255, green: 255, blue: 255)
        let padded = try image.thumbnail(
            options: Self.options(4, 4) {
                $0.padsToBox = true
                $0.background = white
            })

        #expect([clear.width, clear.height] == [4, 4])
        #expect((0..<4).allSatisfy { clear[$0, 0].alpha == 0 && clear[$0, 3].alpha == 0 })
        #expect((0..<4).allSatisfy { padded[$0, 0] == white && padded[$0, 3] == white })
        #expect((0..<4).allSatisfy { padded[$0, 1] == clear[$0, 1] && clear[$0, 2].alpha == 255 })
    }

    @Test func thumbnailOfAnImageThatFitsTheBoxKeepsEveryPixel() throws {
        let image = noise(13, 9, opaque: false).clearingTransparentPixels()

        let made = try image.thumbnail(options: Self.options(100, 100))

        #expect(made.clearingTransparentPixels().copyBytes() == image.copyBytes())
    }

    @Test func thumbnailsOfFramesKeepIndexAndDelay() throws {
        let bytes = try Fixture.file("demo/orbit.gif")
        let frames = try ImageDecoder().frames(of: bytes)
        var expected: [(FrameDelay, Bitmap)] = []
        while let frame = try frames.next() { expected.append((frame.info.delay, frame.bitmap)) }

        let (made, status) = try ImageDecoder().thumbnails(ofFramesIn: bytes, options: Self.options(20, 20))

        #expect(made.count == expected.count && status == .complete)
        #expect(made.map(\.info.index) == Array(0..<expected.count))
        for (frame, (delay, bitmap)) in zip(made, expected) {
            #expect(frame.info.delay == delay)
            #expect(frame.bitmap.copyBytes() == (try bitmap.thumbnail(options: Self.options(20, 20)).copyBytes()))
        }
        let still = try ImageDecoder().thumbnails(
            ofFramesIn: try Fixture.file("demo/mountains.jpg"), options: Self.options(20, 20))
        #expect(still.frames.count == 1)
    }

    @Test(
        arguments: [
            "gif/animation-truncated.gif", "gif/animation-bad-code.gif", "apng/truncated-third-frame.png",
            "apng/missing-frame.png", "jpeg/truncated-420.jpg", "webp/animation-truncated.webp",
        ])
    func thumbnailsOfReadableFramesAreReturnedWithTheDamageStatus(_ path: String) throws {
        let bytes = try Fixture.file(path)
        let frames = try ImageDecoder().frames(of: bytes)
        var count = 0
        while try frames.next() != nil { count += 1 }

        let made = try ImageDecoder().thumbnails(ofFramesIn: bytes, options: Self.options(5, 5))

        #expect(made.frames.count == count && count > 0)
        #expect(made.status == frames.status && made.status != .complete)
    }

    @Test func thumbnailsOfFramesInAJPEGFileIgnoreScaleDenominator() throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        var decoder = ImageDecoder()
        let expected = try decoder.decode(bytes).bitmap.thumbnail(options: Self.options(200, 200))
        decoder.options.scaleDenominator = 8

        let made = try decoder.thumbnails(ofFramesIn: bytes, options: Self.options(200, 200)).frames

        #expect(made.first?.bitmap.copyBytes() == expected.copyBytes())
    }

    @Test func thumbnailOfABitmapThrowsWhenTheResultExceedsALimit() throws {
        let image = noise(4, 4)
        let large = Self.options(100, 50, .fill) { $0.allowsUpscaling = true }
        var limits = DecodeLimits.unlimited
        func detail() -> String? {
            do throws(DecodeError) {
                _ = try image.thumbnail(options: large, limits: limits)
                return nil
            } catch {
                return error.code == .limitExceeded ? error.detail : "\(error)"
            }
        }

        #expect(detail() == nil)
        limits.maxSide = 99
        #expect(detail() == "maxSide")
        limits.maxSide = nil
        limits.maxPixels = 4_999
        #expect(detail() == "maxPixels")
        limits.maxPixels = nil
        limits.maxMemory = 19_999
        #expect(detail() == "maxMemory")
    }

    @Test func thumbnailsOfManyFramesCountTowardsMaxMemory() throws {
        var decoder = ImageDecoder()
        decoder.options.limits.maxMemory = 4 << 20
        let bytes = try Fixture.file("gif/frames-3000.gif")
        decoder.options.limits.maxFrames = nil

        let error = #expect(throws: DecodeError.self) {
            try decoder.thumbnails(
                ofFramesIn: bytes, options: Self.options(200, 200) { $0.allowsUpscaling = true })
        }

        #expect(error?.code == .limitExceeded && error?.detail == "maxMemory")
    }

    @Test func cropOutsideTheImageThrowsEmptyCrop() throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        let outside = Self.options(5, 5) { $0.crop = PixelRectangle(x: 100_000, y: 0, width: 5, height: 5) }

        let error = #expect(throws: DecodeError.self) { try ImageDecoder().thumbnail(of: bytes, options: outside) }

        #expect(error?.code == .emptyCrop)
    }

    @Test func thumbnailWithACancelledFlagThrowsCancelled() throws {
        let flag = CancellationFlag()
        flag.cancel()
        for path in ["demo/mountains.jpg", "demo/logo.png", "demo/invader-rle4.bmp", "demo/dunes-16-bit.tif"] {
            let bytes = try Fixture.file(path)
            let error = #expect(throws: DecodeError.self) {
                try ImageDecoder().thumbnail(of: bytes, options: Self.options(5, 5), cancellation: flag)
            }
            #expect(error?.code == .cancelled, "\(path)")
        }
    }

    @Test func thumbnailOnTheQueueEqualsADirectThumbnailAndReleasesItsReservedBytes() async throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        let budget = DecodeBudget()
        let queue = DecodeQueue(width: 1, budget: budget)
        let expected = try ImageDecoder().thumbnail(of: bytes, options: Self.options(32, 32)).bitmap

        let made = try await queue.thumbnail(of: bytes, options: Self.options(32, 32)).bitmap
        let peak = budget.peakGrantedBytes
        let full = try await queue.decode(bytes).bitmap

        #expect(made.copyBytes() == expected.copyBytes())
        #expect(budget.grantedBytes == 0)
        #expect(peak >= made.byteCount)
        #expect(peak < full.byteCount)
        let error = await #expect(throws: DecodeError.self) {
            try await DecodeQueue(width: 1, budget: DecodeBudget(maxBytes: 1000))
                .thumbnail(of: bytes, options: Self.options(32, 32))
        }
        #expect(error?.detail == "decodeBudget")
    }

    /// The image covers only a part of the last column of a JPEG decoded at 1/8. This column must not shift the
    /// thumbnail.
    @Test func thumbnailOfAJPEGDecodedAtOneEighthIsNotShiftedWhenASideIsNotDivisibleBy8() throws {
        let ramp = Bitmap(width: 497, height: 16) { pixels in
            for at in stride(from: 0, to: pixels.count, by: 4) {
                let light = UInt8(at / 4 % 497 / 2)
                for channel in 0..<3 { pixels[at + channel] = light }
                pixels[at + 3] = 255
            }
        }
        var encoder = ImageEncoder()
        encoder.options.jpeg.quality = 100
        let bytes = try encoder.encode(ramp, as: .jpeg)

        let made = try ImageDecoder().thumbnail(of: bytes, options: Self.options(20, 1, .fill)).bitmap

        let expected = try ramp.thumbnail(options: Self.options(20, 1, .fill))
        #expect(made.largestDifference(to: expected.copyBytes(), tolerance: 0) ?? 255 <= 1)
    }

    @Test func sizeOfAThumbnailIsComputedWithoutDecoding() throws {
        #expect(try #require(Self.options(300, 200).size(ofWidth: 2000, height: 1500)) == (267, 200))
        let padded = Self.options(300, 200) { $0.padsToBox = true }
        #expect(try #require(padded.size(ofWidth: 2000, height: 1500)) == (300, 200))
        #expect(Self.options(300, 200).size(ofWidth: 0, height: 1500) == nil)
        #expect(Self.options(300, 200).size(ofWidth: .max, height: 1500) == nil)
    }
}
