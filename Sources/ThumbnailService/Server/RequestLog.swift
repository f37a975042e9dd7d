import PlatformImage
import PlatformImageHTTPServer
import PlatformImageLoader
import Synchronization

/// Log line of a request. Every value is a number, is from a closed set, or is sanitized: no signature, query, user
/// information or control byte is logged (SV22 in Docs/service-security.md).
struct RequestLog {
    /// Nil for a method that the server does not know.
    let method: RequestMethod?
    let target: String
    let id: String
    let response: ServiceResponse
    let trace: RequestTrace
    let elapsed: Duration

    /// `debug` for health checks, which arrive every few seconds; `error` for status 5xx, except `warning` while the
    /// service shuts down. `warning` also for a result that lacks metadata which the request asked for, and for a
    /// result of a stale source. `info` for all other requests.
    var level: ServiceLog.Level {
        if response.isHealth { return .debug }
        if response.status >= 500 { return response.reason == .draining ? .warning : .error }
        return trace.facts.droppedMetadataBytes > 0 || trace.facts.staleReason != nil ? .warning : .info
    }

    var fields: [(name: String, value: ServiceLog.Value)] {
        let facts = trace.facts
        var line: [(name: String, value: ServiceLog.Value)] = []
        line.reserveCapacity(20)
        line.append(("request_id", .text(id)))
        line.append(("method", .text(method?.rawValue ?? "other")))
        line.append(("path", .text(LoggedTarget.text(target))))
        line.append(("dialect", .text(response.dialect.rawValue)))
        line.append(("status", .integer(response.status)))
        line.append(("bytes", .integer(method == .head ? 0 : response.body.count)))
        line.append(("ms", .number(elapsed.milliseconds)))
        if let reason = response.reason { line.append(("reason", .text(reason.rawValue))) }
        if let error = response.error ?? facts.staleReason {
            line.append(("code", .text(error.code)))
            line.append(("title", .text(error.message)))
            if let detail = error.detail { line.append(("detail", .text(detail))) }
        }
        if !response.imageStatus.isEmpty { line.append(("image_status", .text(response.imageStatus.text))) }
        if let provenance = response.provenance { line.append(("cache", .text(provenance.rawValue))) }
        if facts.isStoredFailure { line.append(("cache", .text("failure"))) }
        if let context = trace.context { line.append(("trace_id", .text(context.traceID))) }
        if let host = facts.sourceHost { line.append(("source_host", .text(host))) }
        if let source = facts.source {
            line.append(("source_width", .integer(source.width)))
            line.append(("source_height", .integer(source.height)))
            line.append(("source_bytes", .integer(source.bytes)))
        }
        if let result = facts.result {
            line.append(("width", .integer(result.width)))
            line.append(("height", .integer(result.height)))
        }
        if facts.droppedMetadataBytes > 0 {
            line.append(("metadata_dropped_bytes", .integer(facts.droppedMetadataBytes)))
        }
        let parts = [
            ("queue_ms", facts.queue), ("fetch_ms", facts.fetch), ("decode_ms", facts.decode),
            ("render_ms", facts.render),
        ]
        for (name, duration) in parts { if let duration { line.append((name, .number(duration.milliseconds))) } }
        return line
    }
}

extension RequestTrace.Facts {
    /// Normalized host of the source; nil for a source without a host.
    fileprivate var sourceHost: String? {
        guard let sourceURL else { return nil }
        do throws(ServiceError) { return try SourceTarget(sourceURL).host.description } catch { return nil }
    }
}

/// Request identifiers for logs and responses.
enum RequestIdentifier {
    /// The numbers of a process follow each other in an order that looks random; the first one is random. They tell
    /// requests apart and are no secret: a random number for each would cost a system call.
    private static let first = UInt64.random(in: 0 ... .max)
    private static let count = Atomic<UInt64>(0)

    /// Returns the client's identifier when it consists of 1 to 64 ASCII letters, digits and `._-`, otherwise a new
    /// one.
    static func of(_ identifier: String?) -> String {
        guard let identifier, (1...64).contains(identifier.utf8.count), identifier.utf8.allSatisfy(isPlain) else {
            return Hexadecimal.text(next())
        }
        return identifier
    }

    /// A number that no other request of the process has. It is a bijection of a counter (SplitMix64).
    static func next() -> UInt64 {
        var bits = first &+ count.wrappingAdd(1, ordering: .relaxed).newValue &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || "._-".utf8.contains(byte) }
}
