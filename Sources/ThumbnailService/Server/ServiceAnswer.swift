#if Service
import HTTPTypes
import NIOCore

/// An answer before it is a response of any server: status, fields and body.
struct ServiceAnswer: Sendable {
    var status: Int
    var fields: HTTPFields = [:]
    var body: [UInt8] = []
    /// For the log and for metrics.
    var dialect = Dialects.Name.none
    /// Nil for an answer that is none of an error.
    var reason: ServiceError.Reason?
    var provenance: ThumbnailEngine.Provenance?
    /// True for an answer about the service itself.
    var isHealth = false
    /// True when the connection ends with this answer.
    var closesConnection = false

    init(status: Int, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// An error as `application/problem+json` (RFC 9457 §3), without addresses and paths.
    init(_ error: ServiceError, requestID: String, lifetimes: CacheLifetime.Settings) {
        self.init(status: error.status)
        reason = error.reason
        body = Array(
            """
            {"status":\(error.status),"title":\(JSONText.quoted(error.message)),"reason":"\(error.reason.rawValue)",\
            "request_id":\(JSONText.quoted(requestID))}

            """.utf8)
        fields[.contentType] = "application/problem+json"
        fields[.cacheControl] = CacheLifetime(of: error, settings: lifetimes).cacheControl
        if let seconds = error.retryAfter { fields[.retryAfter] = String(seconds) }
        if error.reason == .draining { closesConnection = true }
    }
}

extension HTTPField.Name {
    static let requestID = Self.known("X-Request-ID")
    static let cacheLayer = Self.known("X-Cache")
    static let forwardedFor = Self.known("X-Forwarded-For")
    static let frames = Self.known("X-Frames")
    static let ignoredFilters = Self.known("X-Ignored-Filters")
    static let serverTiming = Self.known("Server-Timing")
    static let link = Self.known("Link")

    static func known(_ name: String) -> Self {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is a name of a field") }
        return name
    }
}
#endif
