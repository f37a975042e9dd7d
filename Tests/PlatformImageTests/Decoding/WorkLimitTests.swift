import PlatformImage
import PlatformImageTestSupport
import Testing

/// ``DecodeLimits/maxWork``, the budget of all calls for one file.
@Suite struct WorkLimitTests {
    private static func decoder(maxWork: Int?) -> ImageDecoder {
        var options = DecodeOptions.asStored
        options.limits.maxWork = maxWork
        return ImageDecoder(options: options)
    }

    private func expectWorkLimit(_ error: DecodeError?, _ comment: Comment? = nil) {
        #expect(error?.code == .limitExceeded && error?.detail == "maxWork", comment)
    }

    /// The smallest limit with which a file is decoded, to 1 %.
    private func work(of bytes: [UInt8]) throws -> Int {
        var (low, high) = (1, 100_000_000_000)
        while high - low > high / 100 + 1 {
            let middle = low + (high - low) / 2
            do throws(DecodeError) {
                _ = try Self.decoder(maxWork: middle).decode(bytes)
                high = middle
            } catch {
                expectWorkLimit(error)
                low = middle
            }
        }
        return high
    }

    // ------------------------------------------------------------------ A3

    /// Each image has 15 million samples before its pixels, which take no data. The first frame is read for the
    /// header; the other frames are only counted.
    @Test(.requirement("A3")) func countingFramesReadsNoStreamOfAFrame() throws {
        let image = WorstFiles.constantWebP(side: 9_000, hasTransforms: true)
        let file = WorstFiles.webPAnimation(side: 9_000, frames: 500, image: image)
        let flag = CancellationFlag()
        var decoder = Self.decoder(maxWork: 1_000_000)
        decoder.options.limits.maxMemory = nil

        let header = try decoder.header(of: file, cancellation: flag)

        #expect(header.frameCount == 500 && header.width == 9_000)
        #expect(flag.pollCount < 10)
    }

    /// Frames are counted by their headers alone: a stream after the first may be invalid.
    @Test(.requirement("A3")) func framesWithInvalidStreamsAreCounted() throws {
        let image = WorstFiles.constantWebP(side: 100, hasTransforms: true)
        var file = WorstFiles.webPAnimation(side: 100, frames: 3, image: image)
        let frame = 8 + 16 + image.count
        for index in (file.count - 2 * frame)..<file.count where (index - file.count + 2 * frame) % frame >= 37 {
            file[index] = 0xFF
        }

        #expect(try ImageDecoder().header(of: file).frameCount == 3)
    }

    /// The images before the pixels of a lossless WebP have one sample each for 16 pixels, without data.
    @Test(.requirement("A3")) func headerOfALosslessWebPWithoutDataIsReadInConstantTime() throws {
        let file = WorstFiles.riff([WorstFiles.constantWebP(side: 10_000, hasTransforms: true)])
        var decoder = Self.decoder(maxWork: 100_000)
        decoder.options.limits.maxMemory = nil

        #expect(try decoder.header(of: file).width == 10_000)
    }

    // ------------------------------------------------------------------ A5

    @Test(.requirement("A5"), arguments: [true, false])
    func framesOfAnAnimationShareOneBudget(_ isIsolatedFrame: Bool) throws {
        let side = 200, image = WorstFiles.constantWebP(side: side, hasTransforms: isIsolatedFrame)
        let file = WorstFiles.webPAnimation(side: side, frames: 40, image: image)
        let frames = try Self.decoder(maxWork: 10 * side * side * 13).frames(of: file)
        var count = 0

        let error = #expect(throws: DecodeError.self) { while try frames.advance() != nil { count += 1 } }

        expectWorkLimit(error)
        #expect((5...10).contains(count))
        #expect(try frames.advance() == nil)
        let all = try ImageDecoder().frames(of: file)
        var allCount = 0
        while try all.advance() != nil { allCount += 1 }
        #expect(allCount == 40)
    }

    @Test(.requirement("A5"), arguments: ["gif/frames-40.gif", "apng/many-frames.png", "webp/animation.webp"])
    func everyAnimationCountsItsFrames(_ path: String) throws {
        let bytes = try Fixture.file(path)
        func frameCount(_ maxWork: Int) -> Int {
            guard let frames = try? Self.decoder(maxWork: maxWork).frames(of: bytes) else { return 0 }
            var count = 0
            while (try? frames.advance()) != nil { count += 1 }
            return count
        }
        let whole = frameCount(1_000_000_000)

        #expect(whole > 1)
        #expect((1..<2_000).contains { (0..<whole).contains(frameCount($0 * 100)) && frameCount($0 * 100) > 0 })
    }

    // ------------------------------------------------------------------ A12

    @Test(.requirement("A12")) func refinementScansCountMoreThanOtherScans() throws {
        let first = try work(of: WorstFiles.progressiveJPEG(side: 512, scans: 60, refines: false))
        let refined = try work(of: WorstFiles.progressiveJPEG(side: 512, scans: 60, refines: true))
        let few = try work(of: WorstFiles.progressiveJPEG(side: 512, scans: 6, refines: true))

        #expect(refined > first * 3)
        #expect(refined > few * 5)
    }

    /// 100 kB for 49 megapixels took 3 s of CPU.
    @Test(.requirement("A12")) func progressiveJPEGOfManyScansIsRejectedBeforeItsFirstScan() throws {
        let file = WorstFiles.progressiveJPEG(side: 7_000, scans: 90, refines: true)
        var options = DecodeOptions()
        options.limits = .thumbnailService
        let flag = CancellationFlag()

        let error = #expect(throws: DecodeError.self) {
            try ImageDecoder(options: options).thumbnail(
                of: file, options: ThumbnailOptions(width: 64, height: 64), cancellation: flag)
        }

