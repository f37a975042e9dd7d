import PlatformImage
import PlatformImageLoader
import Synchronization

/// Metrics of the decode workers. The series exist, with the value 0, also when sources are decoded without workers.
final class DecodeWorkerMetrics: Sendable {
    private let idle, busy: PrometheusGauge
    private let ended: [DecodeWorkers.EndReason: PrometheusCounter]
    private let requests, waits, refusals: PrometheusCounter
    private let waitSeconds: PrometheusFractionCounter
    /// The statistics that the counters contain; nil before the first update.
    private let counted = Mutex<DecodeWorkers.Statistics?>(nil)

    init(_ registry: PrometheusRegistry) {
        func gauge(_ state: String) -> PrometheusGauge {
            registry.gauge("imagetool_decode_workers", labels: [("state", state)])
        }
        (idle, busy) = (gauge("idle"), gauge("busy"))
        ended = Dictionary(
            uniqueKeysWithValues: DecodeWorkers.EndReason.allCases.map { reason in
                let labels = [("reason", reason.rawValue)]
                return (reason, registry.counter("imagetool_decode_workers_ended_total", labels: labels))
            })
        requests = registry.counter("imagetool_decode_worker_requests_total")
        waits = registry.counter("imagetool_decode_worker_waits_total")
        refusals = registry.counter("imagetool_decode_refused_total")
        waitSeconds = registry.fractionCounter("imagetool_decode_worker_wait_seconds_total")
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
