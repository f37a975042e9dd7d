/// JSON encoding of strings and arrays (RFC 8259).
package enum JSONText {
    /// Returns a quoted string (RFC 8259 §7). Characters outside ASCII are escaped too, so that the output does not
    /// depend on the reader's character encoding.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22: result += "\\\""
            case 0x5C: result += "\\\\"
            case 0x20...0x7E: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default: result += "\\u" + Hexadecimal.text(unit)
            }
        }
        return result + "\""
    }

    /// White space after separators.
    enum Layout {
        /// No white space.
        case compact
        /// A space after each comma and each colon.
        case spaced

        fileprivate var comma: String { self == .compact ? "," : ", " }
        fileprivate var colon: String { self == .compact ? ":" : ": " }
    }

    /// Returns an array of values that are already JSON.
    static func array(_ elements: [String], _ layout: Layout = .compact) -> String {
        "[" + elements.joined(separator: layout.comma) + "]"
    }
}

/// Builder of a JSON object that preserves the order of its members.
struct JSONObjectText {
    private let layout: JSONText.Layout
    private var members: [String] = []

    init(_ layout: JSONText.Layout = .compact) { self.layout = layout }

    var object: String { "{" + members.joined(separator: layout.comma) + "}" }

    /// Adds a member whose value is already JSON.
    mutating func add(_ key: String, raw value: String) { members.append("\"\(key)\"\(layout.colon)\(value)") }
    mutating func add(_ key: String, _ value: Int) { add(key, raw: String(value)) }
    mutating func add(_ key: String, _ value: Bool) { add(key, raw: String(value)) }
    mutating func add(_ key: String, _ value: String) { add(key, raw: JSONText.quoted(value)) }
}
