#if Service
import PlatformImage

/// Content negotiation (RFC 9110 §12.5.1) between the formats that the service encodes, JPEG and PNG.
///
/// The default format of a result is the format of the source if that is JPEG or PNG. `Accept` changes it only when the
/// quality value of the other format is more than twice as high: browsers send `image/png` beside `image/*;q=0.8`, and
/// PNG is a poor format for photographs. A format with quality 0 is not sent while the other format is accepted; `*/*`
/// alone changes nothing.
struct Negotiation: Hashable, Sendable {
    /// Enables negotiation; when false, `Accept` is ignored.
    var isOn = false

    /// Returns true when the response depends on `Accept` and needs `Vary`: negotiation is on, and the target requests
    /// an image but names no format.
    func applies(to request: ThumbnailRequest) -> Bool {
        isOn && request.output.kind == .image && request.output.format == nil
    }

    /// Returns the format that the field prefers; nil for the result's default format.
    ///
    /// - Parameter accept: All field lines joined by commas; nil without the field.
    static func format(for accept: String?) -> OutputFormatRequest.Format? {
        guard let accept else { return nil }
        var (jpeg, png) = (Quality(), Quality())
        for range in MediaRange.all(in: accept) {
            guard range.type == "image" || (range.type == "*" && range.subtype == "*") else { continue }
            switch range.subtype {
            case "jpeg": jpeg.exact = max(jpeg.exact ?? 0, range.quality)
            case "png": png.exact = max(png.exact ?? 0, range.quality)
            case "*":
                jpeg.add(range)
                png.add(range)
            default: break
            }
        }
        if jpeg.value > 2 * png.value { return .jpeg }
        return png.value > 2 * jpeg.value ? .png : nil
    }

    /// Quality values of one format; the most specific media range that matches it takes precedence.
    private struct Quality {
        var exact: Int?
        var ofImages: Int?
        var ofAll: Int?

        var value: Int { exact ?? ofImages ?? ofAll ?? 0 }

        mutating func add(_ range: MediaRange) {
            if range.type == "image" {
                ofImages = max(ofImages ?? 0, range.quality)
            } else {
                ofAll = max(ofAll ?? 0, range.quality)
            }
        }
    }
}

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
#endif
