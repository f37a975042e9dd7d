import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Several thumbnails of one file from one decode with a common plan.
@Suite(.timeLimit(.minutes(30))) struct ThumbnailBatchTests {
    private static let files = [
        "demo/mountains.jpg", "demo/aurora-progressive.jpg", "demo/city-lights-turned.jpg", "demo/poster-cmyk.jpg",
        "demo/window.png", "demo/ribbons.png", "demo/display-p3.png", "demo/orbit.gif", "demo/letter-g4.tif",
        "demo/dunes-16-bit.tif", "demo/invader-rle4.bmp", "bmp/header-40-rgb24.bmp", "bmp/palette4-top-down.bmp",
        "bmp/embedded-jpeg.bmp", "gif/truncated-short-blocks.gif",
        "demo/valley.webp",
    ]

    /// Different sizes, fits, filters, crops, backgrounds and paddings. 12 options, all with different pixels unless
    /// the image is smaller than the boxes.
    private static func options(of header: ImageHeader) -> [ThumbnailOptions] {
        let (width, height) = (header.displayWidth, header.displayHeight)
        var all = [16, 60, 130, 250].map { ThumbnailOptions(width: $0, height: $0) }
        all.append(ThumbnailOptions(width: 50, height: 70, fit: .fill))
        all.append(ThumbnailOptions(width: 31, height: 17, fit: .cover))
        var padded = ThumbnailOptions(width: 90, height: 33)
        padded.padsToBox = true
        all.append(padded)
        padded.background = RGBA8(red: 200, green: 100, blue: 50, alpha: 255)
        all.append(padded)
        for part in 0..<3 {
            var cropped = ThumbnailOptions(width: 30, height: 20, fit: .fill)
            cropped.crop = PixelRectangle(
                x: width * part / 4, y: height * (2 - part) / 3, width: width / 4 + 1, height: height / 3 + 1)
            cropped.filter = [ResampleFilter.nearest, .bilinear, .mitchell][part]
            all.append(cropped)
        }
        var linear = ThumbnailOptions(width: 61)
        linear.linearLight = true
        return all + [linear]
    }

    @Test(arguments: files) func oneThumbnailEqualsThatOfTheMethodForOneThumbnail(_ path: String) throws {
        let bytes = try Fixture.file(path)
        let decoder = ImageDecoder()
        for options in try Self.options(of: decoder.header(of: bytes)) {
            let expected = try decoder.thumbnail(of: bytes, options: options)

            let images = try decoder.thumbnails(of: bytes, options: [options])

            #expect(images.count == 1)
            #expect(images.first?.bitmap.copyBytes() == expected.bitmap.copyBytes(), "\(path) \(options)")
            #expect(images.first?.bitmap.width == expected.bitmap.width)
            #expect(images.first?.status == expected.status)
            #expect(images.first?.header.warnings == expected.header.warnings)
        }
    }

    /// The expected thumbnails are made one by one, each with the common plan.
    @Test(arguments: files) func eachOfSeveralThumbnailsEqualsASeparateOneWithTheCommonPlan(_ path: String) throws {
        let bytes = try Fixture.file(path)
        let decoder = ImageDecoder()
        let options = try Self.options(of: decoder.header(of: bytes))
        let plans = try options.map { try decoder.thumbnailCost(of: bytes, options: $0).plan }
        let plan = try #require(ThumbnailPlan.finest(plans))

        let made = try decoder.thumbnailResults(of: bytes.span, options: options)

        #expect(made.decodeCount == 1)
        #expect(made.results.count == options.count)
        let local = LocalDecoder(options: decoder.options)
        var sources = try ThumbnailSources(bytes.span, local)
        for (options, result) in zip(options, made.results) {
            let prepared = try PreparedThumbnail(&sources, bytes.span, options: options, plan: plan)
            let expected = try local.thumbnail(prepared, bytes.span)
            let image = try result.get()
            #expect(image.bitmap.copyBytes() == expected.bitmap.copyBytes(), "\(path) \(options)")
            #expect(image.status == expected.status)
            #expect(image.header == expected.header)
        }
    }

    /// Formats other than JPEG and WebP have only one plan. The smallest measured values are 40.3 dB (CMYK, 16 pixels
    /// wide) and, with nearest neighbour, 36.9 dB.
    @Test(arguments: files) func eachOfSeveralThumbnailsIsCloseToTheSingleOne(_ path: String) throws {
        let bytes = try Fixture.file(path)
        let decoder = ImageDecoder()
        let header = try decoder.header(of: bytes)
        var options = Self.options(of: header)
        options += [ThumbnailOptions(width: 24), ThumbnailOptions(width: header.displayWidth)]

        let images = try decoder.thumbnails(of: bytes, options: options)

        for (options, image) in zip(options, images) {
            let single = try decoder.thumbnail(of: bytes, options: options)
            let psnr = image.bitmap.psnr(to: single.bitmap)
            if header.format == .jpeg || header.format == .webp {
                // A nearest-neighbour thumbnail of another scale takes other pixels.
                #expect(psnr ?? 99 > (options.filter == .nearest ? 36 : 40), "\(path) \(options)")
            } else {
                #expect(psnr == nil, "\(path) \(options)")
            }
        }
    }

    @Test func finestPlanHasTheLargestScaleAndTheMostScans() throws {
        let bytes = try Fixture.file("demo/aurora-progressive.jpg")
        var options = [12, 90, 100, 700].map { ThumbnailOptions(width: $0, height: $0) }
        for index in options.indices { options[index].quality = .fast }
        let plans = try options.map { try ImageDecoder().thumbnailCost(of: bytes, options: $0).plan }
        #expect(Set(plans).count == 4)

        // A naive model: compare pairs of plans.
        for first in plans.indices {
            for second in plans.indices {
                let finest = ThumbnailPlan.finest([plans[first], plans[second]])
                #expect(finest == plans[max(first, second)])
            }
        }
        #expect(ThumbnailPlan.finest([]) == nil)
    }

    @Test func errorOfOneThumbnailDoesNotAffectTheOthers() throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        let decoder = ImageDecoder()
        var outside = ThumbnailOptions(width: 10)
        outside.crop = PixelRectangle(x: 100_000, y: 0, width: 5, height: 5)
        var nan = ThumbnailOptions(width: 10, height: 10)
        nan.gravity = Gravity(x: .nan, y: 0)
        let good = ThumbnailOptions(width: 40)

        let made = try decoder.thumbnailResults(
            of: bytes.span, options: [outside, good, ThumbnailOptions(width: 0), nan, good, outside])

        let codes = made.results.map { result -> DecodeError.Code? in
            if case .failure(let error) = result { return error.code }
            return nil
        }
        #expect(codes == [.emptyCrop, nil, .invalidArgument, .invalidArgument, nil, .emptyCrop])
        let expected = try decoder.thumbnail(of: bytes, options: good).bitmap.copyBytes()
        for index in [1, 4] { #expect(try made.results[index].get().bitmap.copyBytes() == expected) }
        #expect(made.decodeCount == 1)
    }

    @Test func publicMethodThrowsTheFirstError() throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        var outside = ThumbnailOptions(width: 10)
        outside.crop = PixelRectangle(x: 100_000, y: 0, width: 5, height: 5)
        let (good, bad) = (ThumbnailOptions(width: 40), ThumbnailOptions(width: 0))
        for (options, code) in [([good, outside, bad], DecodeError.Code.emptyCrop), ([bad, good], .invalidArgument)] {
            let error = #expect(throws: DecodeError.self) {
                try ImageDecoder().thumbnails(of: bytes, options: options)
            }
            #expect(error?.code == code)
        }
    }

    @Test func withoutOptionsTheResultIsEmptyAndTheHeaderIsStillChecked() throws {
        #expect(try ImageDecoder().thumbnails(of: Fixture.file("demo/window.png"), options: []).isEmpty)
        let error = #expect(throws: DecodeError.self) { try ImageDecoder().thumbnails(of: [1, 2, 3], options: []) }
        #expect(error?.code == .unknownFormat)
    }

    @Test func equalThumbnailsAreComputedOnce() throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        let header = try ImageDecoder().header(of: bytes)
        let option = ThumbnailOptions(width: 100)
        let other = ThumbnailOptions(width: 50, height: 50, fit: .fill)
        var same = option
        same.height =
            ThumbnailGeometry(
                sourceWidth: header.displayWidth, sourceHeight: header.displayHeight, options: option)?.height

        let batch = try ThumbnailBatch(
            bytes.span, LocalDecoder(options: DecodeOptions()), options: [option, other, option, same])

        #expect(batch.thumbnails.count == 2)
        #expect(batch.positions.map { try? $0.get() } == [0, 1, 0, 0])
        #expect(batch.decodes == [[0, 1]])
    }

    @Test func moreThan16ThumbnailsNeedASecondDecode() throws {
        let bytes = try Fixture.file("demo/window.png")
        let options = (0..<17).map { ThumbnailOptions(width: 20 + $0) }

        let made = try ImageDecoder().thumbnailResults(of: bytes.span, options: options)

        #expect(made.decodeCount == 2)
        #expect(try made.images().map(\.bitmap.width) == Array(20..<37))
    }

    /// Polls count batches of rows, so one decode for five sizes polls about as often as a decode for one size.
    @Test(arguments: ["demo/mountains.jpg", "demo/window.png", "bmp/header-40-rgb24.bmp"])
    func severalThumbnailsNeedTheBatchesOfRowsOfOneDecode(_ path: String) throws {
        let bytes = try Fixture.file(path)
        let options = [4, 5, 6, 7, 8].map { ThumbnailOptions(width: $0) }
        let (one, five) = (CancellationFlag(), CancellationFlag())

        _ = try ImageDecoder().thumbnails(of: bytes, options: [options[0]], cancellation: one)
        _ = try ImageDecoder().thumbnails(of: bytes, options: options, cancellation: five)

        #expect(five.pollCount < 2 * one.pollCount, "\(five.pollCount) and \(one.pollCount)")
    }

    @Test(arguments: ["demo/ribbons.png", "demo/aurora-progressive.jpg", "demo/invader-rle4.bmp"])
    func cancellingAtAnyPollThrowsCancelled(_ path: String) throws {
        let bytes = try Fixture.file(path)
        let options = [20, 40, 100].map { ThumbnailOptions(width: $0, height: $0) }
        let whole = CancellationFlag()
        _ = try ImageDecoder().thumbnailResults(of: bytes.span, options: options, cancellation: whole)

        for polls in stride(from: 0, to: whole.pollCount, by: 3) {
            let flag = CancellationFlag()
            flag.cancelAfter(polls: polls)
            let error = #expect(throws: DecodeError.self) {
                try ImageDecoder().thumbnailResults(of: bytes.span, options: options, cancellation: flag)
            }
            #expect(error?.code == .cancelled)
        }
    }

    @Test func damageBeyondTheStrictnessFailsAllThumbnailsOfTheDecode() throws {
        let bytes = Array(try Fixture.file("demo/mountains.jpg").prefix(20_000))
        var decoder = ImageDecoder()
        decoder.options.strictness = .truncated

        let made = try decoder.thumbnailResults(
            of: bytes.span, options: [ThumbnailOptions(width: 0), ThumbnailOptions(width: 40), .init(width: 50)])

        let codes = made.results.map { result -> DecodeError.Code? in
            if case .failure(let error) = result { return error.code }
            return nil
        }
        #expect(codes == [.invalidArgument, .truncated, .truncated])
    }

    @Test func embeddedThumbnailsAreDecodedSeparatelyAndEqualSingleOnes() throws {
        let image = try Fixture.file("demo/aurora-progressive.jpg")
        let bytes = CameraFile.jpeg(image, with: image)
        var embedded = ThumbnailOptions(width: 90)
        embedded.usesEmbeddedThumbnail = true
        let options = [embedded, ThumbnailOptions(width: 300), ThumbnailOptions(width: 90), embedded]

        let made = try ImageDecoder().thumbnailResults(of: bytes.span, options: options)

        #expect(made.decodeCount == 2)
        let expected = try ImageDecoder().thumbnail(of: bytes, options: embedded).bitmap.copyBytes()
        for index in [0, 3] { #expect(try made.results[index].get().bitmap.copyBytes() == expected) }
    }
}
