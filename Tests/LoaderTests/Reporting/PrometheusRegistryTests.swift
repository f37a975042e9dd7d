import Testing

@testable import PlatformImageLoader

/// The Prometheus text format 0.0.4, parsed by `MetricSample`.
@Suite struct PrometheusRegistryTests {
    @Test func everyMetricTypeIsWrittenInThePrometheusTextFormat() {
        let registry = PrometheusRegistry()
        registry.describe(["a_total": "Things\\done\nby \"us\"."])
        registry.counter("a_total", labels: [("path", "c:\\x\n\"y\"")]).increment(by: 3)
        registry.gauge("b").set(1.5)
        registry.gauge("c").set(7)
        let summary = registry.summary("d")
        summary.record(1)
        summary.record(2.5)

        #expect(
            registry.text == """
                # HELP a_total Things\\\\done\\nby "us".
                # TYPE a_total counter
                a_total{path="c:\\\\x\\n\\"y\\""} 3
                # TYPE b gauge
                b 1.5
                # TYPE c gauge
                c 7
                # TYPE d summary
                d_sum 3.5
                d_count 2

                """)
    }

    @Test func histogramBucketsAreCumulative() throws {
        let bounds = PrometheusHistogram.bounds.map(\.nanoseconds)
        let durations = bounds.flatMap { [$0 - 1, $0, $0 + 1] } + [0, -5, .max]
        let registry = PrometheusRegistry()
        let histogram = registry.histogram("t", labels: [("format", "png")])
        for duration in durations { histogram.record(nanoseconds: duration) }

        let samples = try MetricSample.all(in: registry.text)
        for (index, bound) in bounds.enumerated() {
            let label = PrometheusHistogram.bounds[index].label
            let sample = samples.first { $0.name == "t_bucket" && $0.labels["le"] == label }
            #expect(sample?.value == Double(durations.count { $0 <= bound }))
            #expect(Double(label) == Double(bound) / 1e9)
            #expect(sample?.labels["format"] == "png")
        }
        let infinite = samples.last { $0.name == "t_bucket" }
        #expect(infinite?.labels["le"] == "+Inf")
        #expect(infinite?.value == Double(durations.count))
        #expect(samples.first { $0.name == "t_count" }?.value == Double(durations.count))
        let sum = durations.reduce(0.0) { $0 + Double(max(0, $1)) } / 1e9
        #expect(samples.first { $0.name == "t_sum" }?.value == sum)
        let buckets = samples.filter { $0.name == "t_bucket" }.map(\.value)
        #expect(buckets == buckets.sorted())
    }

    @Test(
        arguments: [
            ("a.b-c d", "a_b_c_d"), ("9a", "_9a"), ("", "_"), ("a:b", "a:b"), ("größe", "gr__e"), ("a\n} 1", "a___1"),
        ] as [(String, String)])
    func invalidCharactersOfMetricNamesAreReplaced(_ label: String, _ name: String) throws {
        let registry = PrometheusRegistry()
        registry.counter(label).increment()
        #expect(try MetricSample.all(in: registry.text).map(\.name) == [name])
    }

    @Test func escapedLabelValuesAreParsedToTheSameText() throws {
        let text = String(String.UnicodeScalarView((1...0x2FF).compactMap { Unicode.Scalar($0) }))
        let registry = PrometheusRegistry()
        registry.counter("a", labels: [("le", text), ("x y", "1"), ("x-y", "2")]).increment()

        let sample = try #require(try MetricSample.all(in: registry.text).first)
        #expect(sample.labels == ["le_": text, "x_y": "1"])
    }

    @Test func metricsWithEqualNameAndLabelsAreMerged() throws {
        let registry = PrometheusRegistry()
        registry.counter("a", labels: [("x", "1"), ("y", "2")]).increment()
        registry.counter("a", labels: [("y", "2"), ("x", "1")]).increment()
        registry.counter("a", labels: [("x", "2")]).increment()
        #expect(registry.text == "# TYPE a counter\na{x=\"1\",y=\"2\"} 2\na{x=\"2\"} 1\n")
    }

    @Test func metricOfAnotherTypeUnderAnExistingNameIsNotReported() {
        let registry = PrometheusRegistry()
        registry.counter("a").increment()
        registry.gauge("a").set(5)
        registry.histogram("a").record(.seconds(1))
        registry.fractionCounter("a").increment(by: 0.5)
        #expect(registry.text == "# TYPE a counter\na 1\n")
    }

    @Test func removedMetricIsNotReported() {
        let registry = PrometheusRegistry()
        let counter = registry.counter("a")
        _ = registry.counter("a", labels: [("x", "1")])
        registry.remove("a")
        counter.increment()
        #expect(registry.text == "# TYPE a counter\na{x=\"1\"} 0\n")
        registry.remove("a", labels: [("y", "1")])
        registry.remove("b")
        #expect(registry.text == "# TYPE a counter\na{x=\"1\"} 0\n")
        registry.remove("a", labels: [("x", "1")])
        #expect(registry.text.isEmpty)
    }

    @Test func negativeCounterIncrementIsIgnored() {
        let registry = PrometheusRegistry()
        let counter = registry.counter("a")
        counter.increment(by: 2)
        counter.increment(by: -1)
        #expect(registry.text.hasSuffix("a 2\n"))
        counter.reset()
        #expect(registry.text.hasSuffix("a 0\n"))
    }

    @Test(
        arguments: [
            (Double.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (0, "0"), (-3, "-3"), (0.25, "0.25"),
        ] as [(Double, String)])
    func gaugeValuesAreFormattedForPrometheus(_ number: Double, _ text: String) {
        let registry = PrometheusRegistry()
        registry.gauge("a").set(number)
        #expect(registry.text == "# TYPE a gauge\na \(text)\n")
    }

    @Test func concurrentMetricUpdatesAreAllCounted() async {
        let registry = PrometheusRegistry()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let counter = registry.counter("a")
                    let gauge = registry.gauge("b")
                    let histogram = registry.histogram("c")
                    let seconds = registry.fractionCounter("d")
                    let summary = registry.summary("e")
                    for _ in 0..<500 {
                        counter.increment()
                        gauge.increment()
                        histogram.record(nanoseconds: 1)
                        seconds.increment(by: 1)
                        summary.record(1)
                    }
                }
            }
        }
        let samples = try? MetricSample.all(in: registry.text)
        for name in ["a", "b", "c_count", "d", "e_sum", "e_count"] {
            #expect(samples?.first { $0.name == name }?.value == 4_000)
        }
    }

    @Test func fractionsAreAddedAndNegativeAndInfiniteFractionsAreIgnored() {
        let registry = PrometheusRegistry()
        let counter = registry.fractionCounter("a")
        for amount in [0.25, -1, .nan, .infinity, -.infinity, 0, 1.5] { counter.increment(by: amount) }
        #expect(registry.text == "# TYPE a counter\na 1.75\n")
        counter.reset()
        #expect(registry.text == "# TYPE a counter\na 0\n")
    }

    @Test func gaugeIsSetIncreasedAndDecreased() {
        let registry = PrometheusRegistry()
        let gauge = registry.gauge("a")
        gauge.set(3)
        gauge.increment(by: 2.5)
        gauge.decrement()
        #expect(registry.text == "# TYPE a gauge\na 4.5\n")
    }

    @Test func durationsAreExportedInSeconds() {
        let registry = PrometheusRegistry()
        let histogram = registry.histogram("a")
        histogram.record(.milliseconds(1_500))
        histogram.record(.seconds(-1))
        histogram.record(.seconds(11))
        let bounds = PrometheusHistogram.bounds.map(\.label)
        let counts = bounds.map { ["2.5", "5", "10"].contains($0) ? 2 : 1 }
        let buckets = zip(bounds, counts).map { "a_bucket{le=\"\($0)\"} \($1)\n" }.joined()
        #expect(
            registry.text == "# TYPE a histogram\n" + buckets
                + "a_bucket{le=\"+Inf\"} 3\na_sum 12.5\na_count 3\n")
    }

    @Test func metricWithTheSameNameAndLabelsIsTheSameObject() {
        let registry = PrometheusRegistry()
        let labels = [("x", "1")]
        #expect(registry.counter("a", labels: labels) === registry.counter("a", labels: labels))
        #expect(registry.fractionCounter("b") === registry.fractionCounter("b"))
        #expect(registry.gauge("c") === registry.gauge("c"))
        #expect(registry.histogram("d") === registry.histogram("d"))
        #expect(registry.summary("e") === registry.summary("e"))
        #expect(registry.counter("a") !== registry.counter("a", labels: labels))
    }

    @Test func contentTypeNamesTheTextFormat() {
        #expect(PrometheusRegistry.contentType == "text/plain; version=0.0.4; charset=utf-8")
    }
}
