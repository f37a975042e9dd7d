import PlatformImage
import PlatformImageHTTPServer

/// Origins whose scripts may read responses (Fetch standard, CORS protocol). Credentials are never allowed.
struct CrossOriginPolicy: Hashable, Sendable {
    private enum Rule: Hashable {
        /// `server.allowOrigin` is not set: IIIF responses are readable for all origins, other responses for none.
        case standard
        case any
        case origins(Set<String>)
    }

    /// Fields of responses that scripts may read in addition to those that the Fetch standard always permits.
    static let exposedFields: [FieldName] = [
        .age, .cacheLayer, .contentDisposition, .eTag, .frames, .ignoredFilters, .imageStatus, .link, .requestID,
        .retryAfter, .serverTiming,
    ]
    private static let exposedFieldNames = exposedFields.map { "\($0)" }.joined(separator: ", ")
    /// Seconds for which a browser may store the answer to a preflight request.
    private static let maxAge = "86400"

    private let rule: Rule

    /// Creates a policy.
    ///
    /// - Parameter origins: `*` or origins; empty for the standard rule.
    /// - Throws: `internalFault` for a text that is neither.
    init(_ origins: [String]) throws(ServiceError) {
        var allowed: Set<String> = []
        for text in origins where text != "*" {
            guard let origin = WebOrigin.normalized(text) else {
                throw ServiceError(.internalFault, "server.allowOrigin: \(text) is neither an origin nor *")
            }
            allowed.insert(origin)
        }
        rule = origins.isEmpty ? .standard : origins.contains("*") ? .any : .origins(allowed)
    }

    /// True when `server.allowOrigin` is set.
    var isConfigured: Bool { rule != .standard }

    /// Returns the value of `Access-Control-Allow-Origin` that depends on the request: its origin, if it is in the list
    /// of origins. Nil otherwise.
    ///
    /// - Parameter origin: Returns the field `Origin` of the request; called only when there is a list.
    func listedOrigin(_ origin: () -> String?) -> String? {
        guard case .origins(let allowed) = rule, let origin = origin(), allowed.contains(origin) else { return nil }
        return origin
    }

    /// Adds the fields of a response that do not depend on the origin of its request.
    ///
    /// - Parameter isIIIF: True for a response to an IIIF target.
    func addFields(to response: inout ServiceResponse, isIIIF: Bool) {
        switch rule {
        case .standard:
            if isIIIF { response.fields[.accessControlAllowOrigin] = "*" }
        case .any:
            response.fields[.accessControlAllowOrigin] = "*"
            response.fields[.accessControlExposeHeaders] = Self.exposedFieldNames
        case .origins:
            let vary = response.fields[.vary]
            response.fields[.vary] = vary.map { $0 + ", Origin" } ?? "Origin"
            response.fields[.accessControlExposeHeaders] = Self.exposedFieldNames
        }
    }

    /// Adds the fields of the answer to a preflight request, for which the origin need not be checked: without
    /// `Access-Control-Allow-Origin`, browsers ignore them.
    func addPreflightFields(to response: inout ServiceResponse, methods: String) {
        response.fields[.accessControlAllowMethods] = methods
        response.fields[.accessControlAllowHeaders] = "*"
        if isConfigured { response.fields[.accessControlMaxAge] = Self.maxAge }
    }
}
