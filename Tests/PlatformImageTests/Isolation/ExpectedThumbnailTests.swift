#if os(Linux)
import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// The cost of an expected thumbnail, which a worker returns with the header.
@Suite struct ExpectedThumbnailTests {
    private static let size = ThumbnailOptions(width: 20, height: 20)

    @Test(arguments: [
        "jpeg/exif-orientation-6.jpg", "jpeg/cmyk-icc.jpg", "png/rgba8.png", "gif/disposal-1.gif", "demo/letter-g4.tif",
    ])
    func headerAndCostEqualThoseOfSeparateRequests(_ path: String) throws {
        let workers = try TestWorkers.start()
        var decoder = ImageDecoder()
        decoder.isolation = DecodeIsolation(workers)
        let bytes = try Fixture.file(path)
        let (header, cost) = try decoder.header(of: bytes, expecting: Self.size)
        let known = try #require(cost)
        #expect(workers.statistics.requests == 1)
        #expect(try decoder.thumbnailCost(of: bytes, options: Self.size, known: known) == (known.byteCount, known.plan))
        #expect(workers.statistics.requests == 1)

        #expect(try decoder.header(of: bytes) == header)
        #expect(try decoder.thumbnailCost(of: bytes, options: Self.size) == (known.byteCount, known.plan))
    }

    @Test func costOfOtherOptionsIsRequestedFromTheWorker() throws {
        let workers = try TestWorkers.start()
        var decoder = ImageDecoder()
        decoder.isolation = DecodeIsolation(workers)
        let bytes = try Fixture.file("demo/mountains.jpg")
        let known = try decoder.header(of: bytes, expecting: Self.size).cost
        let large = ThumbnailOptions(width: 200, height: 200)
        let cost = try decoder.thumbnailCost(of: bytes, options: large, known: known)
        #expect(try cost == decoder.thumbnailCost(of: bytes, options: large))
        decoder.options.convertsToSRGB = false
        _ = try decoder.thumbnailCost(of: bytes, options: Self.size, known: known)
        #expect(workers.statistics.requests == 4)
    }

    @Test func expectedThumbnailThatCannotBeMadeHasNoCost() throws {
        var decoder = ImageDecoder()
        decoder.isolation = DecodeIsolation(try TestWorkers.start())
        let bytes = try Fixture.file("png/rgba8.png")
        let (header, cost) = try decoder.header(of: bytes, expecting: ThumbnailOptions(width: -1))
        #expect(try header == decoder.header(of: bytes) && cost == nil)
    }

    @Test func failedHeaderThrowsItsError() throws {
        var decoder = ImageDecoder()
        decoder.isolation = DecodeIsolation(try TestWorkers.start())
        let bytes = Array(try Fixture.file("png/rgba8.png").prefix(20))
        let error = try #require(throws: DecodeError.self) { try ImageDecoder().header(of: bytes) }
        #expect(throws: error) { try decoder.header(of: bytes, expecting: Self.size) }
    }

    @Test func decoderWithoutWorkersComputesNoCost() throws {
        let bytes = try Fixture.file("png/rgba8.png")
        let (header, cost) = try ImageDecoder().header(of: bytes, expecting: Self.size)
        #expect(try header == ImageDecoder().header(of: bytes) && cost == nil)
    }
}
#endif
