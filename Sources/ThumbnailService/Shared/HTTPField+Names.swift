import HTTPTypes

extension HTTPField.Name {
    static let requestID = Self.known("X-Request-ID")
    static let cacheLayer = Self.known("X-Cache")
    static let forwardedFor = Self.known("X-Forwarded-For")
    static let frames = Self.known("X-Frames")
    static let ignoredFilters = Self.known("X-Ignored-Filters")
    static let serverTiming = Self.known("Server-Timing")
    static let link = Self.known("Link")
    static let traceParent = Self.known("traceparent")
    static let traceState = Self.known("tracestate")

    /// Creates a field name from a literal; traps when it is invalid.
    static func known(_ name: String) -> Self {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is not a valid field name") }
        return name
    }
}
