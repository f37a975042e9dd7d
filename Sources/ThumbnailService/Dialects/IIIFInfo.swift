#if Service
/// The `info.json` of a picture: what a IIIF viewer has to know before it asks for parts.
struct IIIFInfo: Hashable, Sendable {
    /// The address of the picture without `/info.json`, from the configured address of the service.
    var id: String
    /// Pixels in a row of the upright picture.
    var width: Int
    /// Its rows.
    var height: Int
    /// What limits the sizes.
    var rules = SizeRules()
    /// What can be asked for.
    var formats: Set<OutputWish.Format> = [.jpeg, .png]

    static let context = "http://iiif.io/api/image/3/context.json"
    /// The profile of level 2 as a `Link` header names it.
    static let profile = "http://iiif.io/api/image/3/level2.json"
    /// Pixels of a side of a tile.
    static let tileSide = 512

    /// The media type that a value of `Accept` asks for: JSON-LD only when it names that.
    static func mediaType(accept: String?) -> String {
        let names = (accept ?? "").split(separator: ",").map { range in
            String(range.prefix { $0 != ";" }.filter { !$0.isWhitespace }).lowercased()
        }
        return names.contains("application/ld+json")
            ? "application/ld+json;profile=\"\(context)\"" : "application/json"
    }

    /// JSON in ASCII.
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
        // The level has jpg and png; only what it has not is named.
        let others = formats.subtracting([.jpeg, .png]).compactMap(\.iiifSuffix).sorted()
        if !others.isEmpty { text.add("extraFormats", raw: Self.texts(others)) }
        text.add("extraQualities", raw: Self.texts(["color", "gray", "bitonal"]))
        text.add(
            "extraFeatures",
            raw: Self.texts(["mirroring", "sizeUpscaling", "canonicalLinkHeader", "profileLinkHeader"]))
        return text.object
    }

    private static func texts(_ texts: [String]) -> String { JSONText.array(texts.map(JSONText.quoted)) }

    /// 1, 2, 4 to 32, as far as a tile does not show all of the picture before.
    private var scaleFactors: [Int] {
        var factors = [1]
        while let last = factors.last, last < 32, last * Self.tileSide < max(width, height) { factors.append(last * 2) }
        return factors
    }

    /// The picture at each scale factor, the smallest first, as far as the limits allow.
    private var sizes: [(width: Int, height: Int)] {
        scaleFactors.reversed().map { factor in
            // Rounded up, as a viewer counts them.
            ((width + factor - 1) / factor, (height + factor - 1) / factor)
        }.filter { $0.width <= rules.maxSide && $0.height <= rules.maxSide && $0.width * $0.height <= rules.maxPixels }
    }
}
#endif
