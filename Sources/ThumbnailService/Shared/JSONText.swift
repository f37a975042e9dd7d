#if Service
/// Text as JSON has it.
package enum JSONText {
    /// With its quotes (RFC 8259 §7); what is not ASCII is escaped too, so that no reader can take it for something
    /// else.
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

    /// What stands between members and elements.
    enum Layout {
        /// No blanks.
        case compact
        /// A blank behind each comma and each colon.
        case spaced

        fileprivate var comma: String { self == .compact ? "," : ", " }
        fileprivate var colon: String { self == .compact ? ":" : ": " }
    }

    /// An array of values that are JSON already.
    static func array(_ elements: [String], _ layout: Layout = .compact) -> String {
        "[" + elements.joined(separator: layout.comma) + "]"
    }
}

/// A JSON object whose members keep their order.
struct JSONObjectText {
    private let layout: JSONText.Layout
    private var members: [String] = []

    init(_ layout: JSONText.Layout = .compact) { self.layout = layout }

    var object: String { "{" + members.joined(separator: layout.comma) + "}" }

    /// Adds a member with a value that is JSON already.
    mutating func add(_ key: String, raw value: String) { members.append("\"\(key)\"\(layout.colon)\(value)") }
    mutating func add(_ key: String, _ value: Int) { add(key, raw: String(value)) }
    mutating func add(_ key: String, _ value: Bool) { add(key, raw: String(value)) }
    mutating func add(_ key: String, _ value: String) { add(key, raw: JSONText.quoted(value)) }
}
#endif
