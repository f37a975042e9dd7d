#if Loader
extension CacheKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The address without user information and with its query cut, for logs.
    public var description: String { Redaction.shown(url) }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Has no children: the address may hold a token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension CacheEntry: CustomStringConvertible, CustomReflectable {
    /// The key's description, the response's status and the errors in a row, in one line.
    public var description: String {
        let response = response.map { ", \($0)" } ?? ""
        let failure = failure.map { ", \($0.attempts) errors in a row, the last of status \($0.status)" } ?? ""
        return "\(key)\(response)\(failure)"
    }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension StoredResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the names of the fields.
    public var description: String {
        "status \(status), fields: \(fields.namesDescription)"
            + (vary.isEmpty ? "" : ", varies by [\(vary.map(\.name).joined(separator: ", "))]")
    }
    /// Has no children: the fields may hold cookies.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension VaryValue: CustomStringConvertible, CustomReflectable {
    /// The field's name; its value may be a credential.
    public var description: String { "\(name): \(value == nil ? "none" : Redaction.mark)" }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
