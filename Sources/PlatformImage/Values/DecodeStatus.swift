/// Completeness of a decoded image.
public enum DecodeStatus: Hashable, Sendable {
    /// Every row comes from intact data.
    case complete
    /// The file is truncated: only the first `rows` rows, in the order in which the file stores them, are valid.
    ///
    /// The remaining rows are transparent black; in a JPEG they are filled by libjpeg, in a 1-bit fax page (CCITT in
    /// TIFF) they are white. A bottom-up BMP stores its lowest row first: its valid rows are the lowest rows of the
    /// image.
    case truncated(rows: Int)
    /// Checksums, codes or structure were wrong; all rows that could be decoded were decoded.
    case corrupt([DecodeWarning])
}

/// A defect or an irregularity in the bytes that did not prevent decoding.
public struct DecodeWarning: Hashable, Sendable {
    let code: UInt16

    /// True for a defect, which makes the status ``DecodeStatus/corrupt(_:)``; false for a remark, such as an ignored
    /// profile.
    public var isDefect: Bool { code < 64 }
}

/// Truncation and warnings, collected over the steps of one decode.
struct Damage {
    private(set) var truncatedRows: Int?
    private(set) var warnings: [DecodeWarning] = []

    static let maxWarnings = 100

    mutating func warn(_ warning: DecodeWarning) {
        if !warnings.contains(warning), warnings.count < Self.maxWarnings { warnings.append(warning) }
    }

    /// Records that the bytes ended after `rows` complete stored rows; of several calls, the smallest number applies.
    mutating func truncate(rows: Int) { truncatedRows = min(truncatedRows ?? rows, rows) }

    mutating func add(_ other: Damage) {
        other.warnings.forEach { warn($0) }
        if let rows = other.truncatedRows { truncate(rows: rows) }
    }

    var status: DecodeStatus {
        if let truncatedRows { return .truncated(rows: truncatedRows) }
        let isCorrupt = warnings.contains { $0.isDefect }
        return isCorrupt ? .corrupt(warnings) : .complete
    }

    /// Throws when there is damage for which a decode with this `strictness` fails.
    func throwIfExceeds(_ strictness: DecodeOptions.Strictness, format: ImageFormat) throws(DecodeError) {
        if strictness >= .truncated, let truncatedRows {
            throw DecodeError(.truncated, format: format, "\(format): data ends after \(truncatedRows) complete rows")
        }
        let failing = strictness >= .warning ? warnings.first : warnings.first { $0.isDefect }
        if strictness >= .corrupt, let failing {
            throw DecodeError(.malformed, format: format, "\(format): damaged data: \(failing)")
        }
    }
}
