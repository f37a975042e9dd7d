#if Loader && Metrics
public import Metrics
internal import PlatformImage
internal import Synchronization

/// Exports the activity of one loader to a metrics backend through swift-metrics.
///
/// ```swift
/// let metrics = LoaderMetrics()
/// configuration.recordSink = { metrics.record($0) }
/// ...
/// metrics.record(loader.statistics)  // as often as the backend is read
/// ```
///
/// Records produce the counters `loads` by source and content and `failures` by code, the timer `load.duration`, and a
/// timer for each part that took time. Statistics produce counters of requests, retries, bytes, misses, decodes and
/// dropped reports, and meters of queue depth. Labels never contain a URL.
public final class LoaderMetrics: Sendable {
    private let prefix: String
    private let factory: any MetricsFactory
    private let last = Mutex(LoaderStatistics())

    /// Creates metrics whose names start with a prefix and a dot.
    ///
    /// - Parameters:
    ///   - prefix: Distinguishes several loaders.
    ///   - factory: Creates the metrics; by default the factory that the process was bootstrapped with.
    public init(prefix: String = "loader", factory: any MetricsFactory = MetricsSystem.factory) {
        self.prefix = prefix
        self.factory = factory
    }

    /// Counts a load and records its duration and those of its parts.
    public func record(_ record: LoadRecord) {
        if let code = record.outcome {
            count("failures", 1, [("code", code.description)])
        } else {
            count("loads", 1, [("source", record.source.rawValue), ("content", record.content.rawValue)])
        }
        time("load.duration", record.duration)
        let timings = record.timings
        let parts = [
            ("queue", timings.queue), ("first_byte", timings.firstByte), ("transfer", timings.transfer),
            ("disk", timings.disk), ("decode", timings.decode),
        ]
        for (name, duration) in parts where duration > .zero { time("\(name).duration", duration) }
    }

    /// Adds the increments since the last call to the counters, and sets the meters to current values.
    ///
    /// - Parameter statistics: Statistics of the loader whose records are passed to this object.
    public func record(_ statistics: LoaderStatistics) {
        let before = last.locked(in: self) { last in
            defer { last = statistics }
            return last
        }
        let counters: [(String, KeyPath<LoaderStatistics, Int>)] = [
            ("requests", \.requests), ("retries", \.retries), ("received.bytes", \.bytesReceived),
            ("misses", \.misses), ("decodes", \.decodes), ("decode.nanoseconds", \.decodeNanoseconds),
            ("reports.dropped", \.reportsDropped),
        ]
        for (name, value) in counters {
            let increase = statistics[keyPath: value] - before[keyPath: value]
            if increase > 0 { count(name, increase, []) }
        }
        let meters: [(String, String, Int)] = [
            ("urgent", "waiting", statistics.urgentWaiting), ("urgent", "running", statistics.urgentRunning),
            ("slow", "waiting", statistics.slowWaiting), ("slow", "running", statistics.slowRunning),
            ("decode", "waiting", statistics.decodesWaiting),
        ]
        for (lane, state, value) in meters {
            let dimensions = [("lane", lane), ("state", state)]
            Meter(label: "\(prefix).queue.depth", dimensions: dimensions, factory: factory).set(value)
        }
    }

    private func count(_ name: String, _ number: Int, _ dimensions: [(String, String)]) {
        Counter(label: "\(prefix).\(name)", dimensions: dimensions, factory: factory).increment(by: number)
    }

    private func time(_ name: String, _ duration: Duration) {
        let timer = Timer(label: "\(prefix).\(name)", dimensions: [], factory: factory)
        timer.recordNanoseconds(max(0, duration.nanosecondCount))
    }
}
#endif
