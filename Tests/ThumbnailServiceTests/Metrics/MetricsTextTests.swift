import Metrics
import Testing

@testable import PlatformImageService

/// The Prometheus text format 0.0.4, parsed by `MetricSample`.
@Suite struct MetricsTextTests {
    @Test func everyMetricTypeIsWrittenInThePrometheusTextFormat() {
        let registry = PrometheusRegistry()
        registry.describe(["a_total": "Things\\done\nby \"us\"."])
        Counter(label: "a_total", dimensions: [("path", "c:\\x\n\"y\"")], factory: registry).increment(by: 3)
        Meter(label: "b", factory: registry).set(1.5)
        Recorder(label: "c", aggregate: false, factory: registry).record(7)
        let summary = Recorder(label: "d", aggregate: true, factory: registry)
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
        let timer = Timer(label: "t", dimensions: [("format", "png")], factory: registry)
        for duration in durations { timer.recordNanoseconds(duration) }

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
        Counter(label: label, factory: registry).increment()
        #expect(try MetricSample.all(in: registry.text).map(\.name) == [name])
    }

    @Test func escapedLabelValuesAreParsedToTheSameText() throws {
        let text = String(String.UnicodeScalarView((1...0x2FF).compactMap { Unicode.Scalar($0) }))
        let registry = PrometheusRegistry()
        Counter(label: "a", dimensions: [("le", text), ("x y", "1"), ("x-y", "2")], factory: registry).increment()

        let sample = try #require(try MetricSample.all(in: registry.text).first)
        #expect(sample.labels == ["le_": text, "x_y": "1"])
    }

    @Test func metricsWithEqualNameAndLabelsAreMerged() throws {
        let registry = PrometheusRegistry()
        Counter(label: "a", dimensions: [("x", "1"), ("y", "2")], factory: registry).increment()
        Counter(label: "a", dimensions: [("y", "2"), ("x", "1")], factory: registry).increment()
        Counter(label: "a", dimensions: [("x", "2")], factory: registry).increment()
        #expect(registry.text == "# TYPE a counter\na{x=\"1\",y=\"2\"} 2\na{x=\"2\"} 1\n")
    }

    @Test func metricOfAnotherTypeUnderAnExistingNameIsNotReported() {
        let registry = PrometheusRegistry()
        Counter(label: "a", factory: registry).increment()
        Meter(label: "a", factory: registry).set(5)
        Timer(label: "a", factory: registry).recordSeconds(1)
        #expect(registry.text == "# TYPE a counter\na 1\n")
    }

    @Test func destroyedMetricIsNotReported() {
        let registry = PrometheusRegistry()
        let counter = Counter(label: "a", factory: registry)
        let other = Counter(label: "a", dimensions: [("x", "1")], factory: registry)
        counter.destroy()
        #expect(registry.text == "# TYPE a counter\na{x=\"1\"} 0\n")
        other.destroy()
        #expect(registry.text.isEmpty)
    }

    @Test func negativeCounterIncrementIsIgnored() {
        let registry = PrometheusRegistry()
        let counter = Counter(label: "a", factory: registry)
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
        Meter(label: "a", factory: registry).set(number)
        #expect(registry.text == "# TYPE a gauge\na \(text)\n")
    }

    @Test func concurrentMetricUpdatesAreAllCounted() async {
        let registry = PrometheusRegistry()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let counter = Counter(label: "a", factory: registry)
                    let meter = Meter(label: "b", factory: registry)
                    let timer = Timer(label: "c", factory: registry)
                    for _ in 0..<500 {
                        counter.increment()
                        meter.increment(by: 1.0)
                        timer.recordNanoseconds(1)
                    }
                }
            }
        }
        let samples = try? MetricSample.all(in: registry.text)
        for name in ["a", "b", "c_count"] { #expect(samples?.first { $0.name == name }?.value == 4_000) }
    }
}
