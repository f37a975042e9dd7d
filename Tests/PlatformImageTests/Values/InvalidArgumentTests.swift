import PlatformImage
import PlatformImageTestSupport
import Testing

/// Numbers that may come from a request throw `invalidArgument` in the call that uses them and never trap.
@Suite(.requirement("N3")) struct InvalidArgumentTests {
    private static let bitmap = Bitmap(width: 4, height: 3) { _ in }

    private static func png() throws -> [UInt8] { try ImageEncoder().encode(bitmap, as: .png) }

    private func expectInvalid(
        _ detail: String, at location: SourceLocation = #_sourceLocation, _ call: () throws -> Void
    ) {
        let error = #expect(throws: DecodeError.self, sourceLocation: location) { try call() }
        #expect(error?.code == .invalidArgument, sourceLocation: location)
        #expect(error?.detail == detail, sourceLocation: location)
    }

    @Test(
        arguments: [
            (0, 5, "width"), (-1, nil, "width"), (.min, 5, "width"), (ThumbnailOptions.maxSide + 1, 5, "width"),
            (.max, nil, "width"), (5, 0, "height"), (nil, -7, "height"), (nil, .max, "height"),
        ] as [(Int?, Int?, String)])
    func thumbnailSidesOutOfRangeThrow(width: Int?, height: Int?, detail: String) async throws {
        let bytes = try Self.png()
        for fit in ThumbnailFit.allCases {
            let options = ThumbnailOptions(width: width, height: height, fit: fit)
            var changed = ThumbnailOptions(width: 1, height: 1, fit: fit)
            (changed.width, changed.height) = (width, height)
            #expect(options == changed)

            expectInvalid(detail) { _ = try ImageDecoder().thumbnail(of: bytes, options: options) }
            expectInvalid(detail) { _ = try ImageDecoder().thumbnails(ofFramesIn: bytes, options: options) }
            expectInvalid(detail) { _ = try Self.bitmap.thumbnail(options: options, limits: .unlimited) }
            #expect(options.size(ofWidth: 4, height: 3) == nil)
            let queue = DecodeQueue(width: 1)
            let error = await #expect(throws: DecodeError.self) {
                try await queue.thumbnail(of: bytes, options: options)
            }
            #expect(error?.code == .invalidArgument && error?.detail == detail)
        }
    }

    @Test(
        arguments: [
            (-0.1, 0.5), (0.5, 1.1), (.nan, 0), (0, .nan), (.infinity, 0), (0, -.infinity),
        ] as [(Double, Double)])
    func focalPointsOutsideTheImageThrow(x: Double, y: Double) throws {
        var options = ThumbnailOptions(width: 2, height: 2, fit: .cover)
        options.gravity = Gravity(x: x, y: y)

        expectInvalid("gravity") { _ = try Self.bitmap.thumbnail(options: options) }
        expectInvalid("gravity") { _ = try ImageDecoder().thumbnail(of: Self.png(), options: options) }
        #expect(options.size(ofWidth: 4, height: 3) == nil)
    }

    @Test(arguments: [0, 3, -1, 16, .max, .min])
    func scaleDenominatorsOutOfRangeThrow(scale: Int) throws {
        var decoder = ImageDecoder()
        decoder.options.scaleDenominator = scale
        for bytes in [try Self.png(), try ImageEncoder().encode(Self.bitmap, as: .jpeg)] {
            expectInvalid("scaleDenominator") { _ = try decoder.decode(bytes) }
            expectInvalid("scaleDenominator") { _ = try decoder.header(of: bytes) }
            expectInvalid("scaleDenominator") { _ = try decoder.frames(of: bytes) }
            // Thumbnails ignore `scaleDenominator`.
            let small = try decoder.thumbnail(of: bytes, options: ThumbnailOptions(width: 2))
            #expect(small.bitmap.width == 2)
        }
    }

    @Test(arguments: [-1, .min])
    func negativePageNumbersThrow(page: Int) throws {
        let bytes = try Self.png()
        var decoder = ImageDecoder()
        decoder.options.page = page

        expectInvalid("page") { _ = try decoder.decode(bytes) }
        expectInvalid("page") { _ = try decoder.header(of: bytes) }
        expectInvalid("page") { _ = try decoder.frames(of: bytes) }
        expectInvalid("page") { _ = try decoder.exif(of: bytes) }
        expectInvalid("page") { _ = try decoder.thumbnail(of: bytes, options: ThumbnailOptions(width: 2)) }
    }

    @Test func pageNumberBeyondTheLastPageThrows() throws {
        var decoder = ImageDecoder()
        decoder.options.page = .max
        let bytes = try Fixture.file("tiff/pages-3-classic-le.tif")

        let error = #expect(throws: DecodeError.self) { try decoder.decode(bytes) }

        #expect(error?.code == .malformed || error?.code == .limitExceeded)
    }

    @Test(arguments: [
        (0, 1, "width"), (1, 0, "height"), (-1, 1, "width"), (1, .min, "height"),
    ])
    func resizingBelowOnePixelThrows(width: Int, height: Int, detail: String) {
        expectInvalid(detail) { _ = try Self.bitmap.resized(width: width, height: height) }
        expectInvalid(detail) { _ = try Self.bitmap.resized(width: width, height: height, limits: .unlimited) }
    }

    @Test(arguments: [
        (0, 1, "width"), (1, 0, "height"), (-1, 1, "width"), (1, -4, "height"), (.min, .min, "width"),
    ])
    func bitmapsWithASideOfZeroOrLessThrow(width: Int, height: Int, detail: String) throws {
        let hash = BlurHash(Self.bitmap)
        for limits in [DecodeLimits(), .unlimited] {
            expectInvalid(detail) { _ = try Bitmap(width: width, height: height, limits: limits) { _ in } }
            expectInvalid(detail) { _ = try hash.bitmap(width: width, height: height, limits: limits) }
        }
    }

    @Test(
        arguments: [
            (.max / 2, 8, .unlimited, "outOfMemory"), (.max, .max, .unlimited, "outOfMemory"),
            (1 << 31, 1 << 28, .unlimited, "outOfMemory"), (70_000, 1, DecodeLimits(), "maxSide"),
            (10_001, 10_000, DecodeLimits(), "maxPixels"), (.max, .max, DecodeLimits(), "maxSide"),
        ] as [(Int, Int, DecodeLimits, String)])
    func bitmapsOverTheLimitsThrow(width: Int, height: Int, limits: DecodeLimits, reason: String) {
        let hash = BlurHash(Self.bitmap)
        for call in [
            { _ = try Bitmap(width: width, height: height, limits: limits) { _ in } },
            { _ = try hash.bitmap(width: width, height: height, limits: limits) },
        ] {
            let error = #expect(throws: DecodeError.self) { try call() }
            #expect(error?.detail ?? error?.code.description == reason)
        }
    }

    @Test func bitmapsOverMaxMemoryThrow() throws {
        var limits = DecodeLimits.unlimited
        limits.maxMemory = 400
        #expect(try Bitmap(width: 10, height: 10, limits: limits) { $0[399] = 7 }[9, 9].alpha == 7)

        let error = #expect(throws: DecodeError.self) { try Bitmap(width: 101, height: 1, limits: limits) { _ in } }

        #expect(error?.code == .limitExceeded && error?.detail == "maxMemory")
    }

    @Test func bitmapInitializerRethrowsTheErrorOfItsClosure() {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try Bitmap(width: 1, height: 1, limits: DecodeLimits()) { _ in throw Refusal() }
        }
    }

    @Test(arguments: [
        (10, 3, "columns"), (0, 3, "columns"), (.max, 3, "columns"), (4, 0, "rows"), (4, 10, "rows"),
        (4, -1, "rows"),
    ])
    func blurHashColumnsAndRowsOutOfRangeThrow(columns: Int, rows: Int, detail: String) {
        expectInvalid(detail) { _ = try BlurHash(Self.bitmap, columns: columns, rows: rows) }
    }

    @Test func runWithANegativeByteCountThrowsInvalidArgument() async {
        let error = await #expect(throws: DecodeError.self) {
            try await DecodeQueue(width: 1).run(byteCount: -1) { _ in 1 }
        }
        #expect(error?.code == .invalidArgument && error?.detail == "byteCount")
    }

    @Test func errorMessageContainsTheValueAndTheAllowedRange() {
        let error = #expect(throws: DecodeError.self) { try BlurHash(Self.bitmap, columns: 10) }
        #expect(error?.description == "invalidArgument(columns): columns is 10, allowed: 1...9")
        let other = #expect(throws: DecodeError.self) { try Self.bitmap.resized(width: 0, height: 1) }
        #expect(other?.description == "invalidArgument(width): width is 0, allowed: 1 or more")
    }
}
