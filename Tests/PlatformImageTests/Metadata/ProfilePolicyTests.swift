import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct ProfilePolicyTests {
    /// Source kind, metadata policy, requested policy and format: 4 x 4 x 3 x 4 combinations.
    @Test func profileIsKeptOnlyForRGBSourcesOnRequestOrWithMetadata() {
        for source in ProfilePolicy.Source.allCases {
            for metadata in MetadataPolicy.allCases {
                for requested in [nil, ProfilePolicy.sRGB, .keep] {
                    for format in EncodedFormat.allCases {
                        let isWanted = requested == .keep || requested == nil && metadata != .strip
                        #expect(
                            ProfilePolicy.keepsProfile(
                                of: source, requested: requested, metadata: metadata, format: format)
                                == (source == .rgb && isWanted && format != .gif),
                            "\(source), \(metadata), \(requested.map(\.rawValue) ?? "nil"), \(format)")
                    }
                }
            }
        }
    }

    @Test(arguments: [
        ("jpeg/icc-p3.jpg", ProfilePolicy.Source.rgb), ("jpeg/icc-srgb.jpg", .rgb), ("jpeg/icc-3-chunks.jpg", .rgb),
        ("jpeg/icc-gray.jpg", .otherModel), ("jpeg/icc-rgb-in-gray.jpg", .otherModel),
        ("jpeg/cmyk-icc.jpg", .otherModel), ("jpeg/icc-cmyk-in-rgb.jpg", .unusable),
        ("jpeg/icc-gray-in-rgb.jpg", .unusable), ("jpeg/icc-garbage.jpg", .unusable), ("jpeg/gray.jpg", .noProfile),
        ("jpeg/sampling-420.jpg", .noProfile),
    ])
    func profileOfTheSourceIsKeptOrConverted(path: String, kind: ProfilePolicy.Source) throws {
        let file = try Fixture.file(path)
        let stored = try ImageDecoder(options: .asStored).iccProfile(of: file)

        let (decoder, profile) = try ImageDecoder().keepingProfile(of: file)

        #expect(try ImageDecoder().sourceProfile(of: file).source == kind)
        #expect(profile == (kind == .rgb ? stored : nil))
        #expect(decoder.options.convertsToSRGB == (kind != .rgb))
    }

    @Test(arguments: [EncodedFormat.png, .jpeg, .webp])
    func pixelsWithTheKeptProfileLookLikeTheSource(format: EncodedFormat) throws {
        guard format.isAvailable else { return }
        let file = try Fixture.file("jpeg/icc-p3.jpg")
        let (decoder, profile) = try ImageDecoder().keepingProfile(of: file)
        var encoder = ImageEncoder()
        encoder.options.iccProfile = profile
        encoder.options.jpeg.quality = 100
        encoder.options.jpeg.chromaSubsampling = .ratio444
        encoder.options.webp.isLossless = true

        let output = try encoder.encode(decoder.decode(file).bitmap, as: format)

        #expect(try ImageDecoder().iccProfile(of: output) == profile)
        let (expected, result) = (try ImageDecoder().decode(file).bitmap, try ImageDecoder().decode(output).bitmap)
        #expect(result.copyBytes() != (try decoder.decode(file).bitmap.copyBytes()))
        let difference = result.largestDifference(to: expected.copyBytes(), tolerance: 0)
        #expect(difference ?? 255 <= (format == .jpeg ? 6 : 0))
    }

    @Test func profileOfOtherSamplesIsRejected() throws {
        let gray = try #require(try ImageDecoder(options: .asStored).iccProfile(of: Fixture.file("jpeg/icc-gray.jpg")))
        let rgb = try #require(try ImageDecoder(options: .asStored).iccProfile(of: Fixture.file("jpeg/icc-p3.jpg")))
        for (profile, format) in [(gray, EncodedFormat.png), (gray, .jpeg), ([], .png), ([1, 2], .png), (rgb, .gif)] {
            var encoder = ImageEncoder()
            encoder.options.iccProfile = profile

            let result = Result { () throws(EncodeError) in try encoder.encode(MetadataFiles.bitmap, as: format) }

            switch result {
            case .success: Issue.record("\(format) was encoded")
            case .failure(let error): #expect(error.code == .invalidArgument)
            }
        }
    }

    @Test(arguments: [SampleImage.grayNoise, .grayAlphaNoise, .blackAndWhite, .fourGrays, .oneColor])
    func grayPixelsWithAnRGBProfileAreStoredAsRGB(_ kind: SampleImage) throws {
        var encoder = ImageEncoder()
        encoder.options.iccProfile = try ImageDecoder(options: .asStored).iccProfile(
            of: Fixture.file("jpeg/icc-p3.jpg"))
        let bitmap = kind.bitmap(20, 20)

        let png = try encoder.encode(bitmap, as: .png)
        let jpeg = try encoder.encode(bitmap, as: .jpeg)

        #expect(try ImageDecoder().header(of: png).colorModel != .gray)
        #expect(try ImageDecoder().header(of: jpeg).colorModel == .ycbcr)
        #expect(try ImageDecoder(options: .asStored).decode(png).bitmap.copyBytes() == bitmap.copyBytes())
    }
}
