internal import PlatformImage
internal import Synchronization

/// Value of one metric name with one set of labels.
protocol PrometheusSeries: AnyObject, Sendable {
    func write(to text: inout PrometheusText, _ name: String, _ labels: String)
}

/// A counter of whole numbers; ``PrometheusRegistry`` creates it.
///
/// The value changes without a lock, from any thread.
public final class PrometheusCounter: PrometheusSeries {
    private let value = Atomic(0)

    init() {}

    /// Adds an amount; 0 and negative amounts are ignored, because Prometheus counters never decrease.
    public func increment(by amount: Int = 1) {
        if amount > 0 { value.wrappingAdd(amount, ordering: .relaxed) }
    }

    /// Sets the value to 0; a Prometheus server handles this like a restart of the process.
    public func reset() { value.store(0, ordering: .relaxed) }

    func write(to text: inout PrometheusText, _ name: String, _ labels: String) {
        text.add(name, labels, String(value.load(ordering: .relaxed)))
    }
}

/// A counter of fractions, such as seconds; ``PrometheusRegistry`` creates it.
///
/// The value changes without a lock, from any thread.
public final class PrometheusFractionCounter: PrometheusSeries {
    private let value = AtomicDouble()

    init() {}

    /// Adds an amount; NaN, infinity, 0 and negative amounts are ignored: Prometheus counters never decrease, and NaN
    /// and infinity would remain.
    public func increment(by amount: Double) {
        if amount > 0, amount.isFinite { value.add(amount) }
    }

    /// Sets the value to 0; a Prometheus server handles this like a restart of the process.
    public func reset() { value.store(0) }

    func write(to text: inout PrometheusText, _ name: String, _ labels: String) {
        text.add(name, labels, PrometheusText.number(value.load()))
    }
}

/// A value that increases and decreases; ``PrometheusRegistry`` creates it.
///
/// The value changes without a lock, from any thread.
public final class PrometheusGauge: PrometheusSeries {
    private let value = AtomicDouble()

    init() {}

    /// Sets the value.
    public func set(_ value: Double) { self.value.store(value) }
    /// Sets the value; integers above 2^53 are rounded.
    public func set(_ value: Int) { set(Double(value)) }
    /// Adds an amount; a negative one decreases the value.
    public func increment(by amount: Double = 1) { value.add(amount) }
    /// Subtracts an amount; a negative one increases the value.
    public func decrement(by amount: Double = 1) { value.add(-amount) }

    func write(to text: inout PrometheusText, _ name: String, _ labels: String) {
        text.add(name, labels, PrometheusText.number(value.load()))
    }
}

/// Sum and count of recorded values, for values without a known range; ``PrometheusRegistry`` creates it.
public final class PrometheusSummary: PrometheusSeries {
    private let state = Mutex((sum: 0.0, count: 0))

    init() {}

    /// Adds a value to the sum, and 1 to the count.
    public func record(_ value: Double) {
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

/// Histogram of durations, exported in seconds; ``PrometheusRegistry`` creates it.
///
/// The bucket bounds range from 100 microseconds, about the duration of a response from a memory cache, to 10 seconds.
/// The values change without a lock, from any thread.
public final class PrometheusHistogram: PrometheusSeries {
    /// Upper bounds of the buckets in nanoseconds, with their `le` labels in seconds.
    static let bounds: [(nanoseconds: Int64, label: String)] = [
        (100_000, "0.0001"), (250_000, "0.00025"), (500_000, "0.0005"), (1_000_000, "0.001"),
        (2_500_000, "0.0025"), (5_000_000, "0.005"), (10_000_000, "0.01"), (25_000_000, "0.025"),
        (50_000_000, "0.05"), (100_000_000, "0.1"), (250_000_000, "0.25"), (500_000_000, "0.5"),
        (1_000_000_000, "1"), (2_500_000_000, "2.5"), (5_000_000_000, "5"), (10_000_000_000, "10"),
    ]

    /// Counts per bucket, not cumulative; one for each of ``bounds``, and the last one for durations above all bounds.
    private let counts = InlineArray<17, Atomic<Int>> { _ in Atomic(0) }
    /// Nanoseconds.
    private let sum = AtomicDouble()

    init() {}

    /// Records a duration; a negative one counts as 0 in the sum.
    public func record(_ duration: Duration) { record(nanoseconds: duration.nanosecondCount) }

    /// Records a duration in nanoseconds; a negative one counts as 0 in the sum.
    public func record(nanoseconds: Int64) {
        let index = Self.bounds.firstIndex { nanoseconds <= $0.nanoseconds } ?? Self.bounds.count
        counts[index].wrappingAdd(1, ordering: .relaxed)
        sum.add(Double(max(0, nanoseconds)))
    }

    func write(to text: inout PrometheusText, _ name: String, _ labels: String) {
        let others = labels.isEmpty ? "" : labels + ","
        var total = 0
        for index in counts.indices {
            total += counts[index].load(ordering: .relaxed)
            let bound = index < Self.bounds.count ? Self.bounds[index].label : "+Inf"
            text.add(name + "_bucket", "\(others)le=\"\(bound)\"", String(total))
        }
        text.add(name + "_sum", labels, PrometheusText.number(sum.load() / 1e9))
        text.add(name + "_count", labels, String(total))
    }
}

/// A floating-point number that threads change without a lock.
private struct AtomicDouble: ~Copyable, Sendable {
    private let bits = Atomic<UInt64>(0)

    func load() -> Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func store(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func add(_ amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (exchanged, found) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if exchanged { return }
            old = found
        }
    }
}
