#if Service
import HTTPTypes
import Logging
import PlatformImage

/// The log line of a request. Every value is a number, comes from a closed set, or was checked to be harmless: no
/// signature, no query, no user information and no control byte gets into it (SERVICE.md SV22).
struct RequestLog {
    let method: HTTPRequest.Method
    let target: String
    let id: String
    let answer: ServiceAnswer
    let trace: RequestTrace
    let elapsed: Duration

    /// Health is asked for every few seconds, and seldom news.
    var level: Logger.Level { answer.isHealth ? .debug : .info }

    var metadata: Logger.Metadata {
        let facts = trace.facts
        var line: Logger.Metadata = [
            "request_id": "\(id)", "method": "\(Self.known(method))", "path": "\(LoggedTarget.text(target))",
            "dialect": "\(answer.dialect.rawValue)", "status": .number(answer.status),
            "bytes": .number(method == .head ? 0 : answer.body.count), "ms": .number(elapsed),
        ]
        if let reason = answer.reason { line["reason"] = "\(reason.rawValue)" }
        if let provenance = answer.provenance { line["cache"] = "\(provenance.rawValue)" }
        if let context = trace.context { line["trace_id"] = "\(context.traceID)" }
        if let host = facts.sourceHost { line["source_host"] = "\(host)" }
        if let source = facts.source {
            line["source_width"] = .number(source.width)
            line["source_height"] = .number(source.height)
            line["source_bytes"] = .number(source.bytes)
        }
        if let result = facts.result {
            line["width"] = .number(result.width)
            line["height"] = .number(result.height)
        }
        let parts = [
            ("queue_ms", facts.queue), ("fetch_ms", facts.fetch), ("decode_ms", facts.decode),
            ("render_ms", facts.render),
        ]
        for (name, duration) in parts { line[name] = duration.map { .number($0) } }
        return line
    }

    /// A method may be any word.
    private static func known(_ method: HTTPRequest.Method) -> String {
        switch method {
        case .get, .head, .post, .options, .put, .delete, .patch, .connect, .trace: method.rawValue
        default: "other"
        }
    }
}

extension RequestTrace.Facts {
    /// The host of the source as it is vetted; nil for a source without one.
    fileprivate var sourceHost: String? {
        guard let sourceURL else { return nil }
        do throws(ServiceError) { return try SourceTarget(sourceURL).host.description } catch { return nil }
    }
}

extension Logger.MetadataValue {
    fileprivate static func number(_ value: Int) -> Self { .stringConvertible(value) }
    fileprivate static func number(_ value: Duration) -> Self { .stringConvertible(value.milliseconds) }
}

/// What a request is called in logs and answers.
enum RequestIdentifier {
    /// The client's own name for it when that is harmless, else a new one.
    static func of(_ given: String?) -> String {
        guard let given, (1...64).contains(given.utf8.count), given.utf8.allSatisfy(isPlain) else {
            // One number and not eight bytes: each is a call of the system.
            return Hexadecimal.text(UInt64.random(in: 0 ... .max))
        }
        return given
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || "._-".utf8.contains(byte) }
}
#endif
