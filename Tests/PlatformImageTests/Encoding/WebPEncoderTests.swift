#if WebP
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageBenchmarking

/// Still WebP files; libwebp decodes them.
@Suite struct WebPEncoderTests {
    @Test(arguments: SampleImage.allCases, WebPEffort.allCases)
    func losslessFilesHaveTheVisiblePixelsOfTheSource(_ kind: SampleImage, _ effort: WebPEffort) throws {
        for (width, height) in [(1, 1), (3, 2), (17, 31)] {
            let bitmap = kind.bitmap(width, height)
            let file = try Self.encode(bitmap) {
                $0.isLossless = true
                $0.effort = effort
            }

            #expect(try Self.decode(file).digest == bitmap.digest)
            #expect(webPChunks(file.dropFirst(12)).map(\.type) == ["VP8L"])
        }
    }

    @Test(arguments: SampleImage.allCases)
    func losslessFilesThatPreserveTransparentColorsHaveTheSamplesOfTheSource(_ kind: SampleImage) throws {
        for level in 0...9 {
            let bitmap = kind.bitmap(13, 9)
            let file = try Self.encode(bitmap) {
                $0.isLossless = true
                $0.losslessLevel = level
                $0.preservesTransparentColors = true
            }

            #expect(try Self.decode(file).copyBytes() == bitmap.copyBytes(), "level \(level)")
        }
    }

    /// The thresholds are 1 dB below the PSNR of `cwebp -m 4` (libwebp 1.2.4) for this image.
    @Test(arguments: [(20, 36.5), (50, 37.3), (80, 37.9), (95, 43.2), (100, 45.5)])
    func psnrAtEachQualityIsAboveItsThreshold(quality: Int, decibels: Double) throws {
        let bitmap = SampleImage.photograph(150, 110)

        let decoded = try Self.decode(Self.encode(bitmap) { $0.quality = quality })

        #expect(try #require(decoded.psnr(to: bitmap)) > decibels)
    }

    /// The threshold is 1 dB below the minimum PSNR of `cwebp -m 4 -q 95` (libwebp 1.2.4) for these sizes.
    @Test func imageOfUpTo20x17PixelsDecodesWithAPSNRAbove41Decibels() throws {
        for width in 1...20 {
            for height in [1, 2, 8, 15, 16, 17] {
                let bitmap = SampleImage.gradient.bitmap(width, height)
                let decoded = try Self.decode(Self.encode(bitmap) { $0.quality = 95 })
                #expect(decoded.width == width && decoded.height == height)
                #expect(decoded.psnr(to: bitmap) ?? 99 > 41.4, "\(width) x \(height)")
            }
        }
    }

    @Test(arguments: SampleImage.allCases, [false, true])
    func imageDecoderReturnsThePixelsThatLibwebpReturns(_ kind: SampleImage, _ isLossless: Bool) throws {
        for (width, height) in [(1, 1), (3, 2), (33, 18)] {
            let file = try Self.encode(kind.bitmap(width, height)) { $0.isLossless = isLossless }
            #expect(try decodeWithoutWarnings(file).bitmap.copyBytes() == Self.decode(file).copyBytes())
        }
    }

    @Test func lossyFilesPreserveAlphaUnlessAlphaQualityIsBelow100() throws {
        let bitmap = SampleImage.noise.bitmap(40, 30)
        let exact = try Self.encode(bitmap)
        let reduced = try Self.encode(bitmap) { $0.alphaQuality = 0 }

        #expect(Self.alpha(try Self.decode(exact)) == Self.alpha(bitmap))
        #expect(Self.alpha(try Self.decode(reduced)) != Self.alpha(bitmap))
        #expect(reduced.count < exact.count)
        #expect(webPChunks(exact.dropFirst(12)).map(\.type) == ["VP8X", "ALPH", "VP8 "])
    }

