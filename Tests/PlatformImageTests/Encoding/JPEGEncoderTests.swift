import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct JPEGEncoderTests {
    /// Every chroma subsampling with three processes: baseline with the standard Huffman tables, baseline with
    /// optimized tables, and progressive with optimized tables.
    private static let kinds: [JPEGOptions] = ChromaSubsampling.allCases.flatMap { chroma in
        [(false, false), (false, true), (true, true)].map { isProgressive, optimizes in
            var options = JPEGOptions()
            options.chromaSubsampling = chroma
            options.isProgressive = isProgressive
            options.optimizesHuffman = optimizes
            return options
        }
    }

    /// The threshold is 1 dB below the minimum PSNR of `cjpeg` (libjpeg-turbo) for these sizes at 4:2:0.
    @Test(arguments: kinds)
    func imageOfUpTo20x17PixelsDecodesWithAPSNRAbove40Decibels(_ options: JPEGOptions) throws {
        for width in 1...20 {
            for height in [1, 2, 8, 15, 16, 17] {
                let bitmap = SampleImage.gradient.bitmap(width, height)
                let image = try decodeWithoutWarnings(Self.encode(bitmap, options, quality: 95))
                #expect(image.bitmap.width == width && image.bitmap.height == height)
                #expect(image.bitmap.psnr(to: bitmap) ?? 99 > 40.5, "\(width) x \(height)")
            }
        }
    }

    /// The thresholds are 1 dB below the PSNR of `cjpeg` (libjpeg-turbo) for this image.
    @Test(arguments: [(20, 34.1), (50, 37.1), (80, 38.9), (95, 41.9), (100, 50.1)])
    func psnrAtEachQualityIsAboveItsThreshold(quality: Int, decibels: Double) throws {
        let bitmap = SampleImage.photograph(150, 110)
        var options = JPEGOptions()
        options.chromaSubsampling = .ratio444

        let image = try decodeWithoutWarnings(Self.encode(bitmap, options, quality: quality))

        #expect(try #require(image.bitmap.psnr(to: bitmap)) > decibels)
    }

    @Test(arguments: kinds)
    func frameHeaderHasTheRequestedProcessAndSubsampling(_ options: JPEGOptions) throws {
        let file = try Self.encode(SampleImage.photograph(40, 30), options, quality: 80)

        let frame = try #require(markers(of: file).first { $0.marker == (options.isProgressive ? 0xC2 : 0xC0) })
        let luma: UInt8 =
            switch options.chromaSubsampling {
            case .ratio420: 0x22
            case .ratio422: 0x21
            case .ratio444: 0x11
            }
        #expect(frame.data[5] == 3)
        #expect([frame.data[7], frame.data[10], frame.data[13]] == [luma, 0x11, 0x11])
    }

    @Test func optimizedHuffmanTablesReduceTheFileSizeAndKeepPixels() throws {
        let bitmap = SampleImage.photograph(200, 150)
        let files = try [(false, false), (false, true), (true, true)].map { isProgressive, optimizes in
            var options = JPEGOptions()
            options.isProgressive = isProgressive
            options.optimizesHuffman = optimizes
            return try Self.encode(bitmap, options, quality: 80)
        }

        #expect(files[1].count < files[0].count)
        let pixels = try files.map { try decodeWithoutWarnings($0).bitmap.copyBytes() }
        #expect(pixels[0] == pixels[1] && pixels[0] == pixels[2])
    }

    @Test(arguments: kinds)
    func fileContainsNoMetadataSegmentExceptTheJFIFHeader(_ options: JPEGOptions) throws {
        let file = try Self.encode(SampleImage.photograph(40, 30), options, quality: 80)

        let found = markers(of: file)
        #expect(found.allSatisfy { [0xD8, 0xE0, 0xDB, 0xC0, 0xC2, 0xC4, 0xDA, 0xD9].contains($0.marker) })
        #expect(found.filter { $0.marker == 0xE0 }.map(\.data) == [Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]])
        #expect(found.last?.marker == 0xD9 && Array(file.suffix(2)) == [0xFF, 0xD9])
    }

    @Test func grayImagesAreStoredWithOneComponent() throws {
        for kind in [SampleImage.grayNoise, .blackAndWhite, .sixteenGrays] {
            let bitmap = kind.bitmap(37, 21)
            let file = try Self.encode(bitmap, JPEGOptions(), quality: 100)

            let frame = try #require(markers(of: file).first { $0.marker == 0xC0 })
            #expect(frame.data[5] == 1)
            #expect(try decodeWithoutWarnings(file).bitmap.psnr(to: bitmap) ?? 99 > 50)
        }
        let color = try Self.encode(SampleImage.opaqueNoise.bitmap(37, 21), JPEGOptions(), quality: 100)
        #expect(markers(of: color).first { $0.marker == 0xC0 }?.data[5] == 3)
    }

    @Test(arguments: [
        (RGBA8(red: 255, green: 255, blue: 255), 1), (RGBA8(red: 9, green: 9, blue: 9), 1),
        (RGBA8(red: 200, green: 30, blue: 90, alpha: 0), 3),
    ])
    func transparentPixelsAreBlendedWithTheBackgroundExactly(background: RGBA8, components: Int) throws {
        // Every sample value with every alpha value.
        let sourceImage = Bitmap(width: 256, height: 256) { pixels in
            for at in 0..<65536 {
                for channel in 0..<3 { pixels[at * 4 + channel] = UInt8(at & 255) }
                pixels[at * 4 + 3] = UInt8(at >> 8)
            }
        }
        let behind = [background.red, background.green, background.blue].map(Double.init)
        let flat = Bitmap(width: 256, height: 256) { pixels in
            for at in 0..<65536 {
                let (sample, alpha) = (Double(at & 255), Double(at >> 8) / 255)
                for channel in 0..<3 {
                    pixels[at * 4 + channel] = UInt8((sample * alpha + behind[channel] * (1 - alpha)).rounded())
                }
                pixels[at * 4 + 3] = 255
            }
        }
        var options = JPEGOptions()
        options.background = background
        options.chromaSubsampling = .ratio444

        let file = try Self.encode(sourceImage, options, quality: 100)

        #expect(try file == Self.encode(flat, options, quality: 100))
        #expect(markers(of: file).first { $0.marker == 0xC0 }.map { Int($0.data[5]) } == components)
    }

    @Test func sideOver65500PixelsThrowsTooLarge() throws {
        for (width, height) in [(65_500, 1), (1, 65_500)] {
            let image = try decodeWithoutWarnings(
                ImageEncoder().encode(Bitmap(width: width, height: height) { _ in }, as: .jpeg))
            #expect(image.bitmap.width == width && image.bitmap.height == height)
        }
        for (width, height) in [(65_501, 1), (1, 65_501)] {
            let bitmap = Bitmap(width: width, height: height) { _ in }
            let error = #expect(throws: EncodeError.self) { try ImageEncoder().encode(bitmap, as: .jpeg) }
            #expect(error?.code == .tooLarge)
            #expect(try decodeWithoutWarnings(ImageEncoder().encode(bitmap, as: .png)).bitmap.width == width)
        }
    }

    private static func encode(_ bitmap: Bitmap, _ options: JPEGOptions, quality: Int) throws -> [UInt8] {
        var encoder = ImageEncoder()
        encoder.options.jpeg = options
        encoder.options.jpeg.quality = quality
        return try encoder.encode(bitmap, as: .jpeg)
    }
}
