#if Loader && Metrics
public import Metrics
internal import PlatformImage
internal import Synchronization

/// Feeds a metrics backend with what one loader does, by way of swift-metrics.
///
/// ```swift
/// let metrics = LoaderMetrics()
/// configuration.recordSink = { metrics.note($0) }
/// ...
/// metrics.note(loader.statistics)  // as often as the backend is read
/// ```
///
/// Records give the counters `loads` by source and content and `failures` by code, and the timers `load.duration` and one
/// for each part of it that took time. Statistics give the counters of requests, retries, bytes, misses and decodes, and
/// meters for what waits and runs now. No address is ever in a label.
public final class LoaderMetrics: Sendable {
    private let prefix: String
    private let factory: any MetricsFactory
    private let last = Mutex(LoaderStatistics())

    /// Metrics whose names begin with a prefix and a dot.
    ///
    /// - Parameters:
    ///   - prefix: Tells several loaders apart.
    ///   - factory: Where the metrics are made; the one that the process was bootstrapped with by default.
    public init(prefix: String = "loader", factory: any MetricsFactory = MetricsSystem.factory) {
        self.prefix = prefix
        self.factory = factory
    }

    /// Counts a load and notes how long it and its parts took.
    public func note(_ record: LoadRecord) {
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

    /// Adds to the counters what was done since the last call, and sets the meters to what is going on now.
    ///
    /// - Parameter statistics: Of the loader whose records come here.
    public func note(_ statistics: LoaderStatistics) {
        let before = last.locked(in: self) { last in
            defer { last = statistics }
            return last
        }
        let counters: [(String, KeyPath<LoaderStatistics, Int>)] = [
            ("requests", \.requests), ("retries", \.retries), ("received.bytes", \.bytesReceived),
            ("misses", \.misses), ("decodes", \.decodes), ("decode.nanoseconds", \.decodeNanoseconds),
            ("reports.dropped", \.reportsDropped),
        ]
        for (name, figure) in counters {
            let grown = statistics[keyPath: figure] - before[keyPath: figure]
            if grown > 0 { count(name, grown, []) }
        }
        let meters: [(String, String, Int)] = [
            ("urgent", "waiting", statistics.urgentWaiting), ("urgent", "running", statistics.urgentRunning),
            ("slow", "waiting", statistics.slowWaiting), ("slow", "running", statistics.slowRunning),
            ("decode", "waiting", statistics.decodesWaiting),
        ]
        for (lane, state, figure) in meters {
            let dimensions = [("lane", lane), ("state", state)]
            Meter(label: "\(prefix).queue.depth", dimensions: dimensions, factory: factory).set(figure)
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