        expectWorkLimit(error)
        #expect(flag.pollCount < 10)
    }

    // ------------------------------------------------------------------ every format

    /// Loops whose number of iterations depends on the file only: the work grows with the file.
    @Test func loopsWithoutPixelsCountTowardsTheLimit() throws {
        let intact = try Fixture.file("png/after-iend.png")
        let files: [(name: String, small: [UInt8], large: [UInt8])] = [
            ("gif", WorstFiles.gif(extensions: 10, frames: 1), WorstFiles.gif(extensions: 20_000, frames: 1)),
            ("png", WorstFiles.png(chunks: 10, intact), WorstFiles.png(chunks: 20_000, intact)),
            ("bmp", WorstFiles.bmp(moves: 10), WorstFiles.bmp(moves: 20_000)),
            (
                "jpeg", WorstFiles.progressiveJPEG(side: 64, scans: 2, refines: true),
                WorstFiles.progressiveJPEG(side: 64, scans: 90, refines: true)
            ),
        ]
        for file in files {
            let (small, large) = (try work(of: file.small), try work(of: file.large))

            #expect(large > small + 50_000, "\(file.name): \(small), \(large)")
        }
    }

    @Test func countedFramesCountTowardsTheLimit() throws {
        let gif = WorstFiles.gif(extensions: 0, frames: 20_000)
        var decoder = Self.decoder(maxWork: 100_000)

        let error = #expect(throws: DecodeError.self) { try decoder.header(of: gif) }
        decoder.options.limits.maxWork = 10_000_000

        expectWorkLimit(error)
        #expect(try decoder.header(of: gif).frameCount == 20_000)
    }

    @Test func everyFixtureIsRejectedWithALimitOfOneAndDecodedWithThatOfAService() throws {
        var options = DecodeOptions.asStored
        options.limits.maxWork = DecodeLimits.thumbnailService.maxWork
        for fixture in Fixture.small(4_096) {
            let bytes = try fixture.load()
            let decodes = (try? ImageDecoder(options: .asStored).decode(bytes)) != nil

            let error = #expect(throws: DecodeError.self, "\(fixture.path)") {
                try Self.decoder(maxWork: 1).decode(bytes)
            }

            if decodes { expectWorkLimit(error, "\(fixture.path)") }
            #expect(((try? ImageDecoder(options: options).decode(bytes)) != nil) == decodes, "\(fixture.path)")
        }
    }

    /// The limit does not depend on the clock: the same file has the same result each time.
    @Test func workOfADecodeIsTheSameEachTime() throws {
        let bytes = try Fixture.file("jpeg/sampling-444.jpg")
        let first = try work(of: bytes)

        #expect(try work(of: bytes) == first)
    }

    @Test func upscaledResultCountsTowardsTheLimit() throws {
        let bytes = try Fixture.file("jpeg/sampling-444.jpg")
        var options = ThumbnailOptions(width: 4_000, height: 4_000)
        options.allowsUpscaling = true
        let decoder = Self.decoder(maxWork: 20_000_000)

        let error = #expect(throws: DecodeError.self) { try decoder.thumbnail(of: bytes, options: options) }

        expectWorkLimit(error)
        #expect(throws: Never.self) {
            try decoder.thumbnail(of: bytes, options: ThumbnailOptions(width: 40, height: 40))
        }
    }

    /// A gray image of 2000 x 2000 pixels whose data begins with 16,000 blocks without data, each with a code of 12
    /// symbols whose codewords have 1 to 11 bits: 2 MB, less than the rows need.
    private static let blocksWithoutData: [UInt8] = {
        var eight = DeflateWriter()
        let lengths = [Int](repeating: 0, count: 245) + [11, 11] + (2...10).reversed() + [1]
        for _ in 0..<8 {
            eight.beginDynamic(isLast: false, literals: lengths, distances: [1])
            eight.write(codeword: 0, bits: 1)  // the end of the block
        }
        let content = [UInt8](repeating: 0, count: 2001 * 2000)
        let (matches, literals) = (content.count / 258, content.count % 258)
        var rows = DeflateWriter()
        rows.beginFixed(isLast: true)
        for _ in 0..<literals { rows.writeFixed(0) }
        for _ in 0..<matches {
            rows.writeFixed(285)  // 258 bytes from
            rows.write(codeword: 0, bits: 5)  // a distance of 1
        }
        rows.writeFixed(256)
        rows.align()
        let blocks = [[UInt8]](repeating: eight.bytes, count: 2_000).flatMap(\.self)
        return FilteredPNG(width: 2000, height: 2000, bitDepth: 8, colorType: 0)
            .bytes(imageData: [[0x78, 0x01], blocks, rows.bytes, FilteredPNG.adler(content)])
    }()

    @Test func blocksWithoutDataInALargeImageCountTowardsTheLimit() {
        let decoder = Self.decoder(maxWork: 60_000_000)
        let calls: [(ImageDecoder) throws -> DecodedImage] = [
            { try $0.decode(Self.blocksWithoutData) },
            { try $0.thumbnail(of: Self.blocksWithoutData, options: ThumbnailOptions(width: 10)) },
        ]
        for call in calls {
            expectWorkLimit(#expect(throws: DecodeError.self) { try call(decoder) })
            #expect(throws: Never.self) { try call(Self.decoder(maxWork: 200_000_000)) }
        }
    }
}
