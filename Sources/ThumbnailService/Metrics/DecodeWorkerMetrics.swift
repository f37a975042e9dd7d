import Metrics
import PlatformImage
import Synchronization

/// Metrics of the decode workers. The series exist, with the value 0, also when sources are decoded without workers.
final class DecodeWorkerMetrics: Sendable {
    private let idle, busy: Meter
    private let ended: [DecodeWorkers.EndReason: Counter]
    private let requests, waits, refusals: Counter
    private let waitSeconds: FloatingPointCounter
    /// The statistics that the counters contain; nil before the first update.
    private let counted = Mutex<DecodeWorkers.Statistics?>(nil)

    init(_ factory: any MetricsFactory) {
        func gauge(_ state: String) -> Meter {
            Meter(label: "imagetool_decode_workers", dimensions: [("state", state)], factory: factory)
        }
        func counter(_ name: String) -> Counter { Counter(label: name, dimensions: [], factory: factory) }
        (idle, busy) = (gauge("idle"), gauge("busy"))
        ended = Dictionary(
            uniqueKeysWithValues: DecodeWorkers.EndReason.allCases.map { reason in
                let labels = [("reason", reason.rawValue)]
                return (
                    reason,
                    Counter(label: "imagetool_decode_workers_ended_total", dimensions: labels, factory: factory)
                )
            })
        requests = counter("imagetool_decode_worker_requests_total")
        waits = counter("imagetool_decode_worker_waits_total")
        refusals = counter("imagetool_decode_refused_total")
        waitSeconds = FloatingPointCounter(
            label: "imagetool_decode_worker_wait_seconds_total", dimensions: [], factory: factory)
    }

    /// Adds what was counted since the last call.
    ///
    /// - Parameter statistics: The counts since the start of the workers, read after those of the last call.
    func update(_ statistics: DecodeWorkers.Statistics) {
        let last = counted.locked(in: self) { counted in
            defer { counted = statistics }
            return counted
        }
        idle.set(max(0, statistics.aliveWorkers - statistics.busyWorkers))
        busy.set(statistics.busyWorkers)
        for (reason, counter) in ended {
            counter.increment(by: (statistics.endedWorkers[reason] ?? 0) - (last?.endedWorkers[reason] ?? 0))
        }
        requests.increment(by: statistics.requests - (last?.requests ?? 0))
        waits.increment(by: statistics.waits - (last?.waits ?? 0))
        refusals.increment(by: statistics.refusedFiles - (last?.refusedFiles ?? 0))
        waitSeconds.increment(by: (statistics.waitTime - (last?.waitTime ?? .zero)) / .seconds(1))
    }
}
