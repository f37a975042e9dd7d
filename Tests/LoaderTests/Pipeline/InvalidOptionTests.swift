import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Decode options out of range fail the load with `configuration`; nothing traps.
@Suite(.requirement("N3"), .timeLimit(.minutes(30))) struct InvalidOptionTests {
    @Test(
        .requirement("N3"),
        arguments: [
            (0, 0), (3, 0), (Int.max, 0), (Int.min, 0), (1, -1), (1, Int.min),
        ])
    func decodeOptionsOutOfRangeFailWithoutARequest(scale: Int, page: Int) async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60))
        var request = ImageRequest(url: LoaderBench.url)
        request.decodeOptions.scaleDenominator = scale
        request.decodeOptions.page = page

        let failure = await bench.failure(request)

        #expect(failure?.code == .configuration)
        #expect(bench.transport.requests.isEmpty)
    }

    @Test(.requirement("N3")) func invalidDecodeOptionsAreNotCachedAsAFailureOfTheURL() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 60)) { $0.negativeCacheMaxAge = .seconds(60) }
        var request = ImageRequest(url: LoaderBench.url)
        request.decodeOptions.page = -1

        #expect(await bench.failure(request)?.code == .configuration)
        #expect(await bench.failure() == nil)
        #expect(await bench.failure(request)?.code == .configuration)
    }
}
