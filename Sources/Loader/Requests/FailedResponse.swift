#if Loader
/// The response that a failed load got or found stored, as far as it can be shown.
public struct FailedResponse: Hashable, Sendable {
    /// The origin's status, 200...999: a success too may be refused, for its type or its body.
    public let status: Int
    /// As the loader shows them: without those of the connection (RFC 9110 §7.6.1), with `Age` for a stored response.
    public let fields: HeaderFields
    /// The content, without its codings; empty when there was none, when it was refused before it was read, and when
    /// it has more than 65,536 bytes.
    public let body: [UInt8]
    /// `none` for a response that the origin sent, to this load or to the one whose failure is remembered; `disk` or
    /// `memory` for a stored one that answers without a request, such as an error within its own explicit freshness.
    public let source: LoadSource

    init(status: Int, fields: HeaderFields, body: [UInt8] = [], source: LoadSource = .none) {
        self.status = status
        self.fields = fields
        self.body = body.count <= CacheOutcome.maxErrorBodyBytes ? body : []
        self.source = source
    }

    /// The head of a response that came now, and its content.
    init(_ head: ResponseHead, body: [UInt8] = []) {
        self.init(status: head.status, fields: head.fields.removingConnectionFields(), body: body)
    }

    /// What remains of it while its failure is remembered in memory.
    var withoutBody: Self { Self(status: status, fields: fields, source: source) }
}

extension FailedResponse: CustomStringConvertible, CustomReflectable {
    /// Status, names of fields, and bytes of the body.
    public var description: String {
        "status \(status), \(body.count) bytes, source \(source), fields: \(fields.namesDescription)"
    }
    /// Has no children: the fields may hold cookies.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
