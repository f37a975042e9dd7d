/// An option with a value: `--name value`, `--name=value`, `-n value` or `-n=value`.
@propertyWrapper
package struct Option<Value: Sendable>: Sendable, ArgumentProperty {
    private var value: ArgumentValue<Value>
    private let name: NameSpecification

    package var wrappedValue: Value {
        get { value.cell.value }
        set { value.cell = ArgumentCell(newValue) }
    }

    private init(_ value: ArgumentValue<Value>, _ name: NameSpecification) {
        self.value = value
        self.name = name
    }

    func declare(name property: String, in set: inout ArgumentSet) {
        set.add(value.definition(.option, names: name.names(ofProperty: property), property: property))
    }
}

extension Option {
    /// An option with a default.
    package init(
        wrappedValue: Value, name: NameSpecification = .long, help: ArgumentHelp? = nil
    ) where Value: ExpressibleByArgument {
        self.init(
            ArgumentValue(wrappedValue, help, defaultText: wrappedValue.defaultText, texts: Value.allValueTexts) {
                text, _ in Value(argument: text)
            }, name)
    }

    /// A required option.
    package init(
        name: NameSpecification = .long, help: ArgumentHelp? = nil
    ) where Value: ExpressibleByArgument {
        self.init(ArgumentValue(nil, help, texts: Value.allValueTexts) { text, _ in Value(argument: text) }, name)
    }

    /// An option whose value is `nil` when it is missing.
    package init<Wrapped: ExpressibleByArgument>(
        name: NameSpecification = .long, help: ArgumentHelp? = nil
    ) where Value == Wrapped? {
        self.init(
            ArgumentValue(.some(nil), help, texts: Wrapped.allValueTexts) { text, _ in
                Wrapped(argument: text).map { .some($0) }
            }, name)
    }

    /// An option that may be repeated.
    package init<Element: ExpressibleByArgument>(
        wrappedValue: [Element], name: NameSpecification = .long, help: ArgumentHelp? = nil
    ) where Value == [Element] {
        self.init(.list(wrappedValue, help), name)
    }

    /// A required option that may be repeated.
    package init<Element: ExpressibleByArgument>(
        name: NameSpecification = .long, help: ArgumentHelp? = nil
    ) where Value == [Element] {
        self.init(.list(nil, help), name)
    }

    /// An option with a default and an own conversion.
    ///
    /// - Parameter transform: Throws `ValidationError` for a text that is not a valid value.
    package init(
        wrappedValue: Value, name: NameSpecification = .long, help: ArgumentHelp? = nil,
        transform: @escaping @Sendable (String) throws -> Value
    ) {
        self.init(ArgumentValue(wrappedValue, help) { text, _ in try transform(text) }, name)
    }

    /// An option with an own conversion, whose value is `nil` when it is missing.
    ///
    /// - Parameter transform: Throws `ValidationError` for a text that is not a valid value.
    package init<Wrapped>(
        name: NameSpecification = .long, help: ArgumentHelp? = nil,
        transform: @escaping @Sendable (String) throws -> Wrapped
    ) where Value == Wrapped? {
        self.init(ArgumentValue(.some(nil), help) { text, _ in .some(try transform(text)) }, name)
    }
}

/// A positional argument.
@propertyWrapper
package struct Argument<Value: Sendable>: Sendable, ArgumentProperty {
    private var value: ArgumentValue<Value>

    package var wrappedValue: Value {
        get { value.cell.value }
        set { value.cell = ArgumentCell(newValue) }
    }

    func declare(name property: String, in set: inout ArgumentSet) {
        set.add(value.definition(.positional, names: [], property: property))
    }
}

extension Argument {
    /// A required argument.
    package init(help: ArgumentHelp? = nil) where Value: ExpressibleByArgument {
        value = ArgumentValue(nil, help, texts: Value.allValueTexts) { text, _ in Value(argument: text) }
    }

    /// All remaining arguments, at least one.
    package init<Element: ExpressibleByArgument>(help: ArgumentHelp? = nil) where Value == [Element] {
        value = .list(nil, help)
    }

    /// All remaining arguments; there may be none.
    package init<Element: ExpressibleByArgument>(
        wrappedValue: [Element], help: ArgumentHelp? = nil
    ) where Value == [Element] {
        value = .list(wrappedValue, help)
    }
}

