#if Loader
/// A request for one hop.
public struct HTTPRequest: Hashable, Sendable {
    /// `GET` in all that loaders do.
    public var method: String
    /// http or https, without a fragment and without user information.
    public var url: String
    /// In this order; a transport adds Host, and Connection where the protocol wants it, and nothing else.
    public var fields: HeaderFields

    /// A request of these parts.
    public init(method: String = "GET", url: String, fields: HeaderFields = [:]) {
        self.method = method
        self.url = url
        self.fields = fields
    }
}

/// The head of a final response.
public struct ResponseHead: Hashable, Sendable {
    /// 200...999, as received.
    public var status: Int
    /// As received, with the fields of the connection; values are bytes.
    public var fields: HeaderFields

    /// A head of these parts.
    public init(status: Int, fields: HeaderFields) {
        self.status = status
        self.fields = fields
    }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and address, without user information and with its query cut, and the names of its fields.
    public var description: String {
        "\(method) \(Redaction.shown(url))\(fields.lines.isEmpty ? "" : ", fields: \(fields.namesDescription)")"
    }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ResponseHead: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the names of its fields.
    public var description: String { "status \(status), fields: \(fields.namesDescription)" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
