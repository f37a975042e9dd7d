import PlatformImage

/// Text output of `imagetool-bench decode`.
public enum DecodeTable {
    /// One row per result, then the conditions of the measurement.
    public static func text(of results: [DecodeBenchmark]) -> String {
        guard !results.isEmpty else { return "" }
        let headings = [
            "file", "kind", "size", "frames", "PlatformImage", "library", "ratio", "range", "target", "verdict",
        ]
        let lines = aligned([headings] + results.map(row), left: [0, 1, 9])
        let libraries = ImageFormat.allCases.filter { $0 != .bmp }.map { ImageDecoder.libraryVersion(of: $0) }
        return lines + """

            CPU nanoseconds per pixel, user and system, medians of \(results[0].ours.cpu.count) rounds after one \
            warm-up round, one thread.
            Ratio: CPU time of the library divided by that of PlatformImage, median; above 1, PlatformImage is faster.
            A target is met if the ratio is at most 5 % lower than the target.
            Pixel buffers: the libraries use malloc and free for each image; \
            PlatformImage uses its default, a pool with huge pages.
            Libraries: \(libraries.joined(separator: ", ")); for BMP, a scalar loop.
            CPU: \(Machine.processor ?? "unknown"); transparent huge pages: \(Machine.hugePages ?? "unknown")

            """
    }

    private static func row(_ result: DecodeBenchmark) -> [String] {
        let header = result.header
        let name = result.name.split(separator: "/").last.map(String.init) ?? result.name
        let ratios = result.ratios
        let spread = ratios.min().flatMap { low in ratios.max().map { "\(digits(low))-\(digits($0))" } }
        return [
            name, result.goal.kind, "\(header.width)x\(header.height)", String(result.frames),
            digits(median(result.ours.cpu)), digits(result.baseline.flatMap { median($0.cpu) }), digits(result.ratio),
            spread ?? "-", digits(result.goal.targetRatio), result.verdict?.rawValue ?? "",
        ]
    }

    /// Formats a number with two decimals; `-` for `nil`, infinity, NaN and values of 10^12 or more.
    private static func digits(_ value: Double?) -> String {
        guard let value, value.isFinite, abs(value) < 1e12 else { return "-" }
        let hundredths = Int((value * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// Pads each column to its widest cell; columns in `left` are left-aligned.
    private static func aligned(_ rows: [[String]], left: Set<Int>) -> String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let rule = widths.map { String(repeating: "-", count: $0) }
        return ([rows[0], rule] + rows.dropFirst()).map { row in
            let cells = row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                return left.contains(column) ? row[column] + space : space + row[column]
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }
}
