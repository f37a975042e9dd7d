import PlatformImage
import Synchronization

/// One declared option, flag or positional argument.
struct ArgumentDefinition {
    enum Form { case option, flag, positional }

    let form: Form
    /// Empty for a positional argument.
    var names: [ArgumentName] = []
    var help = ArgumentHelp()
    /// Placeholder of the value, without `<` and `>`.
    var valueName: String
    /// Default in the help; `nil` when there is none to print.
    var defaultText: String?
    /// Listed values of an enum.
    var values: [String] = []
    var isRequired = false
    var isRepeating = false
    /// Stores a value; receives the text and the name that was used.
    ///
    /// Returns false when the text is not a valid value; throws the reason when there is one.
    let store: (_ text: String, _ name: ArgumentName?) throws -> Bool
    /// True when a value was stored since the property was created.
    let isStored: () -> Bool

    /// The name for messages and the usage: the first that is not short.
    var preferredName: ArgumentName? { names.first { !$0.isShort } ?? names.first }

    /// The argument in messages, with the name that was used: `--jobs <jobs>` or `<files> ...`.
    ///
    /// A hidden argument is named without the placeholder.
    func title(_ used: ArgumentName? = nil) -> String {
        let placeholder = "<\(valueName)>"
        guard let name = used ?? preferredName else { return isRepeating ? placeholder + " ..." : placeholder }
        return form == .flag || help.isHidden ? name.text : "\(name.text) \(placeholder)"
    }
}

/// The arguments that a type declares, and the checks that follow parsing, in the order of the properties.
struct ArgumentSet {
    enum Check {
        case required(ArgumentDefinition)
        case group(() throws -> Void)
    }

    var definitions: [ArgumentDefinition] = []
    var checks: [Check] = []

    /// The arguments of a value; parsing stores into the properties of this value.
    init(_ value: any ParsableArguments) { add(value) }

    mutating func add(_ value: any ParsableArguments) {
        for child in Mirror(reflecting: value).children {
            // The storage of a property with a wrapper is named `_property`.
            guard let property = child.value as? any ArgumentProperty, let label = child.label else { continue }
            property.declare(name: String(label.drop { $0 == "_" }), in: &self)
        }
    }

    mutating func add(_ definition: ArgumentDefinition) {
        definitions.append(definition)
        if definition.isRequired { checks.append(.required(definition)) }
    }

    func definition(named name: ArgumentName) -> ArgumentDefinition? {
        definitions.first { $0.names.contains(name) }
    }
}

/// A property wrapper that declares arguments.
protocol ArgumentProperty {
    func declare(name: String, in set: inout ArgumentSet)
}

/// Value of an argument. A class, because the parser stores values into properties that reflection returns as copies.
final class ArgumentCell<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        /// Name that the last stored value was given with, or `""` for a positional argument.
        var storedBy: String?
    }

    private let state: Mutex<State>

    init(_ value: Value?) { state = Mutex(State(value: value)) }

    var value: Value {
        guard let value = state.locked(in: self, { $0.value }) else {
            preconditionFailure("the value of a required argument is read before parsing")
        }
        return value
    }

    /// Stored value and the name that it was given with; `nil` when only the default is there.
    var stored: (value: Value, name: String)? {
        state.locked(in: self) { state in
            guard let value = state.value, let name = state.storedBy else { return nil }
            return (value, name)
        }
    }

    func store(_ value: Value, by name: ArgumentName?) {
        state.locked(in: self) { $0 = State(value: value, storedBy: name?.text ?? "") }
    }
}
