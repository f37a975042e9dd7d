/// A JSON value whose members keep their order (RFC 8259).
package enum JSON {
    case null
    case bool(Bool)
    case integer(Int)
    /// Written with at most four digits after the point.
    case number(Double)
    /// As it was written where it was read.
    case numeral(String)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])

    /// ``null`` for nil.
    package static func optional(_ value: Int?) -> JSON { value.map { .integer($0) } ?? .null }
    package static func optional(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
    package static func optional(_ value: Double?) -> JSON { value.map { .number($0) } ?? .null }

    /// On one line.
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

    /// An array with each of its values on a line of its own.
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
            // Those from U+0080 on are lawful, and end a line for some readers.
            case _ where scalar.properties.generalCategory == .control || [0x2028, 0x2029].contains(scalar.value):
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
