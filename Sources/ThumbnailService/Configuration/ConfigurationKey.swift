/// The configuration while its keys are parsed: the service configuration, and values that are used only to compute it.
struct ConfigurationDraft: Sendable {
    var service: ServiceConfiguration
    /// Path of the file with signing keys; nil for none.
    var keysFile: String?

    /// The defaults of the keys: those of ``ServiceConfiguration``, except that sources are decoded in worker
    /// processes. A program that embeds the service need not contain the worker program; `imagetool` does.
    init() {
        service = ServiceConfiguration()
        service.decode.isIsolated = true
    }
}

/// A configuration key: its parser, its formatter and its documentation.
struct ConfigurationKey: Sendable {
    /// Structure of a value.
    enum Shape: Hashable, Sendable {
        /// A single text.
        case one
        /// A list of texts: an array in a file, comma-separated elsewhere.
        case list
        /// Texts by name: an object in a file, `name=text` separated by white space elsewhere.
        case pairs
    }

    /// Name in configuration files, such as `server.port`.
    let name: String
    let shape: Shape
    /// Syntax of a value, or of an element of a list, for documentation and errors.
    let syntax: String
    /// Sentence that describes the key in the documentation.
    let description: String
    /// Text for the documentation when the default is not a fixed value; nil shows the default value.
    var defaultNote: String?
    /// True for a value that is accepted from the environment only and is never shown.
    var isSecret = false
    /// Parses the texts and sets the value in the `ConfigurationDraft`. Returns the invalid text; nil on success.
    let parse: @Sendable (inout ConfigurationDraft, [String]) -> String?
    /// Formats the value that the `ConfigurationDraft` contains, as texts that ``parse`` accepts.
    let format: @Sendable (ConfigurationDraft) -> [String]

    /// Creates a key for a single value.
    init<Value>(
        _ name: String, _ path: any WritableKeyPath<ConfigurationDraft, Value> & Sendable, _ format: ValueFormat<Value>,
        _ description: String, note: String? = nil
    ) {
        self.init(name, shape: .one, syntax: format.syntax, description, note: note) { draft, texts in
            guard texts.count == 1, let value = format.parse(texts[0]) else { return texts.joined(separator: ",") }
            draft[keyPath: path] = value
            return nil
        } format: { draft in
            [format.format(draft[keyPath: path])]
        }
    }

    /// Creates a key for an optional value.
    ///
    /// - Parameter none: Text that represents nil; may be empty.
    init<Value>(
        _ name: String, optional path: any WritableKeyPath<ConfigurationDraft, Value?> & Sendable,
        _ format: ValueFormat<Value>, none: String = "", _ description: String
    ) {
        self.init(name, path, format.optional(none: none), description)
    }

    /// Creates a key for a list of values.
    init<Value>(
        _ name: String, each path: any WritableKeyPath<ConfigurationDraft, [Value]> & Sendable,
        _ format: ValueFormat<Value>, _ description: String
    ) {
        self.init(name, shape: .list, syntax: "list of: " + format.syntax, description) { draft, texts in
            var values: [Value] = []
            for text in texts {
                guard let value = format.parse(text) else { return text }
                values.append(value)
            }
            draft[keyPath: path] = values
            return nil
        } format: { draft in
            draft[keyPath: path].map(format.format)
        }
    }

    /// Creates a key with custom parsing.
    init(
        _ name: String, shape: Shape, syntax: String, _ description: String, note: String? = nil,
        parse: @escaping @Sendable (inout ConfigurationDraft, [String]) -> String?,
        format: @escaping @Sendable (ConfigurationDraft) -> [String]
    ) {
        self.name = name
        self.shape = shape
        self.syntax = syntax
        self.description = description
        defaultNote = note
        self.parse = parse
        self.format = format
    }

    /// Name of the environment variable, such as `IMAGETOOL_SERVER_PORT` for `server.port`.
    var environmentName: String {
        Self.environmentPrefix + name.uppercased().replacing(".", with: "_")
    }

    static let environmentPrefix = "IMAGETOOL_"

    /// Joins texts into the form for the environment and for options.
    func joined(_ texts: [String]) -> String { texts.joined(separator: shape == .pairs ? " " : ",") }

    /// Splits the form that ``joined(_:)`` produces.
    func split(_ text: String) -> [String] {
        switch shape {
        case .one: return [text]
        case .list:
            let texts = text.split(separator: ",", omittingEmptySubsequences: false).map { Self.trimmed($0) }
            return texts == [""] ? [] : texts
        case .pairs: return text.split(whereSeparator: \.isWhitespace).map(String.init)
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text.drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
