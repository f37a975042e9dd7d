#if Service
extension ResolvedConfiguration {
    /// Every key with its value and its origin, a line each; secrets are left out.
    public var report: String {
        let keyWidth = entries.map(\.key.count).max() ?? 0
        let originWidth = Origin.allCases.map(\.rawValue.count).max() ?? 0
        return entries.map { entry in
            let key = Self.padded(entry.key, to: keyWidth)
            let origin = Self.padded(entry.origin.rawValue, to: originWidth)
            return entry.value.isEmpty ? "\(key)  \(origin)\n" : "\(key)  \(origin)  \(Self.printable(entry.value))\n"
        }.joined()
    }

    /// The keys with their defaults, forms and meanings as a table in Markdown.
    public static var documentation: String {
        let standard = ConfigurationDraft()
        let head = "| key | default | takes | meaning |\n|---|---|---|---|\n"
        return ConfigurationKey.all.reduce(into: head) { text, key in
            let value = key.isSecret ? "" : key.joined(key.show(standard))
            let shown = key.standardNote ?? (value.isEmpty ? "none" : "`\(value)`")
            text += "| `\(key.name)` | \(shown) | \(key.syntax) | \(key.meaning) |\n"
        }
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Without what would be a command to a terminal.
    private static func printable(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    }
}
#endif
