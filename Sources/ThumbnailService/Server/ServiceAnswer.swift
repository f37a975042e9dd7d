#if Service
import HTTPTypes
import NIOCore

/// An answer before it is a response of any server: status, fields and body.
struct ServiceAnswer: Sendable {
    var status: Int
    var fields: HTTPFields = [:]
    var body: [UInt8] = []
    /// For the log and for metrics.
    var dialect = DialectName.none
    /// Nil for an answer that is none of an error.
    var reason: ServiceError.Reason?
    var provenance: Provenance?
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
        var problem = JSONObjectText()
        problem.add("status", error.status)
        problem.add("title", error.message)
        problem.add("reason", error.reason.rawValue)
        problem.add("request_id", requestID)
        body = Array((problem.object + "\n").utf8)
        fields[.contentType] = "application/problem+json"
        fields[.cacheControl] = CacheLifetime(of: error, settings: lifetimes).cacheControl
        if let seconds = error.retryAfter { fields[.retryAfter] = String(seconds) }
        if error.reason == .draining { closesConnection = true }
    }
}

/// A part of the service with targets of its own, which no dialect reads; the gallery is one.
protocol RouteHandler: Sendable {
    /// True for the targets of this part.
    func owns(_ target: String) -> Bool

    /// - Throws: The error that is the answer.
    func answer(_ head: HTTPRequest) async throws(ServiceError) -> ServiceAnswer
}

extension ServiceAnswer {
    /// The labels under which the answer is counted.
    var labels: RequestLabels { RequestLabels(dialect, status: status, provenance) }

    /// Why the answer turned its request away; nil for one that turned nobody away.
    var rejection: ServiceMetrics.Rejection? { reason.flatMap(ServiceMetrics.Rejection.init) }
}

extension ServiceMetrics.Rejection {
    /// Nil for an error that turns nobody away: no such source, a broken picture, an origin that failed.
    init?(_ reason: ServiceError.Reason) {
        switch reason {
        case .overloaded: self = .queue
        case .tooLarge: self = .bytes
        case .clientLimit: self = .client
        case .deadline: self = .deadline
        case .hostRefused, .portRefused, .schemeRefused, .addressRefused: self = .address
        case .badSignature, .unsafeNotAllowed, .queryRefused: self = .signature
        case .limit: self = .limit
        default: return nil
        }
    }
}
#endif
