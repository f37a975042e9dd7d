#if os(Linux)
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// `ImageLoader.Configuration.isolation`.
@Suite struct LoaderIsolationTests {
    private func workers() throws -> DecodeWorkers {
        var configuration = DecodeWorkers.Configuration()
        configuration.executable = BuiltProgram.path(of: "imagetool-decoder")
        configuration.workerCount = 1
        return try DecodeWorkers(configuration)
    }

    @Test func imagesAreDecodedByTheWorkersOfTheConfiguration() async throws {
        let workers = try workers()
        let file = try Fixture.file("demo/window.png")
        let bench = try LoaderBench(.image(file)) { $0.isolation = DecodeIsolation(workers) }
        let size = ThumbnailOptions(width: 20, height: 20)

        let image = try await bench.loader.image(for: ImageRequest(url: LoaderBench.url, thumbnail: size))

        let expected = try ImageDecoder().thumbnail(of: file, options: size)
        #expect(image.bitmap == expected.bitmap)
        #expect(workers.statistics.requests > 0)
    }
}
#endif
