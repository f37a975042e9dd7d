import PlatformImage

/// A media range of `Accept`, in lower case.
struct MediaRange: Hashable, Sendable {
    let type: String
    let subtype: String
    /// Quality value in thousandths, 0 to 1000.
    let quality: Int

    /// Parses the valid elements that have no parameter except `q`; all others are skipped.
    static func all(in accept: String) -> [MediaRange] {
        accept.utf8.split(separator: UInt8(ascii: ",")).compactMap { MediaRange($0) }
    }

    private init?(_ text: Substring.UTF8View) {
        let parts = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
            String(decoding: $0.filter { !$0.isASCIIBlank }, as: UTF8.self)
                .lowercased()
        }
        let names = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, !names[0].isEmpty, !names[1].isEmpty, parts.count <= 2 else { return nil }
        (type, subtype) = (String(names[0]), String(names[1]))
        guard parts.count == 2 else {
            quality = 1_000
            return
        }
        guard parts[1].hasPrefix("q="), let value = Self.thousandths(parts[1].dropFirst(2)) else { return nil }
        quality = value
    }

    /// Parses `0`, `1`, or either with a point and at most three digits; nil for values over 1.
    private static func thousandths(_ text: Substring) -> Int? {
        let digits = Array(text.utf8)
        guard let first = digits.first?.asciiDigitValue, first <= 1, digits.count <= 5 else { return nil }
        guard digits.count > 1 else { return first * 1_000 }
        guard digits[1] == UInt8(ascii: ".") else { return nil }
        var (value, weight) = (first * 1_000, 100)
        for digit in digits[2...] {
            guard let digit = digit.asciiDigitValue else { return nil }
            value += digit * weight
            weight /= 10
        }
        return value <= 1_000 ? value : nil
    }
}
