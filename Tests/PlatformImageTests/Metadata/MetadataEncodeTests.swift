import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct MetadataEncodeTests {
    private static let formats = EncodedFormat.allCases.filter { $0.isAvailable && $0 != .gif }

    private static func options(_ policy: MetadataPolicy, _ metadata: ImageMetadata = MetadataBlocks.all)
        -> EncodeOptions
    {
        var options = EncodeOptions()
        options.metadata = metadata
        options.metadataPolicy = policy
        return options
    }

    private static func profile() throws -> [UInt8]? {
        try ImageDecoder(options: .asStored).iccProfile(of: Fixture.file("jpeg/icc-p3.jpg"))
    }

    @Test(arguments: formats, MetadataPolicy.allCases)
    func fileContainsWhatThePolicyKeeps(_ format: EncodedFormat, _ policy: MetadataPolicy) throws {
        let bitmap = SampleImage.gradient.bitmap(31, 17)

        let file = try ImageEncoder(options: Self.options(policy)).encode(bitmap, as: format)

        var expected = MetadataBlocks.all.filtered(by: policy, width: 31, height: 17)
        if format == .webp { expected.iptc = nil }
        #expect(try ImageDecoder().metadata(of: file) == expected)
        #expect(try ImageDecoder().header(of: file).warnings.isEmpty)
        let plain = try ImageEncoder().encode(bitmap, as: format)
        #expect(
            try ImageDecoder().decode(file).bitmap.copyBytes() == ImageDecoder().decode(plain).bitmap.copyBytes())
        if policy == .strip { #expect(file == plain) }
    }

    @Test(arguments: formats, [SampleImage.noise, .opaqueNoise, .transparentColors, .sevenColors])
    func pixelsAndAlphaAreUnchangedByMetadataAndProfile(_ format: EncodedFormat, _ kind: SampleImage) throws {
        for isLossless in [true, false] {
            var options = Self.options(.all)
            options.webp.isLossless = isLossless
            options.iccProfile = try Self.profile()
            var plain = EncodeOptions()
            plain.webp.isLossless = isLossless
            let bitmap = kind.bitmap(33, 21)

            let file = try ImageEncoder(options: options).encode(bitmap, as: format)

            let (image, other) = (
                try ImageDecoder(options: .asStored).decode(file),
                try ImageDecoder(options: .asStored).decode(ImageEncoder(options: plain).encode(bitmap, as: format))
            )
            #expect(image.bitmap.copyBytes() == other.bitmap.copyBytes())
            #expect(image.status == .complete)
            #expect(image.header.hasAlpha == other.header.hasAlpha)
            #expect(try ImageDecoder().iccProfile(of: file) == options.iccProfile)
        }
    }

    @Test func copyrightOfIPTCBecomesEXIFInAWebP() throws {
        guard EncodedFormat.webp.isAvailable else { return }
        let metadata = ImageMetadata(iptc: MetadataBlocks.iptc)

        let file = try ImageEncoder(options: Self.options(.copyright, metadata)).encode(MetadataFiles.bitmap, as: .webp)

        let exif = NaiveEXIF(try #require(try ImageDecoder().metadata(of: file).exif))
        #expect(exif.first[315] == Array(MetadataBlocks.artist.utf8) + [0])
        #expect(exif.first[33432] == Array(MetadataBlocks.copyright.utf8) + [0])
    }

    @Test(arguments: formats)
    func maxBytesCountsMetadata(format: EncodedFormat) throws {
        var options = Self.options(.all)
        let bitmap = SampleImage.gradient.bitmap(40, 40)
        let plain = try ImageEncoder().encode(bitmap, as: format).count
        let complete = try ImageEncoder(options: options).encode(bitmap, as: format).count
        #expect(complete > plain)
        for maxBytes in [complete, complete - 1, plain, 1] {
            options.maxBytes = maxBytes
            let result = Result { () throws(EncodeError) in
                try ImageEncoder(options: options).encode(bitmap, as: format)
            }
            switch result {
            case .success(let file): #expect(file.count <= maxBytes)
            case .failure(let error):
                #expect(error.code == .overMaxBytes)
                #expect(error.smallestByteCount ?? 0 > maxBytes)
            }
        }
    }

    @Test func largeBlocksThatDoNotFitIntoAJPEGSegmentAreReducedOrOmitted() throws {
        let note = [UInt8](repeating: 9, count: 65_000)
        let exif = MetadataBlocks.exif(
            little: true, first: [.text(315, "Artist")],
            camera: [.text(36867, "2026:11:23 08:00:00"), MetadataBlocks.Entry(37500, 7, note + note)])
        let text = exif.count
        let comment = MetadataBlocks.exif(
            little: true, first: [.text(270, String(repeating: "a", count: 70_000)), .text(315, "Artist")])
        let iptc = MetadataBlocks.dataSet(2, 120, [UInt8](repeating: 65, count: 32_000))

        let first = try ImageEncoder(
            options: Self.options(.all, ImageMetadata(exif: exif, iptc: iptc + iptc + iptc))
        ).encode(MetadataFiles.bitmap, as: .jpeg)
        let second = try ImageEncoder(options: Self.options(.all, ImageMetadata(exif: comment)))
            .encode(MetadataFiles.bitmap, as: .jpeg)
        let png = try ImageEncoder(options: Self.options(.all, ImageMetadata(exif: exif)))
            .encode(MetadataFiles.bitmap, as: .png)

        let (one, two) = (try ImageDecoder().metadata(of: first), try ImageDecoder().metadata(of: second))
        #expect(NaiveEXIF(one.exif ?? exif).camera.keys.sorted() == [36867])
        #expect(one.iptc == nil)
        #expect(NaiveEXIF(two.exif ?? exif).first.keys.sorted() == [315])
        #expect(try ImageDecoder().metadata(of: png).exif?.count == text)
    }

    @Test func largeProfileIsSplitIntoSegments() throws {
        var profile = try #require(try Self.profile())
        profile += [UInt8](repeating: 0, count: 200_000 - profile.count)
        profile.replaceSubrange(0..<4, with: MetadataBlocks.bytes(profile.count, 4, false))
        var encoder = ImageEncoder()
        encoder.options.iccProfile = profile

        for format in Self.formats {
            let file = try encoder.encode(MetadataFiles.bitmap, as: format)
            #expect(try ImageDecoder().iccProfile(of: file) == profile)
        }
    }

    @Test(arguments: [EncodedFormat.png, .webp])
    func animationKeepsFramesAndMetadata(format: EncodedFormat) throws {
        guard format.isAvailable else { return }
        let frames = [SampleImage.noise, .gradient, .sevenColors].map { kind in
            AnimationFrame(kind.bitmap(20, 20), delay: FrameDelay(numerator: 1, denominator: 10))
        }
        var options = Self.options(.all)
        options.webp.isLossless = true
        options.iccProfile = try Self.profile()

        let file = try ImageEncoder(options: options).encodeAnimation(frames, as: format, loopCount: 3)

        #expect(try ImageDecoder().header(of: file).frameCount == 3)
        #expect(try ImageDecoder().header(of: file).loopCount == 3)
        #expect(try ImageDecoder().metadata(of: file).xmp != nil)
        #expect(try ImageDecoder().iccProfile(of: file) == options.iccProfile)
    }
}