    @Test func fileOfAnOpaqueImageHasOneChunkAndNoMetadata() throws {
        let file = try Self.encode(SampleImage.photograph(40, 30))

        #expect(webPChunks(file.dropFirst(12)).map(\.type) == ["VP8 "])
        #expect(Array(file.prefix(4)) == Array("RIFF".utf8))
        #expect(file.count == 8 + Int(file[4]) + Int(file[5]) << 8 + Int(file[6]) << 16)
    }

    @Test func nearLosslessReducesTheFileAndLimitsTheDifferences() throws {
        let bitmap = SampleImage.photograph(120, 90)
        let values = [100, 60, 40, 20, 0]
        let files = try values.map { value in
            try Self.encode(bitmap) {
                $0.isLossless = true
                $0.nearLossless = value
            }
        }
        let differences = try files.map { file in
            try #require(Self.decode(file).largestDifference(to: bitmap.copyBytes(), tolerance: 0))
        }

        #expect(files.dropFirst().allSatisfy { $0.count < files[0].count }, "\(files.map(\.count))")
        #expect(differences[0] == 0 && differences[1] > 0)
        #expect(differences == differences.sorted() && differences[4] <= 32, "\(differences)")
    }

    @Test func sharpYUVIsCloserToSaturatedStripesThanTheDefault() throws {
        let stripes = Bitmap(width: 64, height: 64) { pixels in
            for at in 0..<64 * 64 {
                pixels[at * 4 + (at % 64 / 3 % 2 == 0 ? 0 : 2)] = 255
                pixels[at * 4 + 3] = 255
            }
        }

        let plain = try Self.decode(Self.encode(stripes) { $0.quality = 95 })
        let sharp = try Self.decode(
            Self.encode(stripes) {
                $0.quality = 95
                $0.usesSharpYUV = true
            })

        #expect(try #require(sharp.psnr(to: stripes)) > #require(plain.psnr(to: stripes)) + 1)
    }

    @Test func greaterEffortGivesSmallerFilesOfAPhotograph() throws {
        let bitmap = SampleImage.photograph(200, 150)
        let sizes = try WebPEffort.allCases.map { effort in try Self.encode(bitmap) { $0.effort = effort }.count }

        #expect(sizes == sizes.sorted(by: >))
        #expect(Set(sizes).count == sizes.count)
    }

    @Test func losslessLevelOverridesTheEffort() throws {
        let bitmap = SampleImage.manyColors.bitmap(60, 50)
        for (effort, level) in [(WebPEffort.fast, 3), (.default, 6), (.small, 8)] {
            let byEffort = try Self.encode(bitmap) {
                $0.isLossless = true
                $0.effort = effort
            }
            let byLevel = try Self.encode(bitmap) {
                $0.isLossless = true
                $0.effort = effort == .small ? .fast : .small
                $0.losslessLevel = level
            }
            #expect(byEffort == byLevel)
        }
    }

    @Test func sideOver16383PixelsThrowsTooLarge() throws {
        for (width, height) in [(16_383, 1), (1, 16_383)] {
            let decoded = try Self.decode(Self.encode(Bitmap(width: width, height: height) { _ in }))
            #expect(decoded.width == width && decoded.height == height)
        }
        for (width, height) in [(16_384, 1), (1, 16_384)] {
            let bitmap = Bitmap(width: width, height: height) { _ in }
            let error = #expect(throws: EncodeError.self) { try Self.encode(bitmap) }
            #expect(error?.code == .tooLarge)
        }
    }

