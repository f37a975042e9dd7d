import PlatformImageTestSupport
import Testing

@testable import PlatformImage

#if WebP
/// Properties of WebP files that other formats do not have. Pixels, orientation, profiles, damage, limits and
/// animations of all fixtures are tested with those of the other formats.
@Suite struct WebPHeaderTests {
    private let decoder = ImageDecoder()

    @Test func lossyAndLosslessImagesHaveTheirColorModelAndChannels() throws {
        for (path, model, channels) in [
            ("webp/lossy-17x33.webp", ImageHeader.ColorModel.ycbcr, 3), ("webp/lossy-alpha-21x19.webp", .ycbcr, 4),
            ("webp/lossless-17x9.webp", .rgb, 4), ("webp/lossless-soft.webp", .rgb, 3),
        ] {
            let header = try decoder.header(of: Fixture.file(path))

            #expect(header.format == .webp)
            #expect(header.colorModel == model)
            #expect(header.channelCount == channels && header.hasAlpha == (channels == 4))
            #expect(header.bitsPerChannel == 8)
            #expect(header.frameCount == 1 && header.loopCount == nil)
        }
    }

    @Test func animationHeaderHasTheLoopCountAndTheNumberOfFrames() throws {
        for (path, frames, loops) in [
            ("webp/animation-mixed.webp", 4, 7), ("webp/animation-one-frame.webp", 1, 1),
            ("webp/blend-----.webp", 3, 0),
        ] {
            let header = try decoder.frames(of: Fixture.file(path)).header

            #expect(header.frameCount == frames && header.loopCount == loops, "\(path)")
        }
    }

    @Test func framesHaveTheirPlaceDurationDisposalAndBlending() throws {
        let infos = try decoder.frameInfos(of: Fixture.file("webp/animation-mixed.webp"))

        #expect(infos.map(\.x) == [0, 2, 4, 0] && infos.map(\.y) == [0, 2, 4, 0])
        #expect(infos.map(\.width) == [18, 11, 10, 18] && infos.map(\.height) == [14, 9, 6, 14])
        #expect(infos.map(\.delay.numerator) == [0, 1, 70_000, 16_777_215])
        #expect(infos.allSatisfy { $0.delay.denominator == 1_000 && $0.blend == .over })
        #expect(infos.map(\.disposal) == [.keep, .keep, .clear, .keep])
    }

    @Test func decodingAnAnimationComposesTheFirstFrameOnATransparentCanvas() throws {
        let bytes = try Fixture.file("webp/animation-partial-first.webp")
        let first = try #require(try decoder.frames(of: bytes).next())

        let image = try decoder.decode(bytes)

        #expect(image.status == .complete)
        #expect(image.bitmap.digest == first.bitmap.digest)
        #expect(image.bitmap.width == 18 && image.bitmap[0, 0].alpha == 0)
    }

    @Test func metadataOverItsLimitIsIgnoredAndReported() throws {
        let bytes = try Fixture.file("webp/icc-lossless.webp")
        var small = DecodeOptions()
        small.limits.maxMetadataItem = 100

        let complete = try decoder.header(of: bytes)
        let limited = try ImageDecoder(options: small).header(of: bytes)

        #expect(complete.profileSource == .icc && complete.iccProfileByteCount > 100)
        #expect(limited.profileSource == .none && limited.iccProfileByteCount == 0)
        #expect(limited.warnings.contains(.profileIgnored))
    }

    @Test func headerIsReadFromTheBytesBeforeTheImageData() throws {
        let bytes = try Fixture.file("webp/lossy-strong-filter.webp")

        let header = try decoder.header(of: Array(bytes.prefix(30)))

        #expect(header.width == 70 && header.height == 60)
        #expect(throws: DecodeError.self) { try decoder.header(of: Array(bytes.prefix(29))) }
    }
}
#else
@Suite struct WebPRefusalTests {
    @Test func fileIsRefusedByNameWithoutTheTrait() throws {
        let bytes = try Fixture.file("webp/lossy-1x1.webp")

        let error = #expect(throws: DecodeError.self) { try ImageDecoder().decode(bytes) }

        #expect(error?.code == .unsupported && error?.detail == "webp")
        #expect(ImageSignature(of: bytes) == .refused("webp"))
    }
}
#endif
