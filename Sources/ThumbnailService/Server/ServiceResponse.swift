import PlatformImageHTTPServer

/// A response as a value: status, fields and body.
struct ServiceResponse: Sendable {
    var status: Int
    var fields: ResponseFields = [:]
    var body: [UInt8] = []
    /// Dialect of the target, for logs and metrics.
    var dialect = DialectName.none
    /// Error reason; nil when the response is not an error.
    var reason: ServiceError.Reason? { error?.reason }
    /// The error that the response reports; nil when the response is not an error.
    var error: ServiceError?
    var provenance: Provenance?
    /// Deviations of an image from the one that the target names; empty for none.
    var imageStatus: [ImageStatus] = []
    /// True for responses to health checks.
    var isHealth = false
    /// True when the connection is closed after this response.
    var closesConnection = false

    init(status: Int, fields: ResponseFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Creates an error response as `application/problem+json` (RFC 9457 §3), without addresses and paths.
    init(_ error: ServiceError, requestID: String, lifetimes: CacheLifetime.Settings) {
        self.init(status: error.status)
        self.error = error
        var problem = JSONObjectText()
        problem.add("status", error.status)
        problem.add("title", error.message)
        problem.add("reason", error.reason.rawValue)
        problem.add("code", error.code)
        if let detail = error.detail { problem.add("detail", detail) }
        problem.add("request_id", requestID)
        body = Array((problem.object + "\n").utf8)
        fields[.contentType] = "application/problem+json"
        fields[.cacheControl] = CacheLifetime(of: error, settings: lifetimes).cacheControl
        if let seconds = error.retryAfter { fields[.retryAfter] = String(seconds) }
        if error.reason == .draining { closesConnection = true }
    }
}

/// A part of the service that handles its targets itself, without a dialect, such as the gallery.
protocol RouteHandler: Sendable {
    /// Returns true for the targets of this part.
    func handles(_ target: String) -> Bool

    /// Returns the methods that one of these targets supports, for the field `Allow`.
    func supportedMethods(_ target: String) -> String

    /// Serves a request.
    ///
    /// - Throws: The error to respond with.
    func respond(to request: ServiceRequest) async throws(ServiceError) -> ServiceResponse
}

extension ServiceResponse {
    /// Adds the deviations of an image, as the field `X-Image-Status` when there are any.
    mutating func add(_ statuses: [ImageStatus]) {
        imageStatus += statuses
        if !imageStatus.isEmpty { fields[.imageStatus] = imageStatus.text }
    }

    /// Metric labels of the response.
    var labels: RequestLabels { RequestLabels(dialect, status: status, provenance) }

    /// Rejection metric of the response; nil when the request was not rejected.
    var rejection: ServiceMetrics.Rejection? { reason.flatMap(ServiceMetrics.Rejection.init) }
}

extension ServiceMetrics.Rejection {
    /// Maps an error reason to a rejection; nil for reasons that are not counted as rejections, for example a missing
    /// source, a damaged image or a failed origin.
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
