/// Help of one option, flag or argument; a string literal is the abstract.
package struct ArgumentHelp: ExpressibleByStringInterpolation, Sendable {
    /// One or more sentences; empty for none.
    package var abstract: String
    /// Text below the abstract, in an own paragraph; empty for none.
    package var discussion: String
    /// Placeholder of the value; `nil` for the name of the option.
    package var valueName: String?
    var isHidden = false

    package init(_ abstract: String = "", discussion: String = "", valueName: String? = nil) {
        self.abstract = abstract
        self.discussion = discussion
        self.valueName = valueName
    }

    package init(stringLiteral abstract: String) { self.init(abstract) }

    /// For an argument that only `--help-hidden` lists.
    package static var hidden: Self {
        var help = Self()
        help.isHidden = true
        return help
    }
}

/// A value that can be created from an argument.
package protocol ExpressibleByArgument {
    /// Creates the value; `nil` when the text is not a valid value.
    init?(argument: String)

    /// All valid texts, for the help and for completions; empty when there is no list.
    static var allValueTexts: [String] { get }

    /// Text of a default in the help.
    var defaultText: String { get }
}

extension ExpressibleByArgument {
    package static var allValueTexts: [String] { [] }
    package var defaultText: String { String(describing: self) }
}

extension ExpressibleByArgument where Self: RawRepresentable, RawValue == String {
    package init?(argument: String) { self.init(rawValue: argument) }
    package var defaultText: String { rawValue }
}

extension ExpressibleByArgument where Self: RawRepresentable & CaseIterable, RawValue == String {
    package static var allValueTexts: [String] { allCases.map(\.rawValue) }
}

extension String: ExpressibleByArgument {
    package init?(argument: String) { self = argument }
}

extension Int: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

extension Double: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

/// An enum whose cases are flags, of which one can be used.
package protocol EnumerableFlag: CaseIterable, Equatable, Sendable {
    static func name(for value: Self) -> NameSpecification
    static func help(for value: Self) -> ArgumentHelp?
}

extension EnumerableFlag {
    package static func name(for value: Self) -> NameSpecification { .long }
    package static func help(for value: Self) -> ArgumentHelp? { nil }
}
