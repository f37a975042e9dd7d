#if Service
import PlatformImage

/// Content negotiation (RFC 9110 §12.5.1) between the formats that are written here, JPEG and PNG.
///
/// A result has a format by itself: its source's, when that is one of both. A client that takes both gets that one,
/// unless it likes the other more than twice as much: browsers name `image/png` and mean JPEG by `image/*;q=0.8`, and
/// a photograph as PNG helps nobody. What a client refuses it does not get while it takes the other; `*/*` decides nothing.
struct Negotiation: Hashable, Sendable {
    /// Off: Accept has no say.
    var isOn = false

    /// True when the answer depends on Accept, whatever that says: neither the target nor its dialect names a format.
    func applies(to request: ThumbnailRequest) -> Bool {
        isOn && request.output.kind == .image && request.output.format == nil
    }

    /// The format that the field asks for; nil for the result's own.
    ///
    /// - Parameter accept: All lines joined by commas; nil without the field.
    static func format(for accept: String?) -> OutputWish.Format? {
        guard let accept else { return nil }
        var (jpeg, png) = (Quality(), Quality())
        for range in MediaRange.all(in: accept) {
            guard range.type == "image" || (range.type == "*" && range.subtype == "*") else { continue }
            switch range.subtype {
            case "jpeg": jpeg.exact = max(jpeg.exact ?? 0, range.quality)
            case "png": png.exact = max(png.exact ?? 0, range.quality)
            case "*":
                jpeg.take(range)
                png.take(range)
            default: break
            }
        }
        if jpeg.value > 2 * png.value { return .jpeg }
        return png.value > 2 * jpeg.value ? .png : nil
    }

    /// The closest range that names a format decides.
    private struct Quality {
        var exact: Int?
        var ofImages: Int?
        var ofAll: Int?

        var value: Int { exact ?? ofImages ?? ofAll ?? 0 }

        mutating func take(_ range: MediaRange) {
            if range.type == "image" {
                ofImages = max(ofImages ?? 0, range.quality)
            } else {
                ofAll = max(ofAll ?? 0, range.quality)
            }
        }
    }
}

/// An element of Accept, in lower case.
struct MediaRange: Hashable, Sendable {
    let type: String
    let subtype: String
    /// Thousandths, 0 to 1000.
    let quality: Int

    /// The elements that can be read and have no parameter but `q`; others are passed over.
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

    /// `0`, `1`, or either with a point and at most three digits; not over 1.
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
