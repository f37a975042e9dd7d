import PlatformImage
import PlatformImageBenchmarking
import PlatformImageTestSupport
import Testing

/// Still GIFs: lossless and quantised images, transparency, size limits.
@Suite struct GIFEncoderTests {
    /// The samples with at most 256 colours.
    private static let exactSamples: [SampleImage] = [
        .blackAndWhite, .fourGrays, .sixteenGrays, .grayNoise, .oneColor, .twoColors, .sevenColors, .manyColors,
    ]

    @Test(arguments: exactSamples, GIFDither.allCases)
    func imageWithUpTo256ColorsIsStoredLosslessly(_ kind: SampleImage, _ dither: GIFDither) throws {
        var encoder = ImageEncoder()
        encoder.options.gif.dither = dither
        for (width, height) in [(1, 1), (1, 9), (16, 3), (17, 16), (33, 40), (90, 70)] {
            let bitmap = kind.bitmap(width, height)

            let file = try encoder.encode(bitmap, as: .gif)

            #expect(try decodeWithoutWarnings(file).bitmap.copyBytes() == bitmap.copyBytes(), "\(width) x \(height)")
            try Self.expectGIFLibAgrees(file)
        }
    }

    @Test(arguments: 1...255)
    func imageWithUpTo255ColorsAndTransparentPixelsIsStoredLosslessly(count: Int) throws {
        let bitmap = Self.colors(count, withTransparency: true)

        let image = try decodeWithoutWarnings(ImageEncoder().encode(bitmap, as: .gif))

        #expect(image.bitmap.copyBytes() == bitmap.copyBytes())
        #expect(image.header.hasAlpha)
    }

    @Test(arguments: 2...257)
    func paletteIsTheSmallestPowerOfTwoThatContainsTheColors(count: Int) throws {
        let file = try ImageEncoder().encode(Self.colors(count, withTransparency: false), as: .gif)

        var size = 2
        while size < min(count, 256) { size *= 2 }
        #expect(file[10] & 0x80 != 0)
        #expect(2 << Int(file[10] & 7) == size)
        let decoded = try decodeWithoutWarnings(file).bitmap.copyBytes()
        let source = Self.colors(count, withTransparency: false).copyBytes()
        #expect((decoded == source) == (count <= 256))
    }

    @Test func alphaOf128AndMoreBecomesOpaqueAndLessBecomesTransparent() throws {
        let bitmap = Bitmap(width: 16, height: 16) { pixels in
            for at in 0..<256 {
                pixels[at * 4] = 90
                pixels[at * 4 + 3] = UInt8(at)
            }
        }

        let image = try decodeWithoutWarnings(ImageEncoder().encode(bitmap, as: .gif)).bitmap.copyBytes()

        for alpha in 0..<256 {
            let expected: [UInt8] = alpha < 128 ? [0, 0, 0, 0] : [90, 0, 0, 255]
            #expect(Array(image[alpha * 4..<alpha * 4 + 4]) == expected, "alpha \(alpha)")
        }
    }

    @Test(arguments: GIFDither.allCases)
    func transparentPixelsRemainTransparentAndDoNotChangeTheOthers(_ dither: GIFDither) throws {
        // The colours under alpha 0 differ; they must not take part in the palette or in the dithering.
        let pixels = SampleImage.opaqueNoise.bitmap(40, 30).copyBytes()
        func bitmap(under value: UInt8) -> Bitmap {
            Bitmap(width: 40, height: 30) { target in
                for at in 0..<1200 {
                    let isTransparent = at % 40 < 12 || at % 7 == 3
                    for channel in 0..<4 {
                        let below = channel == 3 ? 0 : value
                        target[at * 4 + channel] = isTransparent ? below : pixels[at * 4 + channel]
                    }
                }
            }
        }
        var encoder = ImageEncoder()
        encoder.options.gif.dither = dither
        encoder.options.gif.maxColors = 16

        let file = try encoder.encode(bitmap(under: 0), as: .gif)

        #expect(try encoder.encode(bitmap(under: 255), as: .gif) == file)
        let decoded = try decodeWithoutWarnings(file).bitmap.copyBytes()
        let source = bitmap(under: 0).copyBytes()
        #expect(Self.alphas(decoded) == Self.alphas(source))
    }

