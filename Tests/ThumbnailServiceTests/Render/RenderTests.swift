import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

@Suite struct RenderTests {
    private let renderer = Renderer(decoder: ImageDecoder(options: serviceOptions))
    private static let serviceOptions: DecodeOptions = {
        var options = DecodeOptions()
        options.limits = .thumbnailService
        return options
    }()

    private func decoded(_ image: RenderedImage) throws -> Bitmap {
        let bitmap = try ImageDecoder().decode(image.bytes).bitmap
        #expect(bitmap.width == image.width && bitmap.height == image.height)
        return bitmap
    }

    /// Compares the result with the upright image from the decoder, resized as a bitmap.
    @Test(arguments: 1...8)
    func everyOrientationIsRenderedUprightWhenFittedOrCropped(_ orientation: Int) throws {
        for (path, width, height) in [
            ("png/exif-orientation-\(orientation).png", 16, 12), ("tiff/orientation-\(orientation).tif", 11, 7),
        ] {
            let bytes = try Fixture.file(path)
            let whole = try ImageDecoder().decode(bytes).bitmap
            let (wide, high) = orientation >= 5 ? (height, width) : (width, height)
            #expect(whole.width == wide && whole.height == high)

            var request = ThumbnailRequest.fit(6, 6)
            request.output.format = .png
            let fitted = try decoded(renderer.render(bytes, request))
            let model = try whole.resized(width: fitted.width, height: fitted.height)
            #expect(try #require(fitted.largestDifference(to: model.copyBytes(), tolerance: 1)) <= 1)
            #expect(max(fitted.width, fitted.height) == 6)

            request = .cover(4, 6)
            request.output.format = .png
            let cropped = try decoded(renderer.render(bytes, request))
            let plan = try renderer.prepare(bytes, for: request).plan
            let part = try whole.resized(width: 4, height: 6, crop: plan.crop)
            #expect(try #require(cropped.largestDifference(to: part.copyBytes(), tolerance: 1)) <= 1)
        }
    }

    @Test func jpegWithAnOrientationIsScaledDuringDecodingAndRenderedUpright() throws {
        let bytes = try Fixture.file("demo/city-lights-turned.jpg")
        let whole = try ImageDecoder().decode(bytes).bitmap
        var request = ThumbnailRequest.fit(60, 60)
        request.output.format = .png

        let small = try decoded(renderer.render(bytes, request))

        let model = try whole.resized(width: small.width, height: small.height).copyBytes()
        let result = small.copyBytes()
        let sum = zip(result, model).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect((small.width, small.height) == (42, 60))
        #expect(Double(sum) / Double(result.count) < 1.5)
    }

    /// 2 x 3 pixels, numbered row by row from 1.
    @Test(arguments: [
        (false, false, 0, [1, 2, 3, 4, 5, 6], 2), (true, false, 0, [2, 1, 4, 3, 6, 5], 2),
        (false, true, 0, [5, 6, 3, 4, 1, 2], 2), (true, true, 0, [6, 5, 4, 3, 2, 1], 2),
        (false, false, 1, [5, 3, 1, 6, 4, 2], 3), (false, false, 2, [6, 5, 4, 3, 2, 1], 2),
        (false, false, 3, [2, 4, 6, 1, 3, 5], 3), (true, false, 1, [6, 4, 2, 5, 3, 1], 3),
    ])
    func flipsAreAppliedBeforeRotation(
        _ across: Bool, _ down: Bool, _ turns: Int, _ expected: [UInt8], _ width: Int
    ) throws {
        let numbered = Bitmap(width: 2, height: 3) { pixels in
            for index in 0..<6 { RGBA8(red: UInt8(index + 1), green: 0, blue: 0).store(in: &pixels, at: index * 4) }
        }
        var request = ThumbnailRequest.of(filters: turns > 0 ? [.rotate(quarterTurns: turns)] : [])
        request.operations.flipsHorizontally = across
        request.operations.flipsVertically = down

        let result = try decoded(renderer.render(numbered.png(), request))

        #expect(result.width == width)
        #expect((0..<6).map { result[$0 % width, $0 / width].red } == expected)
    }

    @Test func filtersRunInTheOrderOfTheRequest() throws {
        let sourceImage = Bitmap.landscape(12, 9)
        let filters: [ImageFilter] = [.pixels(.brightness(60)), .pixels(.contrast(50)), .pixels(.grayscale)]

        let forward = try decoded(renderer.render(sourceImage.png(), .of(filters: filters)))
        let backward = try decoded(renderer.render(sourceImage.png(), .of(filters: filters.reversed())))

        let model = try sourceImage.applying(.brightness(60)).applying(.contrast(50)).applying(.grayscale)
        #expect(forward.copyBytes() == model.copyBytes())
        #expect(backward.copyBytes() != model.copyBytes())
    }

