#if Service
import PlatformImage

/// The targets of the gallery's pictures, signed when there is a key.
struct GalleryAddresses: Sendable {
    private let pictures: [ServiceConfiguration.Gallery.Picture]
    private let keys: SigningKeys?
    /// Pixels of the sides that thumbnails may have, rising; a page takes the first one that its screen needs.
    let sides: [Int]
    /// The most pixels of a side of the large view.
    let largeSide: Int

    /// - Throws: `internalFault` for keys that are none.
    init(_ gallery: ServiceConfiguration.Gallery, _ configuration: ServiceConfiguration) throws(ServiceError) {
        pictures = gallery.pictures
        keys = try SigningPolicy(configuration.signing).keys
        let allowed = configuration.limits.resultSide
        let usual = [120, 160, 200, 240, 320, 400, 480, 640].filter { $0 <= allowed }
        sides = usual.isEmpty ? [max(1, allowed)] : usual
        largeSide = max(1, min(1_600, allowed))
    }

    var count: Int { pictures.count }

    /// Name, thumbnail and large view of all pictures; nil for a side that is not among ``sides``.
    func json(side: Int) -> String? {
        guard sides.contains(side) else { return nil }
        let items = pictures.map { picture in
            let source = Self.escaped(picture.source)
            var item = JSONObjectText()
            item.add("name", picture.name)
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

    /// Every byte escaped that is not a letter, a digit or one of `-._~`: no name of a file can be taken for an option,
    /// for the end of the filters, or for a query.
    static func escaped(_ source: String) -> String {
        PercentEncoding.encode(source, allowed: .unreserved)
    }
}
#endif
