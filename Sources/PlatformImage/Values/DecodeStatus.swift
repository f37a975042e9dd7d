/// How much of a decoded picture is true.
public enum DecodeStatus: Hashable, Sendable {
    /// Every row comes from intact data.
    case complete
    /// The bytes ended early: `rows` complete rows from the top, as stored, are valid. What follows is transparent
    /// black, in a JPEG what libjpeg fills in, in a 1-bit fax page (CCITT in TIFF) white. A bottom-up BMP stores its
    /// lowest row first: there they are the lowest.
    case truncated(rows: Int)
    /// The whole area was written or skipped as well as possible, but checksums, codes or structure were wrong.
    case corrupt([DecodeWarning])
}

/// Something that was wrong or odd in the bytes although pixels could be shown.
public struct DecodeWarning: Hashable, Sendable {
    let code: UInt16

    /// True when it makes a picture ``DecodeStatus/corrupt(_:)``; false for a remark, such as an ignored profile.
    public var isDefect: Bool { code < 64 }
}

/// What a codec found wrong on its way, collected over the steps of one decode.
struct Damage {
    private(set) var truncatedRows: Int?
    private(set) var warnings: [DecodeWarning] = []

    static let maxWarnings = 100

    mutating func warn(_ warning: DecodeWarning) {
        if !warnings.contains(warning), warnings.count < Self.maxWarnings { warnings.append(warning) }
    }

    /// The bytes ended after `rows` complete stored rows.
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

    /// Throws when `strictness` does not allow what was found.
    func settle(_ strictness: DecodeOptions.Strictness, format: ImageFormat) throws(DecodeError) {
        if strictness >= .truncated, let truncatedRows {
            throw DecodeError(.truncated, format: format, "\(format): data ends after \(truncatedRows) complete rows")
        }
        let bar = strictness >= .warning ? warnings.first : warnings.first { $0.isDefect }
        if strictness >= .corrupt, let bar {
            throw DecodeError(.malformed, format: format, "\(format): damaged: \(bar)")
        }
    }
}
