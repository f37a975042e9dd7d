/// JSON value (RFC 8259); objects keep the order of their members.
package enum JSON {
    case null
    case bool(Bool)
    case integer(Int)
    /// Number that is written with at most four decimals; infinity and NaN are written as `null`.
    case number(Double)
    /// Number as its JSON text, such as the text that ``JSONReader`` has parsed.
    case numeral(String)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])

    /// Converts an optional value; `nil` becomes ``null``.
    package static func optional(_ value: Int?) -> JSON { value.map { .integer($0) } ?? .null }
    package static func optional(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
    package static func optional(_ value: Double?) -> JSON { value.map { .number($0) } ?? .null }

    /// Compact JSON text on one line.
    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): String(value)
        case .integer(let value): String(value)
        case .number(let value): value.isFinite ? String((value * 10_000).rounded() / 10_000) : "null"
        case .numeral(let text): text
        case .string(let value): Self.quoted(value)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(Self.quoted($0)):\($1.text)" }.joined(separator: ",") + "}"
        }
    }

    /// JSON array with one value per line.
    package static func lines(_ values: [JSON]) -> String {
        values.isEmpty ? "[]\n" : "[\n" + values.map { "  " + $0.text }.joined(separator: ",\n") + "\n]\n"
    }

    private static func quoted(_ string: String) -> String {
        var result = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            // Control characters from U+0080 on may occur unescaped in JSON, but some readers treat U+0085 as a line
            // end.
            case _ where scalar.properties.generalCategory == .control || [0x2028, 0x2029].contains(scalar.value):
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
