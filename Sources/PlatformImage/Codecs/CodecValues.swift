// C values to Swift values and back: limits in, errors and damage out.

internal import CImageCodecs

extension imgc_limits {
    init(_ limits: DecodeLimits) {
        // In C 0 means "no limit"; here nil does, and 0 allows nothing: 1 is the closest that C can say.
        func bound<I: FixedWidthInteger>(_ limit: Int?) -> I { limit.map { I(clamping: max(1, $0)) } ?? 0 }
        self.init(
            max_side: bound(limits.maxSide), max_pixels: bound(limits.maxPixels),
            max_memory: bound(limits.maxMemory), max_scans: bound(limits.maxScans),
            max_scan_samples: bound(limits.maxScanSamples), max_pages: bound(limits.maxPages),
            max_samples_per_pixel: bound(limits.maxSamplesPerPixel), max_tile_side: bound(limits.maxTileSide),
            max_metadata_item: bound(limits.maxMetadataItem), max_metadata_total: bound(limits.maxMetadataTotal),
            max_chunks: bound(limits.maxChunks))
    }
}

extension Damage {
    init(_ report: imgc_report) {
        self.init()
        if report.truncated { truncate(rows: Int(report.rows)) }
        unsafe withUnsafeBytes(of: report.warnings) { bytes in
            for index in 0..<Int(report.warning_count) {
                warn(unsafe DecodeWarning(code: bytes.load(fromByteOffset: index * 2, as: UInt16.self)))
            }
        }
    }
}

extension DecodeError {
    init(_ status: imgc_status, _ report: imgc_report, _ format: ImageFormat) {
        let code: Code =
            switch status {
            case IMGC_ERROR_UNKNOWN_FORMAT: .unknownFormat
            case IMGC_ERROR_MALFORMED: .malformed
            case IMGC_ERROR_TRUNCATED: .truncated
            case IMGC_ERROR_UNSUPPORTED: .unsupported
            case IMGC_ERROR_LIMIT: .limitExceeded
            case IMGC_ERROR_OUT_OF_MEMORY: .outOfMemory
            case IMGC_ERROR_CANCELLED: .cancelled
            default: .internal
            }
        let token = text(of: report.token)
        self.init(
            code, format: format, detail: token.isEmpty ? nil : camelCase(token),
            text(of: report.message))
    }
}

/// The fields of `imgc_limits` are the properties of ``DecodeLimits`` in C's spelling.
private func camelCase(_ token: String) -> String {
    let words = token.split(separator: "_")
    return words.dropFirst().reduce(String(words[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
}

/// A NUL-terminated C array of char.
func text<Characters>(of characters: Characters) -> String {
    unsafe withUnsafeBytes(of: characters) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
