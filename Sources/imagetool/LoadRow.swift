#if Tool && AsyncHTTPClient
import Loader
import PlatformImage

/// What `imagetool load` prints of one load.
struct LoadRow {
    /// As it may be shown: without user information and values of the query.
    let url: String
    /// The name of the file that was written; nil for none.
    var file: String?
    private let outcome: LoadOutcome
    private let milliseconds: Double

    init(_ url: String, _ outcome: LoadOutcome, milliseconds: Double) {
        self.url = Redaction.hidingQueryValues(url)
        self.outcome = outcome
        self.milliseconds = milliseconds
    }

    /// - Parameter hasFiles: Adds the member `file`.
    func json(hasFiles: Bool) -> JSON {
        let image = outcome.image
        let members: [(String, JSON)] = [
            ("url", .string(url)),
            ("status", outcome.status == 0 ? .null : .integer(outcome.status)),
            ("source", .string(outcome.source.rawValue)),
            ("fresh", .bool(outcome.isFresh)),
            ("width", .optional(image?.bitmap.width)),
            ("height", .optional(image?.bitmap.height)),
            ("format", .optional(image?.header.format.rawValue)),
            ("bytes", image == nil ? .null : .integer(outcome.bytes.count)),
            ("milliseconds", .number(milliseconds)),
            ("error", .optional(outcome.error.map { "\($0.code): \($0.message)" })),
        ]
        return .object(members + (hasFiles ? [("file", .optional(file))] : []))
    }

    static func table(_ rows: [LoadRow]) -> String {
        let hasFiles = rows.contains { $0.file != nil }
        let columns: [(String, Table.Alignment)] = [
            ("url", .left), ("status", .right), ("source", .left), ("fresh", .left), ("size", .right),
            ("format", .left), ("bytes", .right), ("ms", .right),
        ]
        var table = Table(columns + (hasFiles ? [("file", .left)] : []))
        for row in rows { table.append(row.cells + (hasFiles ? [row.file ?? "-"] : [])) }
        return table.text
    }

    private var cells: [String] {
        let image = outcome.image
        return [
            url, outcome.status == 0 ? "-" : String(outcome.status), outcome.source.rawValue,
            outcome.isFresh ? "yes" : "no", image.map { "\($0.bitmap.width)x\($0.bitmap.height)" } ?? "-",
            image?.header.format.rawValue ?? "-", image == nil ? "-" : String(outcome.bytes.count),
            fixed(milliseconds, digits: 1),
        ]
    }
}
#endif
