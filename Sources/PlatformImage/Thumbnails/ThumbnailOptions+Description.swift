extension ThumbnailOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line.
    public var description: String {
        let other = ThumbnailOptions()
        var text = ChangedProperties(of: "ThumbnailOptions")
        text.add("width", width, default: other.width)
        text.add("height", height, default: other.height)
        text.add("fit", fit, default: other.fit)
        text.add("gravity", gravity, default: other.gravity)
        text.add("crop", crop, default: other.crop)
        text.add("allowsUpscaling", allowsUpscaling, default: other.allowsUpscaling)
        text.add("padsToBox", padsToBox, default: other.padsToBox)
        text.add("background", text: background == other.background ? nil : background.map { "\($0)" } ?? "nil")
        text.add("filter", filter, default: other.filter)
        text.add("weighsLight", weighsLight, default: other.weighsLight)
        text.add("quality", quality, default: other.quality)
        text.add("usesEmbeddedThumbnail", usesEmbeddedThumbnail, default: other.usesEmbeddedThumbnail)
        return text.text
    }
}

extension Gravity: CustomStringConvertible {
    /// `Gravity(x: 0.5, y: 0.5)`.
    public var description: String { "Gravity(x: \(x), y: \(y))" }
}
