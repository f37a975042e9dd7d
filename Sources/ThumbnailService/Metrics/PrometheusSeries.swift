import Metrics
import PlatformImage
import Synchronization

/// Value of one metric name with one set of labels.
protocol PrometheusSeries: AnyObject, Sendable {
    func write(to text: inout PrometheusText, _ name: String, _ labels: String)
}

final class PrometheusCounter: CounterHandler, PrometheusSeries {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        // Prometheus counters never decrease.
        if amount > 0 { value.wrappingAdd(amount, ordering: .relaxed) }
    }

    func reset() { value.store(0, ordering: .relaxed) }

    func write(to text: inout PrometheusText, _ name: String, _ labels: String) {
        text.add(name, labels, String(value.load(ordering: .relaxed)))
    }
}

/// A counter of fractions, such as seconds.
final class PrometheusFractionCounter: FloatingPointCounterHandler, PrometheusSeries {
    private let value = Mutex(0.0)

    func increment(by amount: Double) {
        // Prometheus counters never decrease; NaN and infinity would remain.
        if amount > 0, amount.isFinite { value.locked(in: self) { $0 += amount } }
    }

    func reset() { value.locked(in: self) { $0 = 0 } }

    func write(to text: inout PrometheusText, _ name: String, _ labels: String) {
        text.add(name, labels, PrometheusText.number(value.locked(in: self) { $0 }))
    }
}

final class PrometheusGauge: MeterHandler, RecorderHandler, PrometheusSeries {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.locked(in: self) { $0 = value } }
    func increment(by amount: Double) { value.locked(in: self) { $0 += amount } }
    func decrement(by amount: Double) { value.locked(in: self) { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    func write(to text: inout PrometheusText, _ name: String, _ labels: String) {
        text.add(name, labels, PrometheusText.number(value.locked(in: self) { $0 }))
    }
}

/// Sum and count of recorded values, for values without a known range.
final class PrometheusSummary: RecorderHandler, PrometheusSeries {
    private let state = Mutex((sum: 0.0, count: 0))

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        state.locked(in: self) { state in
            state.sum += value
            state.count += 1
        }
    }

    func write(to text: inout PrometheusText, _ name: String, _ labels: String) {
        let (sum, count) = state.locked(in: self) { ($0.sum, $0.count) }
        text.add(name + "_sum", labels, PrometheusText.number(sum))
        text.add(name + "_count", labels, String(count))
    }
}

/// Histogram of durations. The bucket bounds range from 100 microseconds, about the duration of a response from the
/// memory cache, to 10 seconds.
final class PrometheusHistogram: TimerHandler, PrometheusSeries {
    /// Upper bounds of the buckets in nanoseconds, with their `le` labels in seconds.
    static let bounds: [(nanoseconds: Int64, label: String)] = [
        (100_000, "0.0001"), (250_000, "0.00025"), (500_000, "0.0005"), (1_000_000, "0.001"),
        (2_500_000, "0.0025"), (5_000_000, "0.005"), (10_000_000, "0.01"), (25_000_000, "0.025"),
        (50_000_000, "0.05"), (100_000_000, "0.1"), (250_000_000, "0.25"), (500_000_000, "0.5"),
        (1_000_000_000, "1"), (2_500_000_000, "2.5"), (5_000_000_000, "5"), (10_000_000_000, "10"),
    ]

    private struct State {
        /// Counts per bucket, not cumulative; the last one is for durations above all bounds.
        var counts = Array(repeating: 0, count: bounds.count + 1)
        var sum = 0.0
    }

    private let state = Mutex(State())

    func recordNanoseconds(_ duration: Int64) {
        let index = Self.bounds.firstIndex { duration <= $0.nanoseconds } ?? Self.bounds.count
        state.locked(in: self) { state in
            state.counts[index] += 1
            state.sum += Double(max(0, duration))
        }
    }

    func write(to text: inout PrometheusText, _ name: String, _ labels: String) {
        let (counts, sum) = state.locked(in: self) { ($0.counts, $0.sum) }
        let others = labels.isEmpty ? "" : labels + ","
        var total = 0
        for (count, bound) in zip(counts, Self.bounds.map(\.label) + ["+Inf"]) {
            total += count
            text.add(name + "_bucket", "\(others)le=\"\(bound)\"", String(total))
        }
        text.add(name + "_sum", labels, PrometheusText.number(sum / 1e9))
        text.add(name + "_count", labels, String(total))
    }
}
