#if Loader
// Addresses and fields hold passwords and tokens, and programs print values: every description in this module is one line
// with the address as `Redaction` shows it, and a mirror without children keeps reflection (`dump`) to the same line.

/// Addresses as logs and errors may show them: no user information, no fragment, and of the query only what is harmless.
public struct Redaction: Sendable {
    /// What is shown instead of a value.
    static let mark = "***"

    private let shownValue: @Sendable (_ name: String, _ value: String) -> String?

    /// A redaction that asks a hook about every value of a query.
    ///
    /// - Parameter shownValue: Gets the name and the value of a member of the query as they stand in the address, escapes
    ///   and all, and returns what to show; nil hides it. A member without `=` is a value without a name.
    public init(shownValue: @escaping @Sendable (_ name: String, _ value: String) -> String?) {
        self.shownValue = shownValue
    }

    /// Hides every value of a query and shows the names.
    public static var hidingQueryValues: Self { Self { _, _ in nil } }

    /// Shows queries as they are; for origins whose addresses hold no secret.
    public static var showingQueries: Self { Self { _, value in value } }

    /// The address as it may be shown. A control character is shown as `?`, so that an address is always one line.
    public func callAsFunction(_ url: String) -> String { Self.text(url, query: redacted) }

    /// The address without its query, for errors: `https://host/path?***`.
    static func shown(_ url: String) -> String { text(url) { _ in Array(mark.utf8) } }

    private static func text(_ url: String, query: ([UInt8]) -> [UInt8]) -> String {
        // Where no parser is sure of the parts, nobody knows where a password before an `@` begins.
        guard Origin(url) != nil || !url.utf8.contains(UInt8(ascii: "@")) else { return mark }
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
            let shown = shownValue(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
            return Array(name) + (equals == nil ? [] : [UInt8(ascii: "=")]) + (shown ?? Self.mark).utf8
        }
        return Array(members.joined(separator: "&".utf8))
    }
}
#endif
