import Foundation
import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Loaders with the default transport. `ImageLoader.default` is tested in a separate process with a temporary cache
/// directory.
@Suite struct DefaultLoaderTests {
    @Test(.requirement("O1", "O2", "O62")) func defaultLoaderIsSharedAndUsedByImageSlot() async {
        await #expect(processExitsWith: .success) {
            let folder = try DiskFolder()
            setenv("XDG_CACHE_HOME", folder.path, 1)
            let origin = try await LoopbackOrigin { _ in RealServerBench.image() }
            let loaders = await withTaskGroup(of: ObjectIdentifier.self, returning: Set<ObjectIdentifier>.self) {
                for _ in 0..<64 { $0.addTask { ObjectIdentifier(ImageLoader.default) } }
                return await $0.reduce(into: []) { $0.insert($1) }
            }
            precondition(loaders.count == 1)

            let slot = ImageSlot()
            slot.assign(ImageRequest(url: origin.url()))
            // The default timeouts apply; a busy machine may exceed them, so the load is repeated.
            var tries = 20
            for await state in slot.states {
                if case .image(let bitmap, let source, _, _) = state {
                    precondition(bitmap.width == 19 && source == .networkToDisk)
                    break
                }
                if case .failed(let error, _, _) = state {
                    tries -= 1
                    precondition(error.code == .transport && tries > 0, "\(error)")
                    slot.assign(ImageRequest(url: origin.url()))
                }
            }

            await ImageLoader.default.flush()
            let program = URL(filePath: CommandLine.arguments[0]).lastPathComponent
            let stored = folder.files.filter { $0.hasPrefix("\(program)/ImageCache/v1/") }
            precondition(stored.count == 1, "\(folder.files)")
            precondition(ImageLoader.default.configuration.memoryCacheMaxBytes == 26_214_400)

            // Tested here because this initializer also creates the default data directory.
            let own = try ImageLoader(cacheDirectory: folder.path + "/own")
            precondition(own.configuration.cacheDirectory == folder.path + "/own")
        }
    }

    @Test(.requirement("O2")) func loaderCreatesItsCacheDirectoryAndStoresImagesThere() async throws {
        let folder = try DiskFolder()
        let origin = try await LoopbackOrigin { _ in RealServerBench.image() }
        let path = folder.path + "/a/b"
        var configuration = ImageLoader.Configuration(cacheDirectory: path)
        configuration.dataDirectory = nil
        configuration.connectTimeout = nil
        configuration.idleTimeout = nil
        let loader = try ImageLoader(configuration: configuration)

        _ = try await loader.image(for: ImageRequest(url: origin.url()))
        #expect(try await loader.image(for: ImageRequest(url: origin.url())).source == .disk)
        #expect(folder.files.contains { $0.hasPrefix("a/b/v1/") })
    }
}