    @Test(arguments: GIFDither.allCases, [2, 3, 5, 16, 100, 255, 256])
    func quantisedImageHasAtMostMaxColorsColors(_ dither: GIFDither, maxColors: Int) throws {
        for kind in [SampleImage.opaqueNoise, .gradient, .noise] {
            var encoder = ImageEncoder()
            encoder.options.gif.dither = dither
            encoder.options.gif.maxColors = maxColors

            let file = try encoder.encode(kind.bitmap(70, 50), as: .gif)

            let decoded = try decodeWithoutWarnings(file).bitmap.copyBytes()
            let colors = Set(Self.words(decoded))
            #expect(colors.count <= maxColors && colors.count > 1)
            try Self.expectGIFLibAgrees(file)
        }
    }

    @Test func pixelsOfAnUnditheredImageHaveTheNearestColorOfThePalette() throws {
        var encoder = ImageEncoder()
        encoder.options.gif.dither = .none
        for (kind, maxColors) in [(SampleImage.opaqueNoise, 64), (.gradient, 30), (.opaqueNoise, 256)] {
            encoder.options.gif.maxColors = maxColors
            let bitmap = kind.bitmap(60, 60)
            let file = try encoder.encode(bitmap, as: .gif)

            let (source, decoded) = (bitmap.copyBytes(), try decodeWithoutWarnings(file).bitmap.copyBytes())
            for at in stride(from: 0, to: source.count, by: 4) {
                let pixel = source[at..<at + 3]
                var least = Int.max
                for entry in 0..<maxColors {
                    let color = file[13 + entry * 3..<16 + entry * 3]
                    least = min(least, Self.squaredDistance(color, pixel))
                }
                let shown = Self.squaredDistance(decoded[at..<at + 3], pixel)
                #expect(shown == least)
            }
        }
    }

    /// The floors are the PSNR of ImageMagick 6.9.11 for the same file: `convert FILE [-dither FloydSteinberg |
    /// +dither] -colors 256 OUT.gif`, rounded up to 0.1 dB. Scripts/bench/gif measures both again.
    @Test(arguments: [
        ("demo/mountains.jpg", 41.9, 38.0), ("demo/aurora-progressive.jpg", 38.9, 35.3), ("demo/chart.png", 52.7, 48.0),
        ("demo/city-lights-turned.jpg", 38.0, 34.8),
    ])
    func photographHasAHigherPSNRThanImageMagickWithAndWithoutDithering(path: String, plain: Double, dithered: Double)
        throws
    {
        let bitmap = try ImageDecoder().decode(Fixture.file(path)).bitmap
        for (dither, floor) in [(GIFDither.none, plain), (.floydSteinberg, dithered)] {
            var encoder = ImageEncoder()
            encoder.options.gif.dither = dither

            let decoded = try decodeWithoutWarnings(encoder.encode(bitmap, as: .gif)).bitmap

            let psnr = try #require(decoded.psnr(to: bitmap))
            #expect(psnr > floor, "\(dither)")
        }
    }

