extension CacheKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without user information and with its query masked, for logs.
    public var description: String { Redaction.masked(url) }
    /// Equal to ``description``.
    public var debugDescription: String { description }
    /// A mirror without children: the URL may contain a token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension CacheEntry: CustomStringConvertible, CustomReflectable {
    /// The descriptions of the key and of the response, the number of consecutive errors and the status of the last
    /// one, in one line.
    public var description: String {
        let response = response.map { ", \($0)" } ?? ""
        let failure = failure.map { ", \($0.attempts) consecutive errors, last status \($0.status)" } ?? ""
        return "\(key)\(response)\(failure)"
    }
    /// A mirror without children, so that `dump` shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension StoredResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the names of the fields and of ``vary``, without values.
    public var description: String {
        "status \(status), fields: \(fields.namesDescription)"
            + (vary.isEmpty ? "" : ", varies by [\(vary.map(\.name).joined(separator: ", "))]")
    }
    /// A mirror without children: the fields may contain cookies.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension VaryValue: CustomStringConvertible, CustomReflectable {
    /// The field's name, and the mask instead of the value, which may be a credential.
    public var description: String { "\(name): \(value == nil ? "none" : Redaction.mask)" }
    /// A mirror without children, so that `dump` shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
