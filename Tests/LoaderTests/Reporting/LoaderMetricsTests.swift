import Metrics
import MetricsTestKit
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite struct LoaderMetricsTests {
    @Test(.requirement("O96")) func loadRecordsAndStatisticsAreExportedAsCountersTimersAndMeters() async throws {
        let backend = TestMetrics()
        let metrics = LoaderMetrics(prefix: "images", factory: backend)
        let first = TestImage.first
        let bench = try LoaderBench(
            ScriptedTransport(.image(first, maxAge: 10, etag: "\"1\""), .status(304), .status(404))
        ) { configuration in
            configuration.cacheImagesInMemory = true
            configuration.recordSink = { metrics.record($0) }
        }
        metrics.record(bench.loader.statistics)
        await bench.load()
        await bench.load()
        bench.clock.advance(11)
        await bench.load()
        await bench.load("http://example.com/missing")
        await bench.loader.flush()
        metrics.record(bench.loader.statistics)
        // No load since the last call.
        metrics.record(bench.loader.statistics)

        for source in ["networkToDisk", "memory", "networkNotModified"] {
            let loads = try backend.expectCounter("images.loads", [("source", source), ("content", "image")])
            #expect(loads.totalValue == 1, "\(source)")
        }
        #expect(try backend.expectCounter("images.failures", [("code", "http")]).totalValue == 1)
        #expect(try backend.expectCounter("images.requests").totalValue == 3)
        #expect(try backend.expectCounter("images.received.bytes").totalValue == Int64(first.count))
        #expect(try backend.expectCounter("images.misses").totalValue == 2)
        #expect(try backend.expectCounter("images.decodes").totalValue == 1)
        #expect(try backend.expectCounter("images.decode.nanoseconds").totalValue > 0)
        #expect(backend.counters(label: "images.retries").isEmpty)
        #expect(try backend.expectTimer("images.load.duration").values.count == 4)
        #expect(try backend.expectTimer("images.first_byte.duration").values.count == 3)
        #expect(try backend.expectTimer("images.decode.duration").values.count == 1)
        for (lane, state) in [("urgent", "running"), ("slow", "waiting"), ("decode", "waiting")] {
            let depth = try backend.expectMeter("images.queue.depth", [("lane", lane), ("state", state)])
            #expect(depth.values == [0, 0, 0])
        }
    }
}
