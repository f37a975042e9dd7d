#if Service
/// What a command line says, key by key: it wins over everything else.
public struct ConfigurationOptions: Sendable {
    private(set) var values: [String: [String]] = [:]

    /// Says nothing.
    public init() {}

    /// Gives a key a value, or a list its elements.
    ///
    /// - Throws: `internalFault` for a key that there is not, one that has a value already, and secrets.
    public mutating func set(_ name: String, _ texts: String...) throws(ServiceError) { try set(name, texts) }

    /// Gives a key a value, or a list its elements.
    ///
    /// - Throws: `internalFault` for a key that there is not, one that has a value already, and secrets.
    public mutating func set(_ name: String, _ texts: [String]) throws(ServiceError) {
        guard let key = ConfigurationKey.named(name) else {
            throw ServiceError(.internalFault, "there is no key \(name)")
        }
        guard !key.isSecret else {
            throw ServiceError(.internalFault, "\(name) comes from a file or the environment, never from an option")
        }
        guard values[name] == nil else {
            throw ServiceError(.internalFault, "the options give \(name) two values")
        }
        values[name] = texts
    }

    /// Reads `key=value`, as the environment would have the value.
    ///
    /// - Throws: `internalFault` for a text without `=`, and for what `set(_:_:)` refuses.
    public mutating func set(assignment: String) throws(ServiceError) {
        guard let sign = assignment.firstIndex(of: "=") else {
            throw ServiceError(.internalFault, "\(assignment) is not key=value")
        }
        let (name, text) = (String(assignment[..<sign]), String(assignment[assignment.index(after: sign)...]))
        try set(name, ConfigurationKey.named(name)?.split(text) ?? [text])
    }
}
#endif
