/// Progress bar on a terminal, or a count when the number of steps is not known; prints nothing elsewhere.
package struct Progress {
    private let label: String
    private let total: Int?
    private let isVisible: Bool
    private var drawn = ""

    /// - Parameter total: Number of steps, 1 or more; `nil` when it is not known.
    package init(_ label: String, total: Int?, isVisible: Bool = Terminal.isError) {
        precondition(total ?? 1 > 0, "total must be 1 or more")
        self.label = label
        self.total = total
        self.isVisible = isVisible
    }

    /// Draws the bar; skips the write when the text is unchanged.
    package mutating func show(_ done: Int, _ detail: String = "") {
        guard isVisible else { return }
        let text = Self.text(label, done, of: total, detail, columns: Terminal.errorColumns ?? 80)
        guard text != drawn else { return }
        drawn = text
        write("\r\u{1B}[2K" + text)
    }

    /// Erases the bar and returns the cursor to the first column.
    package mutating func clear() {
        guard !drawn.isEmpty else { return }
        drawn = ""
        write("\r\u{1B}[2K")
    }

    /// Formats the bar as one line that is shorter than the terminal's width.
    package static func text(_ label: String, _ done: Int, of total: Int?, _ detail: String, columns: Int) -> String {
        guard let total else {
            return String("\(label) \(done)\(detail.isEmpty ? "" : "  \(detail)")".prefix(max(0, columns - 1)))
        }
        let counts = "\(padded(String(done), to: String(total).count, .right)) of \(total)"
        let words = "\(label) " + "[] \(counts)" + (detail.isEmpty ? "" : "  \(detail)")
        let width = min(40, columns - 1 - words.count)
        guard width >= 8 else { return String("\(label) \(counts)".prefix(max(0, columns - 1))) }
        let filled = min(width, done * width / total)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        return "\(label) [\(bar)] \(counts)" + (detail.isEmpty ? "" : "  \(detail)")
    }

    private func write(_ text: String) {
        Array(text.utf8).withUnsafeBytes { _ = writeAll($0, to: 2) }
    }
}
