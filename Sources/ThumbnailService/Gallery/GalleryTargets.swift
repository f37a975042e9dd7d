import PlatformImage

/// Targets of the gallery's images, signed when a key is configured.
struct GalleryTargets: Sendable {
    private let images: [ServiceConfiguration.Gallery.Image]
    private let keys: SigningKeys?
    /// Thumbnail sides in pixels, ascending; the page requests the smallest that suffices for the screen.
    let sides: [Int]
    /// Maximum side of the large view in pixels.
    let largeSide: Int

    /// Reads the images, keys and limits of the configuration.
    ///
    /// - Throws: `internalFault` for invalid signing keys.
    init(_ gallery: ServiceConfiguration.Gallery, _ configuration: ServiceConfiguration) throws(ServiceError) {
        images = gallery.images
        keys = try SigningPolicy(configuration.signing).keys
        let allowed = configuration.limits.resultSide
        let standardSides = [120, 160, 200, 240, 320, 400, 480, 640].filter { $0 <= allowed }
        sides = standardSides.isEmpty ? [max(1, allowed)] : standardSides
        largeSide = max(1, min(1_600, allowed))
    }

    var count: Int { images.count }

    /// JSON with the names, thumbnail targets and large targets of all images; nil for a side that is not in ``sides``.
    func json(side: Int) -> String? {
        guard sides.contains(side) else { return nil }
        let items = images.map { image in
            let source = Self.escaped(image.source)
            var item = JSONObjectText()
            item.add("name", image.name)
            item.add("thumbnail", target("\(side)x\(side)/\(source)"))
            item.add("large", target("fit-in/\(largeSide)x\(largeSide)/\(source)"))
            return item.object
        }
        var list = JSONObjectText()
        list.add("side", side)
        list.add("pictures", raw: JSONText.array(items))
        return list.object + "\n"
    }

    private func target(_ rest: String) -> String { keys?.signed(rest) ?? "/unsafe/\(rest)" }

    /// Percent-encodes every byte except letters, digits and `-._~`, so that a file name cannot be parsed as an option,
    /// as the end of the filters, or as a query.
    static func escaped(_ source: String) -> String {
        PercentEncoding.encode(source, allowed: .unreserved)
    }
}
