import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Colours are converted after shrinking, which converts fewer pixels.
@Suite struct ShrinkColorTests {
    @Test(arguments: ["demo/display-p3.png", "jpeg/icc-p3.jpg", "jpeg/icc-swapped.jpg", "jpeg/icc-gray.jpg"])
    func colorsAreConvertedToSRGBAfterShrinkOnLoad(_ path: String) throws {
        let bytes = try Fixture.file(path)

        let actual = try ShrinkOnLoad.decode(bytes, options: DecodeOptions(), width: 24, height: 18)

        let stored = try ShrinkOnLoad.decode(bytes, width: 24, height: 18)
        let expected = try converted(stored.pixels, width: 24, height: 18, as: bytes)
        #expect(actual.pixels == expected)
        #expect(actual.pixels != stored.pixels)
    }

    /// The resampler does not support CMYK, so each row is converted to sRGB before resampling.
    @Test(arguments: ["jpeg/cmyk-icc.jpg", "demo/poster-cmyk.jpg", "jpeg/ycck-progressive.jpg"])
    func cmykRowsAreConvertedAsInAFullDecode(_ path: String) throws {
        let bytes = try Fixture.file(path)

        let expected = try FullDecodeModel.decode(bytes, options: DecodeOptions(), width: 24, height: 18)
        let actual = try ShrinkOnLoad.decode(bytes, options: DecodeOptions(), width: 24, height: 18)

        #expect(actual == expected)
    }

    @Test(arguments: ["jpeg/icc-srgb.jpg", "demo/mountains.jpg", "demo/chart.png"])
    func srgbProfileDoesNotChangePixels(_ path: String) throws {
        let bytes = try Fixture.file(path)

        let stored = try ShrinkOnLoad.decode(bytes, width: 24, height: 18)
        let converted = try ShrinkOnLoad.decode(bytes, options: DecodeOptions(), width: 24, height: 18)

        #expect(converted.pixels == stored.pixels)
    }

    /// The pixels converted by the profile of `file`.
    private func converted(_ pixels: [UInt8], width: Int, height: Int, as file: [UInt8]) throws -> [UInt8] {
        var source = try SourceImage(file.span, declared: nil, options: DecodeOptions())
        let transform = try #require(try transform(of: &source, in: file))
        let storage = try #require(PixelStorage(byteCount: pixels.count, zeroed: false))
        storage.withMutableBytes { RowKernels.copy(pixels.span, to: &$0) }
        var damage = Damage()
        try source.call.convert(storage, width: width, height: height, with: transform, damage: &damage)
        return storage.withBytes { [UInt8]($0) }
    }

    private func transform(of source: inout SourceImage, in file: [UInt8]) throws -> ColorTransform? {
        try source.transform(in: file.span, cache: ColorTransformCache())
    }
}
