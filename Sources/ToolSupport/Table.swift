/// Text table; each column is as wide as its widest cell.
package struct Table {
    package enum Alignment { case left, right }

    private let alignments: [Alignment]
    private var rows: [[String]]

    /// - Parameter columns: Heading and alignment of each column.
    package init(_ columns: [(heading: String, alignment: Alignment)]) {
        alignments = columns.map(\.alignment)
        rows = [columns.map(\.heading)]
    }

    package mutating func append(_ row: [String]) {
        precondition(row.count == alignments.count, "a row must have one cell per column")
        rows.append(row)
    }

    package var text: String {
        let widths = alignments.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let rule = widths.map { String(repeating: "-", count: $0) }
        let lines = [rows[0], rule] + rows.dropFirst()
        return lines.map { line(of: $0, widths) + "\n" }.joined()
    }

    private func line(of row: [String], _ widths: [Int]) -> String {
        let cells = row.indices.map { padded(row[$0], to: widths[$0], alignments[$0]) }
        let line = cells.joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}

package func padded(_ text: String, to width: Int, _ alignment: Table.Alignment = .left) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return alignment == .left ? text + space : space + text
}

/// Formats `value` with exactly `digits` decimals; returns `-` when it is not finite or its absolute value is 10^12 or
/// more.
package func fixed(_ value: Double, digits: Int) -> String {
    guard value.isFinite, abs(value) < 1e12 else { return "-" }
    let scale = (0..<digits).reduce(1.0) { result, _ in result * 10 }
    let scaled = Int((abs(value) * scale).rounded())
    let fraction = String(scaled % Int(scale))
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return sign + String(scaled) }
    return "\(sign)\(scaled / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
}
