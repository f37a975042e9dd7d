import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct PNGEncoderTests {
    @Test(arguments: SampleImage.allCases)
    func everySampleImageRoundTripsAtSizesUpTo20x20(_ kind: SampleImage) throws {
        for width in 1...20 {
            for height in [1, 2, 3, 7, 16, 17, 20] {
                let bitmap = kind.bitmap(width, height)
                let image = try decodeWithoutWarnings(ImageEncoder().encode(bitmap, as: .png))
                #expect(image.bitmap.copyBytes() == bitmap.copyBytes(), "\(width) x \(height)")
            }
        }
    }

    @Test(arguments: PNGFilter.allCases)
    func imageRoundTripsWithEveryFilterAndCompressionLevel(_ filter: PNGFilter) throws {
        for kind in [SampleImage.noise, .gradient, .grayAlphaNoise, .sevenColors, .fourGrays] {
            let bitmap = kind.bitmap(33, 19)
            for level in 0...9 {
                var encoder = ImageEncoder()
                encoder.options.png.filter = filter
                encoder.options.png.compressionLevel = level
                let image = try decodeWithoutWarnings(encoder.encode(bitmap, as: .png))
                #expect(image.bitmap.copyBytes() == bitmap.copyBytes(), "\(kind) at level \(level)")
            }
        }
    }

    @Test(arguments: [
        (SampleImage.noise, 6, 8), (.opaqueNoise, 2, 8), (.grayNoise, 0, 8), (.grayAlphaNoise, 4, 8),
        (.blackAndWhite, 0, 1), (.fourGrays, 0, 2), (.sixteenGrays, 0, 4), (.oneColor, 3, 1), (.twoColors, 3, 1),
        (.sevenColors, 3, 4), (.manyColors, 3, 8), (.transparentColors, 3, 4),
    ])
    func smallestLosslessColorTypeIsChosen(kind: SampleImage, type: Int, depth: Int) throws {
        let file = try ImageEncoder().encode(kind.bitmap(60, 50), as: .png)

        #expect([Int(file[25]), Int(file[24])] == [type, depth])
    }

    @Test func paletteIsNotStoredWhenItEnlargesTheFile() throws {
        let file = try ImageEncoder().encode(SampleImage.manyColors.bitmap(8, 8), as: .png)

        #expect(file[25] == 2)
    }

    @Test(arguments: 1...258)
    func paletteIsUsedForUpTo256Colors(count: Int) throws {
        let bitmap = Bitmap(width: 43, height: 48) { pixels in
            for at in 0..<43 * 48 {
                let color = at % count
                pixels[at * 4] = UInt8(color & 255)
                pixels[at * 4 + 1] = UInt8(color >> 8)
                pixels[at * 4 + 2] = 7
                pixels[at * 4 + 3] = color % 3 == 0 ? UInt8(color % 200) : 255
            }
        }

        let file = try ImageEncoder().encode(bitmap, as: .png)

        #expect(file[25] == (count <= 256 ? 3 : 6))
        #expect(file[24] == (count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8))
        #expect(try decodeWithoutWarnings(file).bitmap.copyBytes() == bitmap.copyBytes())
        // The palette contains the translucent colours before the opaque colours, so tRNS contains no entry of 255.
        if count <= 256 {
            #expect(chunks(of: file).first { $0.type == "tRNS" }?.data.contains(255) == false)
        }
    }

    @Test func largeImageIsWrittenInIDATChunksOf64KiB() throws {
        for kind in [SampleImage.gradient, .noise] {
            let bitmap = kind == .noise ? kind.tiled(1100, 1000) : kind.tiled(1500, 1000)
            var encoder = ImageEncoder()
            encoder.options.png.compressionLevel = 2

            let file = try encoder.encode(bitmap, as: .png)

            #expect(try decodeWithoutWarnings(file).bitmap.copyBytes() == bitmap.copyBytes())
            let data = chunks(of: file).filter { $0.type == "IDAT" }
            #expect(data.dropLast().allSatisfy { $0.data.count == 64 << 10 })
        }
    }

    @Test func fileContainsOnlyTheChunksThatDecodersRequire() throws {
        let plain = try ImageEncoder().encode(SampleImage.noise.bitmap(9, 9), as: .png)
        let palette = try ImageEncoder().encode(SampleImage.transparentColors.bitmap(40, 40), as: .png)

        #expect(chunks(of: plain).map(\.type) == ["IHDR", "IDAT", "IEND"])
        #expect(chunks(of: palette).map(\.type) == ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"])
    }

    @Test func declaresSRGBOptionAddsAnSRGBChunkAndKeepsPixels() throws {
        let bitmap = SampleImage.gradient.bitmap(12, 9)
        var encoder = ImageEncoder()
        encoder.options.png.declaresSRGB = true

        let file = try encoder.encode(bitmap, as: .png)

        #expect(chunks(of: file).map(\.type) == ["IHDR", "sRGB", "IDAT", "IEND"])
        #expect(try decodeWithoutWarnings(file).bitmap.copyBytes() == bitmap.copyBytes())
    }

    @Test(arguments: SampleImage.allCases)
    func disablingColorReductionStoresRGBA8(_ kind: SampleImage) throws {
        let bitmap = kind.bitmap(23, 11)
        var encoder = ImageEncoder()
        encoder.options.png.reducesColors = false

        let file = try encoder.encode(bitmap, as: .png)

        #expect([file[25], file[24]] == [6, 8])
        #expect(try decodeWithoutWarnings(file).bitmap.copyBytes() == bitmap.copyBytes())
    }

    @Test func higherCompressionLevelsReduceTheFileSizeAndAutomaticFiltersDoNotEnlargeIt() throws {
        for bitmap in [SampleImage.photograph(90, 70), Self.drawing] {
            var sizes: [Int] = []
            for level in [0, 1, 6, 9] {
                var encoder = ImageEncoder()
                encoder.options.png.compressionLevel = level
                sizes.append(try encoder.encode(bitmap, as: .png).count)
            }
            #expect(sizes == sizes.sorted(by: >))

            var unfiltered = ImageEncoder()
            unfiltered.options.png.filter = .none
            #expect(try sizes[2] <= unfiltered.encode(bitmap, as: .png).count)
        }
    }

    /// Squares of uniform colour, more than 256 colours in total. Most pixels equal their left neighbour.
    private static var drawing: Bitmap {
        Bitmap(width: 100, height: 80) { pixels in
            for y in 0..<80 {
                for x in 0..<100 {
                    let at = (y * 100 + x) * 4
                    let ink = x / 5 * 16 + y / 5
                    pixels[at] = UInt8(ink & 255)
                    pixels[at + 1] = UInt8(ink >> 8)
                    pixels[at + 2] = 200
                    pixels[at + 3] = 255
                }
            }
        }
    }
}
