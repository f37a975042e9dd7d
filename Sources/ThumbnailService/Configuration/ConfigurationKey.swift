#if Service
/// What the keys of a configuration fill in, and what none of its readers has to see.
struct ConfigurationDraft: Sendable {
    var service = ServiceConfiguration()
    /// The file of signing keys; nil for none.
    var keysFile: String?
}

/// A row of the one table of keys: what reads a configuration, what shows it and what its documentation is made of.
struct ConfigurationKey: Sendable {
    /// What a value is made of.
    enum Shape: Hashable, Sendable {
        /// One text.
        case one
        /// Texts: an array in a file, joined by commas elsewhere.
        case list
        /// Texts by name: an object in a file, `name=text` with blanks between elsewhere.
        case pairs
    }

    /// As a file names it, `server.port` for example.
    let name: String
    let shape: Shape
    /// What a value, or an element of a list, looks like.
    let syntax: String
    /// A sentence for the documentation.
    let meaning: String
    /// Takes the place of the default in the documentation where that is no fixed value.
    var standardNote: String?
    /// Comes from the environment alone, and is never shown.
    var isSecret = false
    /// Gives the text that cannot be read; nil when all is well.
    let read: @Sendable (inout ConfigurationDraft, [String]) -> String?
    /// Texts that are read as what the draft has.
    let show: @Sendable (ConfigurationDraft) -> [String]

    /// A key for one value.
    init<Value>(
        _ name: String, _ path: any WritableKeyPath<ConfigurationDraft, Value> & Sendable, _ form: ValueForm<Value>,
        _ meaning: String, note: String? = nil
    ) {
        self.init(name, shape: .one, syntax: form.syntax, meaning, note: note) { draft, texts in
            guard texts.count == 1, let value = form.read(texts[0]) else { return texts.joined(separator: ",") }
            draft[keyPath: path] = value
            return nil
        } show: { draft in
            [form.show(draft[keyPath: path])]
        }
    }

    /// A key for a value that may be missing.
    ///
    /// - Parameter none: What stands for no value; may be empty.
    init<Value>(
        _ name: String, optional path: any WritableKeyPath<ConfigurationDraft, Value?> & Sendable,
        _ form: ValueForm<Value>, none: String = "", _ meaning: String
    ) {
        self.init(name, path, form.optional(none: none), meaning)
    }

    /// A key for a list of values.
    init<Value>(
        _ name: String, each path: any WritableKeyPath<ConfigurationDraft, [Value]> & Sendable,
        _ form: ValueForm<Value>, _ meaning: String
    ) {
        self.init(name, shape: .list, syntax: "list of: " + form.syntax, meaning) { draft, texts in
            var values: [Value] = []
            for text in texts {
                guard let value = form.read(text) else { return text }
                values.append(value)
            }
            draft[keyPath: path] = values
            return nil
        } show: { draft in
            draft[keyPath: path].map(form.show)
        }
    }

    /// A key with rules of its own.
    init(
        _ name: String, shape: Shape, syntax: String, _ meaning: String, note: String? = nil,
        read: @escaping @Sendable (inout ConfigurationDraft, [String]) -> String?,
        show: @escaping @Sendable (ConfigurationDraft) -> [String]
    ) {
        self.name = name
        self.shape = shape
        self.syntax = syntax
        self.meaning = meaning
        standardNote = note
        self.read = read
        self.show = show
    }

    /// `IMAGETOOL_SERVER_PORT` for `server.port`.
    var environmentName: String {
        Self.environmentPrefix + name.uppercased().replacing(".", with: "_")
    }

    static let environmentPrefix = "IMAGETOOL_"

    /// The texts in one piece, as the environment and options take it.
    func joined(_ texts: [String]) -> String { texts.joined(separator: shape == .pairs ? " " : ",") }

    /// The opposite of ``joined(_:)``.
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
#endif