    @Test(arguments: [
        ("png/rgb8.png", OutputFormatRequest.Format?.none, false, EncodedFormat.png),
        ("jpeg/gray.jpg", nil, false, .jpeg),
        ("gif/transparent.gif", nil, false, .png), ("gif/gif87a.gif", nil, false, .gif),
        ("bmp/rgb24-top-down.bmp", nil, false, .jpeg),
        ("bmp/palette8.bmp", nil, false, .png), ("tiff/rgb8-le.tif", nil, false, .jpeg),
        ("tiff/rgba8-unassociated.tif", nil, false, .png), ("tiff/palette8-le.tif", nil, false, .png),
        ("tiff/gray8-le.tif", nil, false, .jpeg), ("png/rgb8.png", .jpeg, false, .jpeg),
        ("jpeg/gray.jpg", .png, false, .png), ("jpeg/gray.jpg", .avif, false, .jpeg),
        ("png/rgb8.png", .gif, false, .gif), ("png/rgb8.png", .heif, false, .png),
        ("jpeg/gray.jpg", .webp, false, EncodedFormat.webp.isAvailable ? .webp : .jpeg),
        ("png/rgb8.png", nil, true, .jpeg), ("png/rgba8.png", nil, true, .png), ("png/rgba8.png", .jpeg, true, .jpeg),
        ("png/rgb8.png", .png, true, .png),
    ])
    func resultHasTheRequestedFormatIfSupportedElseTheDefaultFormatForItsSource(
        _ path: String, _ requested: OutputFormatRequest.Format?, _ prefersJPEG: Bool, _ expected: EncodedFormat
    ) throws {
        var output = OutputFormatRequest.format(requested)
        output.prefersJPEG = prefersJPEG

        let image = try renderer.render(Fixture.file(path), .of(output: output))

        #expect(image.format == expected && image.contentType == expected.contentType.description)
        #expect(ImageFormat(signatureOf: image.bytes.span)?.rawValue == expected.rawValue)
        #expect(image.quality == (expected == .jpeg || expected == .webp ? 80 : nil))
    }

    @Test func renderPlanOfATrimmedImageIsComputedFromTheTrimmedRegion() throws {
        let framed = Bitmap(width: 60, height: 50) { pixels in
            for y in 0..<50 {
                for x in 0..<60 {
                    let isInside = (10..<50).contains(x) && (5..<25).contains(y)
                    RGBA8(red: isInside ? UInt8(x * 4) : 255, green: isInside ? UInt8(y * 8) : 255, blue: 255)
                        .store(in: &pixels, at: (y * 60 + x) * 4)
                }
            }
        }
        var request = ThumbnailRequest.of(ThumborSize(width: .pixels(20)))
        request.operations.trim = Operations.Trim()

        let image = try renderer.render(framed.png(), request)

        #expect(image.plan.region == PixelRectangle(x: 10, y: 5, width: 40, height: 20))
        #expect((image.width, image.height) == (20, 10))
        let model = try framed.resized(width: 20, height: 10, crop: image.plan.region)
        #expect(try decoded(image).copyBytes() == model.copyBytes())
    }

    @Test func imageOfOneColorIsNotTrimmed() throws {
        let white = Bitmap(width: 8, height: 6) { pixels in for at in 0..<pixels.count { pixels[at] = 255 } }
        var request = ThumbnailRequest.of()
        request.operations.trim = Operations.Trim()

        let image = try renderer.render(white.png(), request)

        #expect((image.width, image.height) == (8, 6))
    }

    @Test func smartCropOfARenderSelectsTheRegionWithDetail() throws {
        let sourceImage = Bitmap(width: 120, height: 40) { pixels in
            var random = SplitMix(seed: 1)
            for index in 0..<120 * 40 {
                let value: UInt8 = index % 120 >= 80 ? UInt8.random(in: 0...255, using: &random) : 128
                RGBA8(red: value, green: value, blue: value).store(in: &pixels, at: index * 4)
            }
        }
        var request = ThumbnailRequest.cover(40, 40)
        request.operations.focus.isSmart = true

        let smart = try renderer.render(sourceImage.png(), request)
        request.operations.focus.isSmart = false
        let middle = try renderer.render(sourceImage.png(), request)

        #expect(smart.plan.crop == PixelRectangle(x: 80, y: 0, width: 40, height: 40))
        #expect(middle.plan.crop == PixelRectangle(x: 40, y: 0, width: 40, height: 40))
        #expect(
            try decoded(smart).copyBytes()
                == sourceImage.resized(width: 40, height: 40, crop: smart.plan.crop).copyBytes())
    }

    @Test func requestedTIFFPageIsRenderedAndAMissingPageIs404() throws {
        let bytes = try Fixture.file("tiff/pages-3-classic-le.tif")
        var results: Set<[UInt8]> = []
        for page in 1...3 {
            var request = ThumbnailRequest.of(output: .format(.png))
            request.operations.page = page
            let image = try renderer.render(bytes, request)
            #expect(image.frameCount == 3)
            results.insert(image.bytes)
        }
        #expect(results.count == 3)

        var request = ThumbnailRequest.of()
        request.operations.page = 4
        let error = #expect(throws: ServiceError.self) { try renderer.render(bytes, request) }
        #expect(error?.status == 404)
    }

    @Test func renderOfAnAnimationAsPNGReturnsItsFirstFrameAndFrameCount() throws {
        let image = try renderer.render(Fixture.file("gif/frames-40.gif"), .of(output: .format(.png)))

        let first = try ImageDecoder().decode(Fixture.file("gif/frames-40.gif")).bitmap
        #expect(image.frameCount == 40)
        #expect(try decoded(image).digest == first.digest)
    }

    @Test func damageOfTheSourceIsReportedInTheStatusOfTheResult() throws {
        #expect(try renderer.render(Fixture.file("png/truncated-mid-row-5.png"), .of()).status == .truncated(rows: 4))
        guard case .corrupt = try renderer.render(Fixture.file("png/bad-crc-idat.png"), .of()).status else {
            Issue.record("the wrong checksum was not detected")
            return
        }
        #expect(try renderer.render(Fixture.file("png/rgb8.png"), .of()).status == .complete)
    }
}
