#if Service
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
    case queueDepth, inFlightBytes, inFlightLimit, openConnections, liveBitmapBytes, residentBytes

    var name: String {
        switch self {
        case .memoryBytes, .diskBytes, .sourceBytes: "imagetool_cache_bytes"
        case .queueDepth: "imagetool_queue_depth"
        case .inFlightBytes: "imagetool_inflight_bytes"
        case .inFlightLimit: "imagetool_inflight_bytes_limit"
        case .openConnections: "imagetool_open_connections"
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
            "imagetool_requests_total": "Requests answered.",
            "imagetool_request_seconds": "From a request's head to its answer's.",
            "imagetool_cache_hits_total": "Look-ups that found something fresh.",
            "imagetool_cache_misses_total": "Look-ups that found nothing, or nothing fresh.",
            "imagetool_cache_bytes": "Bytes that a cache holds.",
            "imagetool_coalesced_total": "Requests that shared work which another one had begun.",
            "imagetool_rejected_total": "Requests turned away.",
            "imagetool_cancelled_total": "Work that ended because nobody wanted it any more.",
            "imagetool_fetch_seconds": "Fetches from origins, bodies included.",
            "imagetool_queue_seconds": "Waiting of renders for a thread and for memory.",
            "imagetool_decode_seconds": "Decoding and resampling, by format of the source.",
            "imagetool_render_seconds": "Filtering and encoding, by format of the result.",
            "imagetool_queue_depth": "Renders that wait.",
            "imagetool_inflight_bytes": "Bytes set aside for running renders.",
            "imagetool_inflight_bytes_limit": "Bytes that may be set aside.",
            "imagetool_open_connections": "Connections of clients.",
            "imagetool_live_bitmap_bytes": "Bytes of all bitmaps alive.",
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
#endif
