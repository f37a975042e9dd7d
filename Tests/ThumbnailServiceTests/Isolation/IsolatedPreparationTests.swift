#if os(Linux)
import PlatformImageTestSupport
import Testing

@testable import PlatformImage
@testable import PlatformImageService

/// The exchanges of messages with a worker before a render.
@Suite struct IsolatedPreparationTests {
    private static func prepared(
        _ bytes: [UInt8], _ request: ThumbnailRequest
    ) throws -> (isolated: PreparedRender, local: PreparedRender, requests: Int) {
        var configuration = DecodeWorkers.Configuration()
        configuration.executable = BuiltProgram.path(of: "imagetool-decoder")
        configuration.workerCount = 1
        let workers = try DecodeWorkers(configuration)
        var decoder = ImageDecoder()
        decoder.isolation = DecodeIsolation(workers)
        let renderer = Renderer(decoder: decoder)
        let (header, cost) = try renderer.headerAndCost(of: bytes, for: request)
        let isolated = try renderer.prepare(bytes, header, for: request, knownCost: cost)
        return (isolated, try Renderer().prepare(bytes, for: request), workers.statistics.requests)
    }

    /// A wrong prediction costs a second request: an orientation exchanges the sides, a GIF is not predicted.
    @Test(arguments: [
        ("demo/mountains.jpg", 1), ("demo/window.png", 1), ("demo/aurora-progressive.jpg", 1),
        ("jpeg/exif-orientation-6.jpg", 2), ("demo/orbit.gif", 2), ("demo/comet.webp", 2),
    ])
    func predictedThumbnailIsPreparedWithOneRequest(_ path: String, _ requests: Int) throws {
        let bytes = try Fixture.file(path)
        for request in [ThumbnailRequest.fit(20, 20), .cover(30, 10)] {
            let result = try Self.prepared(bytes, request)
            #expect(result.requests == requests)
            #expect(result.isolated.header == result.local.header)
            #expect(result.isolated.plan == result.local.plan)
            #expect(result.isolated.sharedPlan == result.local.sharedPlan)
            // The pixels are in shared memory and in this process.
            #expect(result.isolated.byteCount >= result.local.byteCount)
        }
    }

    @Test func sourceThatNoDecoderReadsFailsWithAndWithoutPrediction() throws {
        let bytes = Array(try Fixture.file("demo/window.png").prefix(30))
        let error = #expect(throws: ServiceError.self) { try Renderer().prepare(bytes, for: .fit(9, 9)) }
        let isolated = #expect(throws: ServiceError.self) { try Self.prepared(bytes, .fit(9, 9)) }
        #expect(error?.reason == isolated?.reason)
    }
}
#endif
