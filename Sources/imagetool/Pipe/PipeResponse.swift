import PlatformImageLoader
import PlatformImageToolSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One response line of `imagetool pipe`.
struct PipeResponse: Sendable {
    /// Complete JSON object without the newline.
    let line: [UInt8]

    private init(_ id: String?, _ members: [(String, JSON)], body: [UInt8] = []) {
        // The id is JSON text already; `numeral` writes it unchanged.
        let members = [("id", id.map { JSON.numeral($0) } ?? .null)] + members
        var line = Array(JSON.object(members).text.utf8)
        if !body.isEmpty {
            // The body may be large, so its base64 text is appended as bytes, without a JSON value.
            line.removeLast()
            line += Array(",\"bodyBase64\":\"".utf8)
            line += Data(body).base64EncodedData()
            line += Array("\"}".utf8)
        }
        self.line = line
    }

    /// Response for an operation that succeeded.
    static func done(_ id: String?, _ members: [(String, JSON)] = []) -> Self {
        Self(id, [("ok", .bool(true))] + members)
    }

    /// Response for an operation that failed.
    static func failed(_ id: String?, _ reason: String) -> Self {
        Self(id, [("ok", .bool(false)), ("error", .string(reason))])
    }

    static func refused(_ id: String?, _ refusal: PipeRequest.Refusal) -> Self {
        switch refusal {
        case .malformed(let reason): failed(id, reason)
        case .unsupported: Self(id, [("unsupported", .bool(true))])
        }
    }

    static func removed(_ id: String?, _ report: RemovalReport) -> Self {
        done(id, [("count", .integer(report.count)), ("bytes", .integer(report.bytes))])
    }

    static func loaded(_ id: String?, _ outcome: LoadOutcome) -> Self {
        var members: [(String, JSON)] = [
            ("status", .integer(outcome.status)), ("source", .string(outcome.source.rawValue)),
            ("headers", outcome.fields.map(json) ?? .null),
        ]
        if let error = outcome.error { members.append(("error", .string(error.description))) }
        return Self(id, members, body: outcome.bytes)
    }

    private static func json(_ fields: HeaderFields) -> JSON {
        .array(fields.lines.map { .array([.string($0.name), .string($0.text)]) })
    }
}
