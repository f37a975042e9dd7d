#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Gauges of the service: current values, in contrast to counters.
enum ServiceGauge: Hashable, Sendable, CaseIterable {
    case memoryBytes, diskBytes, sourceBytes
    case queueDepth, inFlightBytes, inFlightLimit, openConnections, queuedBytes, liveBitmapBytes, residentBytes

    var name: String {
        switch self {
        case .memoryBytes, .diskBytes, .sourceBytes: "imagetool_cache_bytes"
        case .queueDepth: "imagetool_queue_depth"
        case .inFlightBytes: "imagetool_inflight_bytes"
        case .inFlightLimit: "imagetool_inflight_bytes_limit"
        case .openConnections: "imagetool_open_connections"
        case .queuedBytes: "imagetool_queued_response_bytes"
        case .liveBitmapBytes: "imagetool_live_bitmap_bytes"
        case .residentBytes: "process_resident_memory_bytes"
        }
    }

    var dimensions: [(String, String)] {
        switch self {
        case .memoryBytes: [("layer", ServiceMetrics.Layer.memory.rawValue)]
        case .diskBytes: [("layer", ServiceMetrics.Layer.disk.rawValue)]
        case .sourceBytes: [("layer", ServiceMetrics.Layer.source.rawValue)]
        default: []
        }
    }
}

extension ServiceMetrics {
    /// Help text of each metric.
    static var help: [String: String] {
        [
            "imagetool_requests_total": "Number of responses, including error responses.",
            "imagetool_request_seconds": "Time from receiving the request header to sending the response header.",
            "imagetool_cache_hits_total": "Number of cache lookups that found a fresh entry.",
            "imagetool_cache_misses_total": "Number of cache lookups that found no entry or a stale entry.",
            "imagetool_cache_bytes": "Total size of the entries of a cache in bytes.",
            "imagetool_coalesced_total": "Number of requests that shared a fetch, decode or render of another request.",
            "imagetool_rejected_total": "Number of rejected requests.",
            "imagetool_image_status_total":
                "Number of responses with an image of a truncated or damaged source (partial) or of a stale one.",
            "imagetool_cancelled_total":
                "Number of fetches and renders that were cancelled because all their clients disconnected.",
            "imagetool_fetch_seconds": "Duration of successful fetches from origins, including the body.",
            "imagetool_queue_seconds": "Waiting time of renders for a thread and for memory.",
            "imagetool_decode_seconds": "Duration of decoding and resampling, by source format.",
            "imagetool_render_seconds": "Duration of filters and encoding, by result format.",
            "imagetool_encodes_total": "Number of encoded files, including those that are not sent, by format.",
            "imagetool_encoded_bytes_total": "Total size of the encoded files in bytes, by format.",
            "imagetool_queue_depth": "Number of waiting renders.",
            "imagetool_inflight_bytes": "Bytes reserved for running renders and for POST bodies.",
            "imagetool_inflight_bytes_limit": "Maximum value of `imagetool_inflight_bytes`.",
            "imagetool_open_connections": "Number of open client connections.",
            "imagetool_queued_response_bytes":
                "Total size of the results that clients have not received completely in bytes.",
            "imagetool_live_bitmap_bytes": "Total size of all allocated bitmaps in bytes.",
            "imagetool_decode_workers": "Number of worker processes, by state.",
            "imagetool_decode_workers_ended_total": "Number of ended worker processes, by reason.",
            "imagetool_decode_worker_requests_total": "Number of requests to worker processes.",
            "imagetool_decode_worker_waits_total": "Number of requests that waited for a free worker process.",
            "imagetool_decode_worker_wait_seconds_total": "Sum of the times of these waits in seconds.",
            "imagetool_decode_refused_total":
                "Number of decodes that were refused because the file ended a worker process before.",
            "process_resident_memory_bytes": "Resident memory size in bytes.",
        ]
    }
}

/// Resident memory of the process.
enum ResidentMemory {
    /// Resident set size in bytes, read from `/proc/self/statm`; nil on systems without it.
    static var bytes: Int? {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        // Values in pages: virtual memory size, then resident set size.
        let fields = String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