    @Test(arguments: GIFDither.allCases)
    func ditheringKeepsTheMeanColorOfAGradient(_ dither: GIFDither) throws {
        // 8 colours for 64 grays: without dithering, the mean of a block differs by up to half a step of 36.
        let bitmap = Bitmap(width: 128, height: 64) { pixels in
            for at in 0..<128 * 64 {
                for channel in 0..<3 { pixels[at * 4 + channel] = UInt8(at % 128) }
                pixels[at * 4 + 3] = 255
            }
        }
        var encoder = ImageEncoder()
        encoder.options.gif.dither = dither
        encoder.options.gif.maxColors = 8

        let decoded = try decodeWithoutWarnings(encoder.encode(bitmap, as: .gif)).bitmap.copyBytes()

        var largest = 0.0
        for column in stride(from: 16, to: 112, by: 8) {
            var difference = 0.0
            for y in 0..<64 {
                for x in column..<column + 8 { difference += Double(decoded[(y * 128 + x) * 4]) - Double(x) }
            }
            largest = max(largest, abs(difference / 512))
        }
        if dither == .none { #expect(largest > 2.5) } else { #expect(largest < 1.5, "\(largest)") }
    }

    @Test func fullyTransparentImageRoundTrips() throws {
        let bitmap = Bitmap(width: 5, height: 4) { _ in }

        let image = try decodeWithoutWarnings(ImageEncoder().encode(bitmap, as: .gif))

        #expect(image.bitmap.copyBytes() == bitmap.copyBytes())
    }

    @Test func widthOrHeightAbove65535PixelsThrowsTooLarge() throws {
        for (width, height) in [(65_536, 1), (1, 65_536)] {
            let error = #expect(throws: EncodeError.self) {
                try ImageEncoder().encode(Bitmap(width: width, height: height) { _ in }, as: .gif)
            }
            #expect(error?.code == .tooLarge)
        }
        let widest = Bitmap(width: 65_535, height: 1) { _ in }
        #expect(try decodeWithoutWarnings(ImageEncoder().encode(widest, as: .gif)).bitmap.width == 65_535)
    }

    @Test(arguments: [Int.min, -1, 0, 1, 257, .max])
    func maxColorsOutside2To256ThrowsInvalidArgument(maxColors: Int) throws {
        var encoder = ImageEncoder()
        encoder.options.gif.maxColors = maxColors
        let bitmap = SampleImage.gradient.bitmap(4, 4)

        let error = #expect(throws: EncodeError.self) { try encoder.encode(bitmap, as: .gif) }

        #expect(error?.code == .invalidArgument)
        #expect(try !encoder.encode(bitmap, as: .png).isEmpty)
    }

    @Test(arguments: GIFDither.allCases)
    func cancellingAGIFAtAnyPollThrowsCancelled(_ dither: GIFDither) throws {
        var encoder = ImageEncoder()
        encoder.options.gif.dither = dither
        for kind in [SampleImage.noise, .twoColors, .gradient] {
            try ImageEncoderTests.expectCancelledAtEveryPoll {
                try encoder.encode(kind.bitmap(20, 70), as: .gif, cancellation: $0)
            }
        }
    }

    /// The alpha samples of RGBA8 pixels.
    static func alphas(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 3, to: bytes.count, by: 4).map { bytes[$0] }
    }

    private static func words(_ bytes: [UInt8]) -> [UInt32] {
        stride(from: 0, to: bytes.count, by: 4).map { at in
            bytes[at..<at + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
    }

    private static func squaredDistance(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Int {
        var sum = 0
        for (x, y) in zip(a, b) {
            let difference = Int(x) - Int(y)
            sum += difference * difference
        }
        return sum
    }

    /// Expects that the LZW decoder of giflib returns the same frames.
    static func expectGIFLibAgrees(_ file: [UInt8]) throws {
        guard case .agrees(let count) = DecoderAgreement.check(file) else {
            Issue.record("giflib decodes other pixels")
            return
        }
        #expect(count > 0)
    }

    /// An image with exactly `count` opaque colours, the first pixel of each in order.
    private static func colors(_ count: Int, withTransparency: Bool) -> Bitmap {
        Bitmap(width: 43, height: 48) { pixels in
            for at in 0..<43 * 48 {
                let color = at % count
                guard !withTransparency || at < count || at % 5 > 0 else { continue }
                pixels[at * 4] = UInt8(color & 255)
                pixels[at * 4 + 1] = UInt8(color >> 8)
                pixels[at * 4 + 2] = UInt8(color * 31 & 255)
                pixels[at * 4 + 3] = 255
            }
        }
    }
}
