/// The network or stored response that a load failed with.
public struct FailedResponse: Hashable, Sendable {
    /// HTTP status, 200...999; a response with a success status can be rejected too, for its content type or its body.
    public let status: Int
    /// Header fields without connection-specific ones (RFC 9110 §7.6.1), with `Age` for a stored response.
    public let fields: HeaderFields
    /// The content without its content codings. Empty when there was none, when the response was rejected before its
    /// body was read, and when the content has more than 65,536 bytes.
    public let body: [UInt8]
    /// `none` for a response that the origin sent to this load or to the load whose failure is cached; `disk` or
    /// `memory` for a stored response that was used without a request, such as an error with explicit freshness.
    public let source: LoadSource

    init(status: Int, fields: HeaderFields, body: [UInt8] = [], source: LoadSource = .none) {
        self.status = status
        self.fields = fields
        self.body = body.count <= CacheOutcome.maxErrorBodyBytes ? body : []
        self.source = source
    }

    /// A network response.
    init(_ head: ResponseHead, body: [UInt8] = []) {
        self.init(status: head.status, fields: head.fields.removingConnectionFields(), body: body)
    }

    /// The response without its body, for the cache of failures in memory.
    var withoutBody: Self { Self(status: status, fields: fields, source: source) }
}

extension FailedResponse: CustomStringConvertible, CustomReflectable {
    /// Status, body size, source and the names of the fields.
    public var description: String {
        "status \(status), \(body.count) bytes, source \(source), fields: \(fields.namesDescription)"
    }
    /// A mirror without children: the fields may contain cookies.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
