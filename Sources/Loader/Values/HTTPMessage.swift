/// One HTTP request of a redirect chain.
public struct HTTPRequest: Hashable, Sendable {
    /// The request method; loaders always use `GET`.
    public var method: String
    /// An http or https URL without fragment and user information.
    public var url: String
    /// The fields in order. A transport adds Host, and Connection where the protocol requires it;
    /// `URLSessionTransport` adds more fields on Linux.
    public var fields: HeaderFields

    /// Creates a request from its parts.
    public init(method: String = "GET", url: String, fields: HeaderFields = [:]) {
        self.method = method
        self.url = url
        self.fields = fields
    }
}

/// The head of a final response.
public struct ResponseHead: Hashable, Sendable {
    /// The status code as received: 101 or 200...999.
    public var status: Int
    /// The fields as received, including connection-specific ones; values are bytes.
    public var fields: HeaderFields

    /// Creates a head from its parts.
    public init(status: Int, fields: HeaderFields) {
        self.status = status
        self.fields = fields
    }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method, the URL without user information and with its query masked, and the field names.
    public var description: String {
        "\(method) \(Redaction.masked(url))\(fields.lines.isEmpty ? "" : ", fields: \(fields.namesDescription)")"
    }
    /// Equal to ``description``.
    public var debugDescription: String { description }
    /// A mirror without children, so that `dump` shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ResponseHead: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the field names.
    public var description: String { "status \(status), fields: \(fields.namesDescription)" }
    /// Equal to ``description``.
    public var debugDescription: String { description }
    /// A mirror without children, so that `dump` shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
