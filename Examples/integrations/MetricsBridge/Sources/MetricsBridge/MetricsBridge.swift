// Not built by the checks of this repository, which fetch no package.

import Metrics
import PlatformImageLoader
import Synchronization

/// Exports the activity of one loader to swift-metrics, under the names of `LoaderMetrics`.
///
/// ```swift
/// let metrics = MetricsBridge()
/// configuration.recordSink = { metrics.record($0) }
/// ...
/// metrics.record(loader.statistics)  // as often as the backend is read
/// ```
public final class MetricsBridge: Sendable {
    private let prefix: String
    private let last = Mutex<LoaderStatistics?>(nil)

    /// Creates metrics of the backend that `MetricsSystem.bootstrap` set, whose names start with a prefix and a dot.
    public init(prefix: String = "loader") { self.prefix = prefix }

    /// Counts a load and records its duration and those of its parts.
    public func record(_ record: LoadRecord) {
        if let code = record.outcome {
            Counter(label: "\(prefix).failures", dimensions: [("code", code.description)]).increment()
        } else {
            let labels = [("source", record.source.rawValue), ("content", record.content.rawValue)]
            Counter(label: "\(prefix).loads", dimensions: labels).increment()
        }
        let timings = record.timings
        let parts = [
            ("queue", timings.queue), ("first_byte", timings.firstByte), ("transfer", timings.transfer),
            ("disk", timings.disk), ("decode", timings.decode),
        ]
        for (name, duration) in [("load", record.duration)] + parts.filter({ $0.1 > .zero }) {
            Timer(label: "\(prefix).\(name).duration").recordSeconds(max(0, duration / .seconds(1)))
        }
    }

    /// Adds the increments since the last call to the counters, and sets the meters to current values.
    public func record(_ now: LoaderStatistics) {
        let before = last.withLock { last in
            defer { last = now }
            return last
        }
        let counters: [(String, KeyPath<LoaderStatistics, Int>)] = [
            ("requests", \.requests), ("retries", \.retries), ("received.bytes", \.bytesReceived), ("misses", \.misses),
            ("decodes", \.decodes), ("decode.nanoseconds", \.decodeNanoseconds), ("reports.dropped", \.reportsDropped),
        ]
        for (name, value) in counters {
            let increase = now[keyPath: value] - (before?[keyPath: value] ?? 0)
            if increase > 0 { Counter(label: "\(prefix).\(name)").increment(by: increase) }
        }
        let depths = [
            ("urgent", "waiting", now.urgentWaiting), ("urgent", "running", now.urgentRunning),
            ("slow", "waiting", now.slowWaiting), ("slow", "running", now.slowRunning),
            ("decode", "waiting", now.decodesWaiting),
        ]
        for (lane, state, depth) in depths {
            Meter(label: "\(prefix).queue.depth", dimensions: [("lane", lane), ("state", state)]).set(depth)
        }
    }
}