    @Test func everyLimitOfALossyFileGivesTheHighestQualityThatFits() throws {
        let bitmap = SampleImage.photograph(24, 18)
        let sizes = try (1...60).map { quality in try Self.encode(bitmap) { $0.quality = quality }.count }
        let smallest = sizes[0]
        for limit in 1...(try #require(sizes.max())) + 1 {
            guard limit >= smallest else {
                let error = #expect(throws: EncodeError.self) {
                    try Self.encode(bitmap, maxBytes: limit) { $0.quality = 60 }
                }
                #expect(error?.code == .overMaxBytes && error?.smallestByteCount == smallest, "\(limit)")
                continue
            }
            let file = try Self.encode(bitmap, maxBytes: limit) { $0.quality = 60 }
            #expect(file.count <= limit)
            // The next higher quality does not fit. Different qualities may have files of equal size.
            let isHighest = sizes.indices.contains { index in
                sizes[index] == file.count && (index == sizes.count - 1 || sizes[index + 1] > limit)
            }
            #expect(isHighest, "\(limit)")
        }
    }

    @Test func everyLimitOfALosslessFileGivesTheRequestedLevelOrLevel8() throws {
        let bitmap = SampleImage.photograph(40, 30)
        func encode(_ level: Int, maxBytes: Int? = nil) throws -> [UInt8] {
            try Self.encode(bitmap, maxBytes: maxBytes) {
                $0.isLossless = true
                $0.losslessLevel = level
            }
        }
        let (quick, tight) = try (encode(0), encode(8))
        #expect(tight.count < quick.count)

        for limit in tight.count..<quick.count { #expect(try encode(0, maxBytes: limit) == tight) }
        #expect(try encode(0, maxBytes: quick.count) == quick)
        for (level, limit) in [(0, 1), (0, tight.count - 1), (8, tight.count - 1)] {
            let error = #expect(throws: EncodeError.self) { try encode(level, maxBytes: limit) }
            #expect(error?.code == .overMaxBytes && error?.smallestByteCount == tight.count)
        }
    }

    /// With libwebp 1.2.4, level 8 gives a larger file of this image than level 6.
    @Test func errorOverMaxBytesContainsTheSmallestSizeOfBothLevels() throws {
        let bitmap = try ImageDecoder().decode(Fixture.file("demo/ribbons.png")).bitmap
        var encoder = ImageEncoder()
        encoder.options.webp.isLossless = true
        let requested = try encoder.encode(bitmap, as: .webp).count
        encoder.options.webp.losslessLevel = 8
        let smallest = try min(requested, encoder.encode(bitmap, as: .webp).count)

        encoder.options.webp.losslessLevel = nil
        encoder.options.maxBytes = smallest - 1
        let error = #expect(throws: EncodeError.self) { try encoder.encode(bitmap, as: .webp) }

        #expect(error?.smallestByteCount == smallest)
    }

    @Test(arguments: SampleImage.allCases, [1, 40, 80, 100])
    func losslessFileIsUsedUnlessTheLossyOneIsSmaller(_ kind: SampleImage, _ quality: Int) throws {
        for (width, height) in [(1, 1), (9, 7), (60, 45)] {
            let bitmap = kind.bitmap(width, height)
            let lossless = try Self.encode(bitmap) { $0.isLossless = true }
            let lossy = try Self.encode(bitmap) { $0.quality = quality }

            let file = try Self.encode(bitmap) {
                $0.quality = quality
                $0.usesLosslessUnlessLarger = true
            }

            #expect(file == (lossy.count < lossless.count ? lossy : lossless), "\(width) x \(height)")
        }
    }

    @Test(arguments: SampleImage.allCases)
    func losslessFileOverMaxBytesIsNotUsed(_ kind: SampleImage) throws {
        let bitmap = kind.bitmap(60, 45)
        let lossless = try Self.encode(bitmap) { $0.isLossless = true }
        let limit = lossless.count - 1
        guard let lossy = try? Self.encode(bitmap, maxBytes: limit) else {
            #expect(throws: EncodeError.self) {
                try Self.encode(bitmap, maxBytes: limit) { $0.usesLosslessUnlessLarger = true }
            }
            return
        }

        let file = try Self.encode(bitmap, maxBytes: limit) { $0.usesLosslessUnlessLarger = true }

        #expect(file == lossy)
        #expect(
            try Self.encode(bitmap, maxBytes: lossless.count) { $0.usesLosslessUnlessLarger = true }.count <= limit + 1)
    }

    @Test(arguments: [SampleImage.blackAndWhite, .oneColor, .noise], [1, 30])
    func errorOverMaxBytesContainsTheSizeOfTheLosslessFileIfThatIsSmaller(_ kind: SampleImage, _ limit: Int) throws {
        let bitmap = kind.bitmap(160, 120)
        let lossless = try Self.encode(bitmap) { $0.isLossless = true }.count
        let lossy = try Self.encode(bitmap) { $0.quality = 1 }.count

        let error = #expect(throws: EncodeError.self) {
            try Self.encode(bitmap, maxBytes: limit) { $0.usesLosslessUnlessLarger = true }
        }

        #expect(error?.code == .overMaxBytes)
        #expect(error?.smallestByteCount == min(lossless, lossy))
    }

    @Test func onlyTheLossyFileIsEncodedWhenTheWorkOfBothExceedsItsLimit() throws {
        let bitmap = SampleImage.oneColor.bitmap(40, 30)
        let lossy = ImageEncoder()
        var both = lossy
        both.options.webp.usesLosslessUnlessLarger = true
        let work = (lossy.work(width: 40, height: 30, as: .webp), both.work(width: 40, height: 30, as: .webp))
        #expect(work.0 < work.1)

        both.options.maxWork = work.1
        #expect(try both.encode(bitmap, as: .webp).count < lossy.encode(bitmap, as: .webp).count)
        both.options.maxWork = work.1 - 1
        #expect(try both.encode(bitmap, as: .webp) == lossy.encode(bitmap, as: .webp))
        both.options.maxWork = work.0 - 1
        let error = #expect(throws: EncodeError.self) { try both.encode(bitmap, as: .webp) }
        #expect(error?.code == .limitExceeded)
    }

    @Test func cancellingAtAnyPollThrowsCancelled() throws {
        for change: (inout WebPOptions) -> Void in [
            { _ in }, { $0.isLossless = true }, { $0.usesSharpYUV = true }, { $0.effort = .fast },
            { $0.usesLosslessUnlessLarger = true },
        ] {
            var encoder = ImageEncoder()
            change(&encoder.options.webp)
            for bitmap in [SampleImage.photograph(20, 50), SampleImage.noise.bitmap(20, 50)] {
                try ImageEncoderTests.expectCancelledAtEveryPoll {
                    try encoder.encode(bitmap, as: .webp, cancellation: $0)
                }
            }
        }
    }

    @Test func memoryBoundGrowsWithThePixelsAndIsZeroForOtherFormats() {
        let encoder = ImageEncoder()
        #expect(encoder.workBytes(width: 1000, height: 1000, hasAlpha: false, as: .webp) == 45_048_576)
        #expect(encoder.workBytes(width: 1000, height: 1000, hasAlpha: true, as: .webp) == 84_971_520)
        #expect(encoder.workBytes(width: .max, height: 2, hasAlpha: true, as: .webp) == .max)
        #expect(encoder.workBytes(width: 1000, height: 1000, hasAlpha: true, as: .png) == 0)
    }

    private static func alpha(_ bitmap: Bitmap) -> [UInt8] {
        bitmap.copyBytes().enumerated().filter { $0.offset % 4 == 3 }.map(\.element)
    }

    private static func encode(
        _ bitmap: Bitmap, maxBytes: Int? = nil, _ change: (inout WebPOptions) -> Void = { _ in }
    ) throws -> [UInt8] {
        var encoder = ImageEncoder()
        change(&encoder.options.webp)
        encoder.options.maxBytes = maxBytes
        return try encoder.encode(bitmap, as: .webp)
    }

    private static func decode(_ file: [UInt8]) throws -> Bitmap { try #require(Baseline(.webp).bitmap(of: file)) }
}
#endif
