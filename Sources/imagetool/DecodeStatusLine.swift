import PlatformImage

/// The JSON object that `decode --status` writes for an input, on one line.
///
/// | key | value |
/// |---|---|
/// | `file` | the path as it was given |
/// | `status` | `complete`, `truncated`, `corrupt`, or `failed` when there are no pixels |
/// | `rows` | complete rows from the top, as stored: all of them for `complete`; null for `corrupt`, which counts none |
/// | `warnings` | stable codes, such as `crc`; those of `corrupt`, and remarks that do not change the status |
/// | `error` | null, or the reason of `failed`: `code: message` |
enum DecodeStatusLine {
    static func text(of picture: Picture, file: String) -> String {
        switch picture.status {
        case .complete: line(file, "complete", rows: picture.header.height, picture.remarks)
        case .truncated(let rows): line(file, "truncated", rows: rows, picture.remarks)
        case .corrupt(let warnings):
            line(file, "corrupt", rows: nil, warnings + picture.remarks.filter { !warnings.contains($0) })
        }
    }

    static func text(of failure: Failure, file: String) -> String {
        line(file, "failed", rows: 0, [], error: failure.reason)
    }

    private static func line(
        _ file: String, _ status: String, rows: Int?, _ warnings: [DecodeWarning], error: String? = nil
    ) -> String {
        JSON.object([
            ("file", .string(file)), ("status", .string(status)), ("rows", .optional(rows)),
            ("warnings", .array(warnings.map { .string($0.description) })), ("error", .optional(error)),
        ]).text + "\n"
    }
}
