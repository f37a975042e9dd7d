import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// `isStored` of images whose body is on disk, or was removed from disk.
@Suite struct IsStoredTests {
    private func bench(_ change: (inout ImageLoader.Configuration) -> Void = { _ in }) throws -> LoaderBench {
        try LoaderBench(
            ScriptedTransport { request, _ in
                request.fields.contains("If-None-Match")
                    ? .status(304) : .image(TestImage.first, maxAge: 10, etag: "\"1\"")
            }, change)
    }

    @Test func revalidationWithOnlyMemoryLayersAfterADiskPurgeReportsTheImageAsNotStored() async throws {
        let bench = try bench { $0.cacheImagesInMemory = true }
        _ = await bench.steps()
        await bench.loader.purgeDisk()
        var request = ImageRequest(url: LoaderBench.url)
        request.layers = .memory

        #expect(bench.loader.cachedImage(for: request)?.isStored == false)
        let confirmed = try await bench.loader.image(for: request)
        #expect(confirmed.source == .networkNotModified)
        #expect(!confirmed.isStored)
        #expect(bench.storedFiles.isEmpty)
    }

    @Test func revalidationAfterTheDiskCacheIsDisabledReportsTheImageAsNotStored() async throws {
        let bench = try bench { $0.cacheImagesInMemory = true }
        _ = await bench.steps()
        try bench.loader.update { $0.cacheDirectory = nil }

        let confirmed = try await bench.loader.image(for: ImageRequest(url: LoaderBench.url))
        #expect(confirmed.source == .networkNotModified)
        #expect(!confirmed.isStored)
    }

    @Test func revalidationByANoStoreRequestKeepsTheStoredBody() async throws {
        let bench = try bench()
        _ = await bench.steps()
        bench.clock.advance(11)
        let request = ImageRequest(url: LoaderBench.url, fields: ["Cache-Control": "no-store"])

        let confirmed = try await bench.loader.image(for: request)
        #expect(confirmed.source == .networkNotModified)
        #expect(bench.storedFiles.count == 1)
        #expect(confirmed.isStored)
    }
}
