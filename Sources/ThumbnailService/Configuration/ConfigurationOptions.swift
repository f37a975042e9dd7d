/// Configuration values from the command line, which take precedence over all other sources.
public struct ConfigurationOptions: Sendable {
    private(set) var values: [String: [String]] = [:]

    /// Creates an empty set of options.
    public init() {}

    /// Sets the value of a key, or the elements of a list.
    ///
    /// - Throws: `internalFault` for an unknown key, a key that is already set, and secrets.
    public mutating func set(_ name: String, _ texts: String...) throws(ServiceError) { try set(name, texts) }

    /// Sets the value of a key, or the elements of a list.
    ///
    /// - Throws: `internalFault` for an unknown key, a key that is already set, and secrets.
    public mutating func set(_ name: String, _ texts: [String]) throws(ServiceError) {
        guard let key = ConfigurationKey.named(name) else {
            throw ServiceError(.internalFault, "unknown configuration key \(name)")
        }
        guard !key.isSecret else {
            throw ServiceError(
                .internalFault, "\(name) is a secret and cannot be set by an option; use the environment")
        }
        guard values[name] == nil else {
            throw ServiceError(.internalFault, "the options set \(name) twice")
        }
        values[name] = texts
    }

    /// Sets the value from a text `key=value`; the value has the form that environment variables use.
    ///
    /// - Throws: `internalFault` for a text without `=`, and the errors of `set(_:_:)`.
    public mutating func set(assignment: String) throws(ServiceError) {
        guard let sign = assignment.firstIndex(of: "=") else {
            throw ServiceError(.internalFault, "\(assignment) does not have the form key=value")
        }
        let (name, text) = (String(assignment[..<sign]), String(assignment[assignment.index(after: sign)...]))
        try set(name, ConfigurationKey.named(name)?.split(text) ?? [text])
    }
}
