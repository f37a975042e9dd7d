import PlatformImage

/// A configuration merged from four sources, in order of precedence: options, environment, file, defaults.
public struct ResolvedConfiguration: Sendable {
    /// Source of a value.
    public enum Origin: String, Hashable, Sendable, CaseIterable {
        /// The default value.
        case standard = "default"
        /// The JSON file.
        case file
        /// An environment variable.
        case environment
        /// A command-line option.
        case option
    }

    /// A key with its value in the form of the environment; secrets are redacted.
    public struct Entry: Hashable, Sendable {
        /// Name of the key, such as `server.port`.
        public let key: String
        /// The value as text; may be empty, for example for an empty list.
        public let value: String
        /// Source of the value.
        public let origin: Origin
    }

    /// Configuration for a ``ThumbnailServer``.
    public private(set) var service: ServiceConfiguration
    /// All keys, in the order of the documentation.
    public let entries: [Entry]
    /// Warnings about ignored environment variables, one line of English each; usually empty.
    public let warnings: [String]

    /// Reads and checks all values, and reads the file of signing keys.
    ///
    /// - Parameters:
    ///   - options: Values from the command line.
    ///   - environment: Environment variables; only those with the prefix `IMAGETOOL_` are used. Unknown ones are
    ///     ignored, with a warning unless Kubernetes injects them for a Service.
    ///   - file: Path of a JSON file; nil for none.
    ///   - readsKeys: False does not read the file of signing keys, for a program that does not need the keys.
    /// - Throws: `internalFault` with a message for the operator. For an invalid value, the message contains the key
    ///   and the origin of the value.
    public init(
        options: ConfigurationOptions = .init(), environment: [String: String] = [:], file: String? = nil,
        readsKeys: Bool = true
    ) throws(ServiceError) {
        let json: [UInt8]?
        if let file { json = try ConfigurationFile.bytes(of: file) } else { json = nil }
        try self.init(options: options, environment: environment, json: json, path: file, readsKeys: readsKeys)
    }

    /// Merges the values of all sources.
    ///
    /// - Parameters:
    ///   - json: Content of the configuration file; nil without a file.
    ///   - path: Path of the file, for error messages.
    init(
        options: ConfigurationOptions = .init(), environment: [String: String] = [:], json: [UInt8]?,
        path: String? = nil, readsKeys: Bool = true
    ) throws(ServiceError) {
        let variables = EnvironmentVariables(environment)
        let file =
            try json.map { (json) throws(ServiceError) in try ConfigurationFile(json: json, path: path).values } ?? [:]

        var draft = ConfigurationDraft()
        var entries: [Entry] = []
        for key in ConfigurationKey.all {
            let found = try Self.texts(of: key, options.values, variables.values, file)
            if let found, let text = key.parse(&draft, found.texts) {
                let quoted = key.isSecret ? "" : " \"\(text)\""
                throw ServiceError(
                    .internalFault,
                    "\(Self.name(of: key, from: found.origin)): invalid value\(quoted); expected \(key.syntax)")
            }
            let value = key.joined(key.format(draft))
            entries.append(
                Entry(
                    key: key.name, value: key.isSecret && !value.isEmpty ? "<redacted>" : value,
                    origin: found?.origin ?? .standard))
        }
        if readsKeys, let path = draft.keysFile {
            draft.service.signing.keys =
                signingKeys(in: try ConfigurationFile.bytes(of: path)) + draft.service.signing.keys
        }
        warnings = variables.warnings + signingKeyWarnings(draft.service.signing.keys)
        service = draft.service
        self.entries = entries
    }

    /// Returns the value from the first source that contains the key; nil when no source contains it.
    private static func texts(
        of key: ConfigurationKey, _ options: [String: [String]], _ variables: [String: String],
        _ file: [String: [String]]
    ) throws(ServiceError) -> (texts: [String], origin: Origin)? {
        let found: (texts: [String], origin: Origin)
        if let texts = options[key.name] {
            found = (texts, .option)
        } else if let text = variables[key.environmentName] {
            return (key.split(text), .environment)
        } else if let texts = file[key.name] {
            found = (texts, .file)
        } else {
            return nil
        }
        guard !key.isSecret else {
            throw ServiceError(
                .internalFault,
                "\(name(of: key, from: found.origin)): this secret can only be set by the environment")
        }
        return found
    }

    private static func name(of key: ConfigurationKey, from origin: Origin) -> String {
        origin == .environment
            ? "\(key.name) (environment, \(key.environmentName))" : "\(key.name) (\(origin.rawValue))"
    }
}

extension ConfigurationKey {
    /// Rejects unknown keys.
    ///
    /// - Throws: `internalFault` with all names, when there are any.
    static func rejectUnknown(_ unknown: [String], from source: String) throws(ServiceError) {
        guard !unknown.isEmpty else { return }
        throw ServiceError(
            .internalFault, "\(source) contains unknown keys: \(unknown.sorted().joined(separator: ", "))")
    }
}

extension ResolvedConfiguration {
    /// All keys with their values and origins, one per line; secrets are redacted.
    public var report: String {
        let keyWidth = entries.map(\.key.count).max() ?? 0
        let originWidth = Origin.allCases.map(\.rawValue.count).max() ?? 0
        return entries.map { entry in
            let key = Self.padded(entry.key, to: keyWidth)
            let origin = Self.padded(entry.origin.rawValue, to: originWidth)
            return entry.value.isEmpty ? "\(key)  \(origin)\n" : "\(key)  \(origin)  \(Self.printable(entry.value))\n"
        }.joined()
    }

    /// Markdown table of the keys with their defaults, syntax and meanings.
    public static var documentation: String {
        let standard = ConfigurationDraft()
        let tableHeader = "| key | default | value | description |\n|---|---|---|---|\n"
        return ConfigurationKey.all.reduce(into: tableHeader) { text, key in
            let value = key.isSecret ? "" : key.joined(key.format(standard))
            let defaultText = key.defaultNote ?? (value.isEmpty ? "none" : "`\(value)`")
            text += "| `\(key.name)` | \(defaultText) | \(key.syntax) | \(key.description) |\n"
        }
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Replaces ASCII control characters, which a terminal could interpret, by `?`.
    private static func printable(_ text: String) -> String {
        String(decoding: text.utf8.map { $0.isASCIIControl ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    }
}
