#if Service
/// The text format 0.0.4 of Prometheus, as it grows.
struct PrometheusText: Sendable {
    enum Kind: String, Sendable { case counter, gauge, histogram, summary }

    private(set) var text = ""

    /// The lines that stand before the metrics of one name.
    mutating func begin(_ name: String, _ kind: Kind, help: String?) {
        if let help { text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n" }
        text += "# TYPE \(name) \(kind.rawValue)\n"
    }

    /// One sample.
    ///
    /// - Parameters:
    ///   - name: As from ``name(_:)``.
    ///   - labels: As from ``labels(_:)``.
    mutating func add(_ name: String, _ labels: String, _ value: String) {
        text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    /// A name of a metric: letters, digits, `_` and `:`, no digit first.
    static func name(_ text: String) -> String { word(text, colons: true) }

    /// Labels in one order, as they stand between braces. Of two with one name the first holds.
    static func labels(_ dimensions: [(String, String)]) -> String {
        var labels: [String: String] = [:]
        for (name, value) in dimensions {
            var name = word(name, colons: false)
            // Bounds of histograms and quantiles of summaries have these; a label of the same name would be one too many.
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

    /// Line feeds and backslashes escaped, and quotes where they end a value.
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
#endif
