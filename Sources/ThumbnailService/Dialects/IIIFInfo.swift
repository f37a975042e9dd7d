/// The `info.json` document of an image (IIIF Image API 3.0, section 5): size, tiles and supported features.
struct IIIFInfo: Hashable, Sendable {
    /// Public URL of the image without `/info.json`.
    var id: String
    /// Width of the upright image in pixels.
    var width: Int
    /// Height of the upright image in pixels.
    var height: Int
    /// Limits on result sizes.
    var rules = SizeRules()
    /// Supported formats.
    var formats = OutputFormatRequest.Format.encodable

    static let context = "http://iiif.io/api/image/3/context.json"
    /// URI of the level 2 profile, for the `Link` header.
    static let profile = "http://iiif.io/api/image/3/level2.json"
    /// Side of a tile in pixels.
    static let tileSide = 512

    /// Returns the media type of the response: `application/ld+json` with the profile when `Accept` contains
    /// `application/ld+json`, otherwise `application/json`.
    static func mediaType(accept: String?) -> String {
        let names = (accept ?? "").split(separator: ",").map { range in
            String(range.prefix { $0 != ";" }.filter { !$0.isWhitespace }).lowercased()
        }
        return names.contains("application/ld+json")
            ? "application/ld+json;profile=\"\(context)\"" : "application/json"
    }

    /// The document as JSON in ASCII.
    var json: String {
        var text = JSONObjectText()
        text.add("@context", Self.context)
        text.add("id", id)
        text.add("type", "ImageService3")
        text.add("protocol", "http://iiif.io/api/image")
        text.add("profile", "level2")
        text.add("width", width)
        text.add("height", height)
        text.add("maxWidth", rules.maxSide)
        text.add("maxHeight", rules.maxSide)
        text.add("maxArea", rules.maxPixels)
        text.add(
            "sizes",
            raw: JSONText.array(
                sizes.map { size in
                    var text = JSONObjectText()
                    text.add("width", size.width)
                    text.add("height", size.height)
                    return text.object
                }))
        var tile = JSONObjectText()
        tile.add("width", Self.tileSide)
        tile.add("height", Self.tileSide)
        tile.add("scaleFactors", raw: JSONText.array(scaleFactors.map(String.init)))
        text.add("tiles", raw: JSONText.array([tile.object]))
        text.add("preferredFormats", raw: Self.texts(["jpg", "png"]))
        // Level 2 includes jpg and png; only other formats are listed.
        let others = formats.subtracting([.jpeg, .png]).compactMap(\.iiifSuffix).sorted()
        if !others.isEmpty { text.add("extraFormats", raw: Self.texts(others)) }
        text.add("extraQualities", raw: Self.texts(["color", "gray", "bitonal"]))
        text.add(
            "extraFeatures",
            raw: Self.texts(["mirroring", "sizeUpscaling", "canonicalLinkHeader", "profileLinkHeader"]))
        return text.object
    }

    private static func texts(_ texts: [String]) -> String { JSONText.array(texts.map(JSONText.quoted)) }

    /// Scale factors: the powers of two from 1 to 32, up to the first one at which a single tile covers the image.
    private var scaleFactors: [Int] {
        var factors = [1]
        while let last = factors.last, last < 32, last * Self.tileSide < max(width, height) { factors.append(last * 2) }
        return factors
    }

    /// Size of the image at each scale factor, the smallest first, within the limits.
    private var sizes: [(width: Int, height: Int)] {
        scaleFactors.reversed().map { factor in
            // The sides are rounded up, as IIIF viewers compute them.
            ((width + factor - 1) / factor, (height + factor - 1) / factor)
        }.filter { $0.width <= rules.maxSide && $0.height <= rules.maxSide && $0.width * $0.height <= rules.maxPixels }
    }
}
