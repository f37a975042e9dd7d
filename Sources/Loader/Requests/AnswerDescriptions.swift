#if Loader
extension LoadError: CustomDebugStringConvertible, CustomReflectable {
    /// As ``description``.
    public var debugDescription: String { description }
    /// Has no children: the response may hold cookies.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension FailedResponse: CustomStringConvertible, CustomReflectable {
    /// Status, names of fields, and bytes of the body.
    public var description: String {
        "status \(status), \(body.count) bytes, source \(source), fields: \(fields.namesDescription)"
    }
    /// Has no children: the fields may hold cookies.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LoadedImage: CustomDebugStringConvertible, CustomReflectable {
    /// As ``description``.
    public var debugDescription: String { description }
    /// Has no children: the fields may hold cookies.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LoadedData: CustomStringConvertible, CustomReflectable {
    /// Bytes, source, freshness and status, in one line.
    public var description: String {
        "\(bytes.count) bytes from \(source), \(isFresh ? "fresh" : "not fresh"), status \(status)"
    }
    /// Has no children: the fields may hold cookies.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LoaderEvent: CustomStringConvertible {
    /// The event and the redacted URL, in one line.
    public var description: String { "\(kind)\(url.map { " \($0)" } ?? "")" }
}

extension LoadRecord: CustomStringConvertible {
    /// The result and the cost of the load, in one line.
    public var description: String {
        let end = outcome.map { "failed \($0)" } ?? "from \(source), \(isFresh ? "fresh" : "not fresh")"
        let status = status.map { ", status \($0)" } ?? ""
        return "\(content) \(url): \(end)\(status), \(attempts) requests, \(bytes) bytes, \(duration)"
    }
}
#endif
