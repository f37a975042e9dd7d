/// Writer of the Prometheus text format 0.0.4.
struct PrometheusText: Sendable {
    enum Kind: String, Sendable { case counter, gauge, histogram, summary }

    private(set) var text = ""

    /// Writes the HELP and TYPE lines of a metric name.
    mutating func begin(_ name: String, _ kind: Kind, help: String?) {
        if let help { text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n" }
        text += "# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Writes one sample.
    ///
    /// - Parameters:
    ///   - name: A result of ``name(_:)``.
    ///   - labels: A result of ``labels(_:)``.
    mutating func add(_ name: String, _ labels: String, _ value: String) {
        text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    /// Returns a valid metric name: letters, digits, `_` and `:`, not beginning with a digit.
    static func name(_ text: String) -> String { word(text, colons: true) }

    /// Returns labels in the form between braces, sorted by name. Of two labels with the same name the first is used.
    static func labels(_ dimensions: [(String, String)]) -> String {
        var labels: [String: String] = [:]
        for (name, value) in dimensions {
            var name = word(name, colons: false)
            // `le` and `quantile` are reserved for histograms and summaries; a label with such a name would be a
            // duplicate.
            if name == "le" || name == "quantile" { name += "_" }
            if labels[name] == nil { labels[name] = escaped(value, quotes: true) }
        }
        return labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return Int64(exactly: value).map { String($0) } ?? String(value)
    }

    private static func word(_ text: String, colons: Bool) -> String {
        var result = text.unicodeScalars.map { scalar -> Character in
            let isKnown = scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            return isKnown || scalar == "_" || colons && scalar == ":" ? Character(scalar) : "_"
        }
        if result.first.map({ ("0"..."9").contains($0) }) ?? true { result.insert("_", at: 0) }
        return String(result)
    }

    /// Escapes line feeds and backslashes, and quotes in label values.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
