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
        let others = formats.subtracting([.jpeg, .png]).compactMap(\.iiifSuffix).sorted()
        // The level has jpg and png; only what it has not is named.
        let extraFormats =
            others.isEmpty ? "" : ",\"extraFormats\":[\(others.map { "\"\($0)\"" }.joined(separator: ","))]"
        let sizes = sizes.map { "{\"width\":\($0.width),\"height\":\($0.height)}" }.joined(separator: ",")
        let factors = scaleFactors.map(String.init).joined(separator: ",")
        return "{\"@context\":\"\(Self.context)\",\"id\":\(JSONText.quoted(id)),\"type\":\"ImageService3\","
            + "\"protocol\":\"http://iiif.io/api/image\",\"profile\":\"level2\",\"width\":\(width),\"height\":\(height),"
            + "\"maxWidth\":\(rules.maxSide),\"maxHeight\":\(rules.maxSide),\"maxArea\":\(rules.maxPixels),"
            + "\"sizes\":[\(sizes)],\"tiles\":[{\"width\":\(Self.tileSide),\"height\":\(Self.tileSide),"
            + "\"scaleFactors\":[\(factors)]}],\"preferredFormats\":[\"jpg\",\"png\"]\(extraFormats),"
            + "\"extraQualities\":[\"color\",\"gray\",\"bitonal\"],"
            + "\"extraFeatures\":[\"mirroring\",\"sizeUpscaling\",\"canonicalLinkHeader\",\"profileLinkHeader\"]}"
    }

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
