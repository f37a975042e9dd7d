internal import PlatformImage
internal import Synchronization

/// Exports the activity of one loader to a registry of Prometheus metrics.
///
/// ```swift
/// let metrics = LoaderMetrics()
/// configuration.recordSink = { metrics.record($0) }
/// ...
/// metrics.record(loader.statistics)  // before each read of the text
/// metrics.registry.text
/// ```
///
/// Records produce the counters `loads` by source and content and `failures` by code, the histogram `load.duration`,
/// and a histogram for each part that took time. Statistics produce counters of requests, retries, bytes, misses,
/// decodes and dropped reports, and gauges of queue depth. The dots of the names are `_` in the text. A counter or
/// histogram is in the text from its first change on. Labels never contain a URL.
public final class LoaderMetrics: Sendable {
    /// A counter of loads, by its labels, or a named metric.
    private enum Key: Hashable {
        case loads(LoadSource, LoadRecord.Content)
        case failures(LoadError.Code)
        case name(String)
    }

    /// The metrics in use, so that a record needs no lookup in the registry.
    private struct State {
        var last = LoaderStatistics()
        var counters: [Key: PrometheusCounter] = [:]
        var histograms: [String: PrometheusHistogram] = [:]
    }

    /// Contains the metrics.
    public let registry: PrometheusRegistry
    private let prefix: String
    private let state = Mutex(State())

    /// Creates metrics whose names start with a prefix and a dot.
    ///
    /// - Parameters:
    ///   - prefix: Distinguishes several loaders.
    ///   - registry: Receives the metrics; by default a new registry.
    public init(prefix: String = "loader", registry: PrometheusRegistry = PrometheusRegistry()) {
        self.prefix = prefix
        self.registry = registry
    }

    /// Counts a load and records its duration and those of its parts.
    public func record(_ record: LoadRecord) {
        if let code = record.outcome {
            counter(.failures(code), "failures", [("code", code.description)]).increment()
        } else {
            let labels = [("source", record.source.rawValue), ("content", record.content.rawValue)]
            counter(.loads(record.source, record.content), "loads", labels).increment()
        }
        histogram("load.duration").record(record.duration)
        let timings = record.timings
        let parts = [
            ("queue.duration", timings.queue), ("first_byte.duration", timings.firstByte),
            ("transfer.duration", timings.transfer), ("disk.duration", timings.disk),
            ("decode.duration", timings.decode),
        ]
        for (name, duration) in parts where duration > .zero { histogram(name).record(duration) }
    }

    /// Adds the increments since the last call to the counters, and sets the gauges to current values.
    ///
    /// - Parameter statistics: Statistics of the loader whose records are passed to this object.
    public func record(_ statistics: LoaderStatistics) {
        let before = state.locked(in: self) { state in
            defer { state.last = statistics }
            return state.last
        }
        let counters: [(String, KeyPath<LoaderStatistics, Int>)] = [
            ("requests", \.requests), ("retries", \.retries), ("received.bytes", \.bytesReceived),
            ("misses", \.misses), ("decodes", \.decodes), ("decode.nanoseconds", \.decodeNanoseconds),
            ("reports.dropped", \.reportsDropped),
        ]
        for (name, value) in counters {
            let increase = statistics[keyPath: value] - before[keyPath: value]
            if increase > 0 { counter(.name(name), name, []).increment(by: increase) }
        }
        let gauges: [(String, String, Int)] = [
            ("urgent", "waiting", statistics.urgentWaiting), ("urgent", "running", statistics.urgentRunning),
            ("slow", "waiting", statistics.slowWaiting), ("slow", "running", statistics.slowRunning),
            ("decode", "waiting", statistics.decodesWaiting),
        ]
        for (lane, state, value) in gauges {
            registry.gauge("\(prefix).queue.depth", labels: [("lane", lane), ("state", state)]).set(value)
        }
    }

    private func counter(_ key: Key, _ name: String, _ labels: [(String, String)]) -> PrometheusCounter {
        if let known = state.locked(in: self, { $0.counters[key] }) { return known }
        let counter = registry.counter("\(prefix).\(name)", labels: labels)
        state.locked(in: self) { $0.counters[key] = counter }
        return counter
    }

    private func histogram(_ name: String) -> PrometheusHistogram {
        if let known = state.locked(in: self, { $0.histograms[name] }) { return known }
        let histogram = registry.histogram("\(prefix).\(name)")
        state.locked(in: self) { $0.histograms[name] = histogram }
        return histogram
    }
}
