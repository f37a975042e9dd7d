/// Text values of EXIF.
enum EXIFText {
    /// Maximum number of UTF-8 bytes of a text.
    static let maxByteCount = 1_000

    /// The texts of a value, which are separated by NUL bytes: UTF-8, or ISO 8859-1 when the bytes are not UTF-8.
    ///
    /// Control characters, line separators and characters without a glyph, among them those that change the direction
    /// of the text, become spaces; spaces at the ends are removed. Empty texts are omitted. The result has at most
    /// `maxCount` texts, of at most ``maxByteCount`` bytes together.
    static func texts(_ bytes: Span<UInt8>, in range: Range<Int>, maxCount: Int) -> [String] {
        var cursor = ByteCursor(bytes)
        guard cursor.move(to: FileNumber(range.lowerBound)),
            let part = cursor.take(FileNumber(min(range.count, maxByteCount)))
        else { return [] }
        let parts = bytes.copy(part).split(separator: 0, maxSplits: maxCount, omittingEmptySubsequences: false)
        return parts.prefix(maxCount).map { clean(Array($0)) }.filter { !$0.isEmpty }
    }

    private static func clean(_ bytes: [UInt8]) -> String {
        let text = decode(bytes)
        var cleaned = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            let next: Unicode.Scalar = isPrintable(scalar) ? scalar : " "
            if next == " ", cleaned.isEmpty { continue }
            count &+= UTF8.width(next)
            guard count <= maxByteCount else { break }
            cleaned.append(next)
        }
        while cleaned.last == " " { _ = cleaned.popLast() }
        return String(cleaned)
    }

    private static func decode(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        // The limit may have cut a character of UTF-8, which has at most 4 bytes.
        if bytes.count >= maxByteCount {
            for cut in 1...3 {
                if let text = String(validating: bytes.dropLast(cut), as: UTF8.self) { return text }
            }
        }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
