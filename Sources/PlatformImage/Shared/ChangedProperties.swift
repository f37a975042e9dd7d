/// Builds a one-line description `Name(property: value, ...)` of the properties that differ from their defaults.
package struct ChangedProperties {
    private let name: String
    private var parts: [String] = []

    /// - Parameter name: The displayed name of the type.
    package init(of name: String) { self.name = name }

    /// Adds a part without a label.
    package mutating func add(_ part: String) { parts.append(part) }

    /// Adds a property unless it has its default.
    package mutating func add<Value: Equatable>(_ label: String, _ value: Value, default: Value) {
        if value != `default` { parts.append("\(label): \(value)") }
    }

    /// Adds a property unless it has its default; a nil value is printed as `nil`.
    package mutating func add<Value: Equatable>(_ label: String, _ value: Value?, default: Value?) {
        if value != `default` { parts.append("\(label): \(value.map { "\($0)" } ?? "nil")") }
    }

    /// Adds a property as custom text; nil adds nothing.
    package mutating func add(_ label: String, text: String?) {
        if let text { parts.append("\(label): \(text)") }
    }

    /// The description with all parts that were added.
    package var text: String { "\(name)(\(parts.joined(separator: ", ")))" }
}
