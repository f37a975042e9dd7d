// URLs and fields contain passwords and tokens, and programs print values: every description in this module is one line
// with the URL masked by `Redaction`, and a mirror without children limits reflection (`dump`) to the same line.

/// Masks URLs for logs and errors: removes user information and fragment, and hides secret query values.
public struct Redaction: Sendable {
    /// The text that replaces a hidden value.
    static let mask = "***"

    private let shownValue: @Sendable (_ name: String, _ value: String) -> String?

    /// Creates a redaction that calls a closure for every query value.
    ///
    /// - Parameter shownValue: Receives the name and the value of a query parameter, still percent-encoded, and returns
    ///   the text to show; nil hides the value. A parameter without `=` is a value with an empty name.
    public init(shownValue: @escaping @Sendable (_ name: String, _ value: String) -> String?) {
        self.shownValue = shownValue
    }

    /// Hides all query values and shows the names.
    public static var hidingQueryValues: Self { Self { _, _ in nil } }

    /// Shows queries unchanged; for origins whose URLs contain no secrets.
    public static var showingQueries: Self { Self { _, value in value } }

    /// Returns the masked URL. Each control character is replaced by `?`, so that the result is one line.
    public func callAsFunction(_ url: String) -> String { Self.text(url, query: redacted) }

    /// Returns the URL with the complete query masked, for errors: `https://host/path?***`.
    static func masked(_ url: String) -> String { text(url) { _ in Array(mask.utf8) } }

    private static func text(_ url: String, query: ([UInt8]) -> [UInt8]) -> String {
        // If the URL does not parse, the start of a password before `@` is unknown: mask the complete URL.
        guard Origin(url) != nil || !url.utf8.contains(UInt8(ascii: "@")) else { return mask }
        var parts = URLReference(url.utf8)
        parts.fragment = nil
        parts.query = parts.query.map(query)
        if let authority = parts.authority, let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            parts.authority = Array(authority[(at + 1)...])
        }
        let scalars = String(decoding: parts.bytes, as: UTF8.self).unicodeScalars.map { scalar in
            let endsLine = scalar.properties.generalCategory == .control || [0x2028, 0x2029].contains(scalar.value)
            return endsLine ? "?" : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private func redacted(_ query: [UInt8]) -> [UInt8] {
        let members = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { member in
            let equals = member.firstIndex(of: UInt8(ascii: "="))
            let name = equals.map { member[..<$0] } ?? []
            let value = equals.map { member[($0 + 1)...] } ?? member
            guard !value.isEmpty else { return Array(member) }
            let visible = shownValue(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
            return Array(name) + (equals == nil ? [] : [UInt8(ascii: "=")]) + (visible ?? Self.mask).utf8
        }
        return Array(members.joined(separator: "&".utf8))
    }
}
