import HTTPTypes
import Logging
import PlatformImage

/// Log line of a request. Every value is a number, is from a closed set, or is sanitized: no signature, query, user
/// information or control byte is logged (SV22 in Docs/service-security.md).
struct RequestLog {
    let method: HTTPRequest.Method
    let target: String
    let id: String
    let response: ServiceResponse
    let trace: RequestTrace
    let elapsed: Duration

    /// `debug` for health checks, which arrive every few seconds; `info` for all other requests.
    var level: Logger.Level { response.isHealth ? .debug : .info }

    var metadata: Logger.Metadata {
        let facts = trace.facts
        var line: Logger.Metadata = [
            "request_id": "\(id)", "method": "\(Self.loggedName(method))", "path": "\(LoggedTarget.text(target))",
            "dialect": "\(response.dialect.rawValue)", "status": .number(response.status),
            "bytes": .number(method == .head ? 0 : response.body.count), "ms": .number(elapsed),
        ]
        if let reason = response.reason { line["reason"] = "\(reason.rawValue)" }
        if let provenance = response.provenance { line["cache"] = "\(provenance.rawValue)" }
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

    /// Name of the method; `other` for unknown methods, because a method can be any token.
    private static func loggedName(_ method: HTTPRequest.Method) -> String {
        switch method {
        case .get, .head, .post, .options, .put, .delete, .patch, .connect, .trace: method.rawValue
        default: "other"
        }
    }
}

extension RequestTrace.Facts {
    /// Normalized host of the source; nil for a source without a host.
    fileprivate var sourceHost: String? {
        guard let sourceURL else { return nil }
        do throws(ServiceError) { return try SourceTarget(sourceURL).host.description } catch { return nil }
    }
}

extension Logger.MetadataValue {
    fileprivate static func number(_ value: Int) -> Self { .stringConvertible(value) }
    fileprivate static func number(_ value: Duration) -> Self { .stringConvertible(value.milliseconds) }
}

/// Request identifiers for logs and responses.
enum RequestIdentifier {
    /// Returns the client's identifier when it consists of 1 to 64 ASCII letters, digits and `._-`, otherwise a random
    /// one.
    static func of(_ identifier: String?) -> String {
        guard let identifier, (1...64).contains(identifier.utf8.count), identifier.utf8.allSatisfy(isPlain) else {
            // One 64-bit number instead of eight bytes: each call to the generator is a system call.
            return Hexadecimal.text(UInt64.random(in: 0 ... .max))
        }
        return identifier
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || "._-".utf8.contains(byte) }
}