/// An option without a value.
@propertyWrapper
package struct Flag<Value: Sendable>: Sendable, ArgumentProperty {
    /// One flag: its names, its help and the value that it stores.
    private struct Choice: Sendable {
        let names: @Sendable (_ property: String) -> [ArgumentName]
        let help: ArgumentHelp
        let value: Value
        /// True when another flag stored a value that excludes this one.
        let excludes: @Sendable (_ stored: Value) -> Bool
    }

    private var cell: ArgumentCell<Value>
    private let choices: [Choice]

    package var wrappedValue: Value {
        get { cell.value }
        set { cell = ArgumentCell(newValue) }
    }

    func declare(name property: String, in set: inout ArgumentSet) {
        for choice in choices {
            let cell = cell
            set.add(
                ArgumentDefinition(
                    form: .flag, names: choice.names(property), help: choice.help, valueName: "",
                    store: { _, name in
                        if let stored = cell.stored, choice.excludes(stored.value) {
                            throw ExclusiveFlags(used: name?.text ?? "", previous: stored.name)
                        }
                        cell.store(choice.value, by: name)
                        return true
                    }, isStored: { cell.stored != nil }))
        }
    }
}

extension Flag {
    /// A flag that is false by default.
    package init(
        wrappedValue: Bool, name: NameSpecification = .long, help: ArgumentHelp? = nil
    ) where Value == Bool {
        cell = ArgumentCell(wrappedValue)
        choices = [
            Choice(
                names: { name.names(ofProperty: $0) }, help: help ?? ArgumentHelp(), value: true,
                excludes: { _ in false })
        ]
    }

    /// One flag for each case of an enum; the value is `nil` when none is used.
    package init<Choices: EnumerableFlag>(exclusivity: FlagExclusivity) where Value == Choices? {
        cell = ArgumentCell(.some(nil))
        choices = Choices.allCases.map { value in
            Choice(
                names: { _ in Choices.name(for: value).names(ofProperty: "\(value)") },
                help: Choices.help(for: value) ?? ArgumentHelp(), value: value, excludes: { $0 != value })
        }
    }
}

/// Treatment of several flags of one enum.
package enum FlagExclusivity: Sendable {
    /// A second, different flag is an error.
    case exclusive
}

/// Two flags of one enum were used.
struct ExclusiveFlags: Error {
    let used: String
    let previous: String
}

/// The arguments of another type, declared in one place and used by several commands.
@propertyWrapper
package struct OptionGroup<Value: ParsableArguments>: ArgumentProperty {
    package var wrappedValue: Value

    package init() { wrappedValue = Value() }

    func declare(name: String, in set: inout ArgumentSet) {
        let value = wrappedValue
        set.add(value)
        set.checks.append(
            .group {
                var value = value
                try value.validate()
            })
    }
}

extension OptionGroup: Sendable where Value: Sendable {}

/// Value, help and conversion of an option or positional argument.
struct ArgumentValue<Value: Sendable>: Sendable {
    var cell: ArgumentCell<Value>
    private let help: ArgumentHelp
    private let defaultText: String?
    private let texts: [String]
    private let isRequired: Bool
    private let isRepeating: Bool
    /// Converts a text; receives the value that an earlier argument stored. Returns `nil` for an invalid text.
    private let convert: @Sendable (_ text: String, _ stored: Value?) throws -> Value?

    /// - Parameter value: The default; `nil` for a required argument.
    init(
        _ value: Value?, _ help: ArgumentHelp?, defaultText: String? = nil, texts: [String] = [],
        isRepeating: Bool = false, convert: @escaping @Sendable (_ text: String, _ stored: Value?) throws -> Value?
    ) {
        cell = ArgumentCell(value)
        self.help = help ?? ArgumentHelp()
        self.defaultText = defaultText
        self.texts = texts
        isRequired = value == nil
        self.isRepeating = isRepeating
        self.convert = convert
    }

    /// A list to which each argument adds an element.
    static func list<Element: ExpressibleByArgument>(
        _ value: Value?, _ help: ArgumentHelp?
    ) -> Self where Value == [Element] {
        Self(value, help, texts: Element.allValueTexts, isRepeating: true) { text, stored in
            Element(argument: text).map { (stored ?? []) + [$0] }
        }
    }

    func definition(
        _ form: ArgumentDefinition.Form, names: [ArgumentName], property: String
    ) -> ArgumentDefinition {
        let (cell, convert) = (cell, convert)
        var definition = ArgumentDefinition(
            form: form, names: names, help: help, valueName: "", defaultText: defaultText, values: texts,
            isRequired: isRequired, isRepeating: isRepeating,
            store: { text, name in
                guard let value = try convert(text, cell.stored?.value) else { return false }
                cell.store(value, by: name)
                return true
            }, isStored: { cell.stored != nil })
        definition.valueName = help.valueName ?? definition.preferredName?.bare ?? property.dashed
        return definition
    }
}
