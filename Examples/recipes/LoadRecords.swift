import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import Synchronization
import Testing

/// Totals of all loads of a loader: the hit ratio, the bytes that were downloaded, and the slowest load.
final class LoadTotals: Sendable {
    struct Values: Equatable {
        var loads = 0
        var hits = 0
        var failures = 0
        var bytes = 0
        var slowest: LoadRecord?

        /// Part of the loads that needed no body from the network, 0...1.
        var hitRatio: Double { loads == 0 ? 0 : Double(hits) / Double(loads) }
    }

    private let state = Mutex(Values())

    var values: Values { state.withLock { $0 } }

    /// The value for `configuration.recordSink`. Records arrive one at a time; a slow sink delays no load.
    func add(_ record: LoadRecord) {
        state.withLock { state in
            state.loads += 1
            state.bytes += record.bytes
            switch record.source {
            case .memory, .disk, .networkNotModified: state.hits += 1
            case .networkToDisk: break
            case .none: state.failures += 1
            }
            if record.duration > state.slowest?.duration ?? .zero { state.slowest = record }
        }
    }
}

extension RecipeTests {
    @Test func recordsOfAllLoadsAreSummed() async throws {
        let (folder, origin, totals) = (try TemporaryFolder(), try await LoopbackOrigin.examples(), LoadTotals())
        var configuration = ImageLoader.Configuration.server(directory: folder.path)
        configuration.recordSink = { totals.add($0) }
        let loader = try ImageLoader(configuration: configuration)

        for path in ["/demo/logo.png", "/demo/logo.png", "/demo/logo.png", "/none.png"] {
            _ = try? await loader.image(for: ImageRequest(url: origin.url(path)))
        }
        await loader.flush()  // returns after the delivery of all records

        let values = totals.values
        #expect(values.loads == 4 && values.hits == 2 && values.failures == 1)
        #expect(values.hitRatio == 0.5)
        #expect(values.bytes == (try example("demo/logo.png").count))
        #expect(values.slowest != nil)
    }
}
