import PlatformImage
import PlatformImageLoader

/// Metrics of the service (Docs/service-metrics.md). All are created in advance, so that requests need no lookup by
/// name. All label values come from closed sets; addresses, hosts and paths are never labels.
final class ServiceMetrics: Sendable {
    /// Cache of a lookup: results in memory, results on disk, sources, or failures.
    enum Layer: String, CaseIterable, Sendable { case memory, disk, source, failure }
    /// Work that several requests can share.
    enum SharedStage: String, CaseIterable, Sendable { case fetch, decode, render }
    /// Stage at which cancelled work ended; a render includes its decode.
    enum Stage: String, CaseIterable, Sendable { case fetch, queue, render }
    /// Reason for the rejection of a request.
    enum Rejection: String, CaseIterable, Sendable {
        case queue, bytes, client, deadline, address, signature, limit
    }

    let registry: PrometheusRegistry
    private let requests: [RequestLabels: PrometheusCounter]
    private let requestSeconds: PrometheusHistogram
    private let hits, misses: [Layer: PrometheusCounter]
    private let memoryHits: PrometheusCounter?
    private let coalesced: [SharedStage: PrometheusCounter]
    private let rejections: [Rejection: PrometheusCounter]
    private let imageStatus: [ImageStatus: PrometheusCounter]
    private let cancellations: [Stage: PrometheusCounter]
    private let fetchSeconds, queueSeconds: PrometheusHistogram
    private let decodeSeconds: [ImageFormat: PrometheusHistogram]
    private let renderSeconds: [EncodedFormat: PrometheusHistogram]
    private let encodes, encodedBytes: [EncodedFormat: PrometheusCounter]
    private let gauges: [ServiceGauge: PrometheusGauge]
    let workers: DecodeWorkerMetrics

    /// Creates all metrics in a registry.
    init(registry: PrometheusRegistry = PrometheusRegistry()) {
        registry.describe(Self.help)
        self.registry = registry
        func counters<Value: RawRepresentable<String> & CaseIterable & Hashable>(
            _ name: String, _ label: String
        ) -> [Value: PrometheusCounter] {
            Dictionary(
                uniqueKeysWithValues: Value.allCases.map { value in
                    (value, registry.counter(name, labels: [(label, value.rawValue)]))
                })
        }
        func timers<Value: RawRepresentable<String> & CaseIterable & Hashable>(_ name: String) -> [Value:
            PrometheusHistogram]
        {
            Dictionary(
                uniqueKeysWithValues: Value.allCases.map { value in
                    (value, registry.histogram(name, labels: [("format", value.rawValue)]))
                })
        }
        requests = Dictionary(
            uniqueKeysWithValues: RequestLabels.all.map { labels in
                (labels, registry.counter("imagetool_requests_total", labels: labels.dimensions))
            })
        requestSeconds = registry.histogram("imagetool_request_seconds")
        hits = counters("imagetool_cache_hits_total", "layer")
        misses = counters("imagetool_cache_misses_total", "layer")
        memoryHits = hits[.memory]
        coalesced = counters("imagetool_coalesced_total", "stage")
        rejections = counters("imagetool_rejected_total", "reason")
        imageStatus = counters("imagetool_image_status_total", "status")
        cancellations = counters("imagetool_cancelled_total", "stage")
        fetchSeconds = registry.histogram("imagetool_fetch_seconds")
        queueSeconds = registry.histogram("imagetool_queue_seconds")
        decodeSeconds = timers("imagetool_decode_seconds")
        renderSeconds = timers("imagetool_render_seconds")
        encodes = counters("imagetool_encodes_total", "format")
        encodedBytes = counters("imagetool_encoded_bytes_total", "format")
        gauges = Dictionary(
            uniqueKeysWithValues: ServiceGauge.allCases.map { gauge in
                (gauge, registry.gauge(gauge.name, labels: gauge.dimensions))
            })
        workers = DecodeWorkerMetrics(registry)
    }

    /// Counts a response and records the time from the request to the response header.
    ///
    /// - Parameters:
    ///   - rejection: Nil for a request that was not rejected.
    ///   - statuses: Deviations of the image; empty for none.
    func recordResponse(
        _ labels: RequestLabels, _ rejection: Rejection?, _ statuses: [ImageStatus], in duration: Duration
    ) {
        requests[labels]?.increment()
        for status in statuses { imageStatus[status]?.increment() }
        requestSeconds.record(duration)
        if let rejection { rejections[rejection]?.increment() }
    }

    /// The counter of responses with these labels.
    func counter(_ labels: RequestLabels) -> PrometheusCounter? { requests[labels] }

    /// Counts a response from memory by its counter, and records the time from the request to the response header.
    func recordHit(_ count: PrometheusCounter?, in duration: Duration) {
        memoryHits?.increment()
        count?.increment()
        requestSeconds.record(duration)
    }

    func hit(_ layer: Layer) { hits[layer]?.increment() }
    func miss(_ layer: Layer) { misses[layer]?.increment() }

    /// Counts a request that waited for work of another request.
    func shared(_ stage: SharedStage) { coalesced[stage]?.increment() }

    /// Counts work that was cancelled because all its clients had disconnected.
    func cancelled(_ stage: Stage) { cancellations[stage]?.increment() }

    /// Records the duration of a fetch from an origin, including the body.
    func fetched(in duration: Duration) { fetchSeconds.record(duration) }

    /// Records the time that a render waited for its thread and its memory.
    func queued(for duration: Duration) { queueSeconds.record(duration) }

    /// Records the run time of a decode, without the wait for a thread.
    func decoded(_ format: ImageFormat, in duration: Duration) { decodeSeconds[format]?.record(duration) }

    /// Records the run time of filters and encoding, without the wait for a thread.
    func rendered(_ format: EncodedFormat, in duration: Duration) { renderSeconds[format]?.record(duration) }

    /// Counts an encoded file, whether it is sent or another file of the same result.
    func encoded(_ format: EncodedFormat, byteCount: Int) {
        encodes[format]?.increment()
        encodedBytes[format]?.increment(by: byteCount)
    }

    func set(_ gauge: ServiceGauge, _ value: Int) { gauges[gauge]?.set(value) }
}

extension ServiceMetrics {
    /// Counts a successful fetch.
    ///
    /// - Parameters:
    ///   - hasSourceCache: True when there is a cache of sources.
    ///   - wasSent: False when the fetch shared the request of another fetch.
    func recordFetch(_ source: LoadSource, hasSourceCache: Bool, wasSent: Bool, in duration: Duration) {
        switch source {
        case .none: break
        case .memory, .disk: hit(.source)
        case .networkNotModified, .networkToDisk:
            if hasSourceCache { miss(.source) }
            if wasSent { fetched(in: duration) } else { shared(.fetch) }
        }
    }
}
