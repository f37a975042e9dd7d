import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite struct LoaderMetricsTests {
    @Test(.requirement("O96")) func loadRecordsAndStatisticsAreExportedAsCountersTimersAndMeters() async throws {
        let registry = PrometheusRegistry()
        let metrics = LoaderMetrics(prefix: "images", registry: registry)
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

        let samples = try MetricSample.all(in: registry.text)
        for source in ["networkToDisk", "memory", "networkNotModified"] {
            let loads = samples.filter { $0.name == "images_loads" && $0.labels["source"] == source }
            #expect(loads.map(\.labels) == [["source": source, "content": "image"]])
            #expect(loads.map(\.value) == [1], "\(source)")
        }
        #expect(samples.filter { $0.name == "images_failures" }.map(\.labels) == [["code": "http"]])
        #expect(samples.value("images_failures") == 1)
        #expect(samples.value("images_requests") == 3)
        #expect(samples.value("images_received_bytes") == Double(first.count))
        #expect(samples.value("images_misses") == 2)
        #expect(samples.value("images_decodes") == 1)
        #expect(try #require(samples.value("images_decode_nanoseconds")) > 0)
        #expect(samples.value("images_retries") == nil)
        #expect(samples.value("images_load_duration_count") == 4)
        #expect(samples.value("images_first_byte_duration_count") == 3)
        #expect(samples.value("images_decode_duration_count") == 1)
        let lanes = [
            ("urgent", "running"), ("urgent", "waiting"), ("slow", "running"), ("slow", "waiting"),
            ("decode", "waiting"),
        ]
        for (lane, state) in lanes {
            #expect(samples.value("images_queue_depth", ["lane": lane, "state": state]) == 0)
        }
        #expect(samples.count { $0.name == "images_queue_depth" } == lanes.count)
    }

    @Test func gaugesOfTheQueuesHaveTheValuesOfTheLastStatistics() throws {
        let metrics = LoaderMetrics()
        var statistics = LoaderStatistics()
        for number in [1, 3, 2] {
            statistics.urgentWaiting = number
            statistics.urgentRunning = number + 10
            statistics.slowWaiting = number + 20
            statistics.slowRunning = number + 30
            statistics.decodesWaiting = number + 40
            metrics.record(statistics)

            let samples = try MetricSample.all(in: metrics.registry.text)
            let depths = samples.filter { $0.name == "loader_queue_depth" }
            let values = depths.map { "\($0.labels["lane"] ?? "") \($0.labels["state"] ?? ""): \($0.value)" }
            #expect(
                Set(values) == [
                    "urgent waiting: \(Double(number))", "urgent running: \(Double(number + 10))",
                    "slow waiting: \(Double(number + 20))", "slow running: \(Double(number + 30))",
                    "decode waiting: \(Double(number + 40))",
                ])
        }
    }

    @Test func metricsOfTwoLoadersAreInOneRegistry() throws {
        let registry = PrometheusRegistry()
        var statistics = LoaderStatistics()
        for (prefix, requests) in [("photos", 3), ("icons", 4)] {
            statistics.requests = requests
            LoaderMetrics(prefix: prefix, registry: registry).record(statistics)
        }
        let samples = try MetricSample.all(in: registry.text)
        #expect(samples.value("photos_requests") == 3)
        #expect(samples.value("icons_requests") == 4)
    }
}
