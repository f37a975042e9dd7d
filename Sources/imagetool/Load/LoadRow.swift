import PlatformImage
import PlatformImageLoader
import PlatformImageToolSupport

/// Report of one load by `imagetool load`.
struct LoadRow {
    /// Redacted URL, without user information and query values.
    let url: String
    /// Name of the written file; `nil` when no file was written.
    var file: String?
    // Copies of properties of the `LoadOutcome`. The outcome is not stored, because it retains the pixels of the image.
    private let status: Int
    private let source: LoadOutcome.Source
    private let isFresh: Bool
    private let error: LoadError?
    /// Properties of the decoded image; `nil` for a failed load.
    private let image: (width: Int, height: Int, format: String, bytes: Int)?
    private let milliseconds: Double

    init(_ url: String, _ outcome: LoadOutcome, milliseconds: Double) {
        self.url = Redaction.hidingQueryValues(url)
        status = outcome.status
        source = outcome.source
        isFresh = outcome.isFresh
        error = outcome.error
        image = outcome.image.map { image in
            (
                width: image.bitmap.width, height: image.bitmap.height, format: image.header.format.rawValue,
                bytes: outcome.bytes.count
            )
        }
        self.milliseconds = milliseconds
    }

    /// - Parameter hasFiles: Adds the member `file`.
    func json(hasFiles: Bool) -> JSON {
        let members: [(String, JSON)] = [
            ("url", .string(url)),
            ("status", status == 0 ? .null : .integer(status)),
            ("source", .string(source.rawValue)),
            ("fresh", .bool(isFresh)),
            ("width", .optional(image?.width)),
            ("height", .optional(image?.height)),
            ("format", .optional(image?.format)),
            ("bytes", .optional(image?.bytes)),
            ("milliseconds", .number(milliseconds)),
            ("error", .optional(error.map { "\($0.code): \($0.message)" })),
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
        [
            url, status == 0 ? "-" : String(status), source.rawValue, isFresh ? "yes" : "no",
            image.map { "\($0.width)x\($0.height)" } ?? "-", image?.format ?? "-",
            image.map { String($0.bytes) } ?? "-", fixed(milliseconds, digits: 1),
        ]
    }
}
