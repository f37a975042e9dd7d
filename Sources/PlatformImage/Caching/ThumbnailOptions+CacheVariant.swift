extension ThumbnailOptions {
    /// These options as the variant of an ``ImageCacheKey``: equal options have equal variants, and options that differ
    /// in a property have different variants.
    ///
    /// Never empty. The text is stable and independent of the names of Swift types, so a program may store it.
    package var cacheVariant: String {
        var parts = [
            ("width", Self.text(width)), ("height", Self.text(height)), ("fit", fit.rawValue),
            ("gravity", "\(Self.text(gravity.x)) \(Self.text(gravity.y))"), ("crop", Self.text(crop)),
            ("allowsUpscaling", "\(allowsUpscaling)"), ("padsToBox", "\(padsToBox)"),
            ("background", Self.text(background)), ("filter", filter.rawValue), ("linearLight", "\(linearLight)"),
            ("quality", quality.rawValue), ("usesEmbeddedThumbnail", "\(usesEmbeddedThumbnail)"),
        ]
        // Absent with its default, so that stored variants stay valid.
        if keepsChromaDetail { parts.append(("keepsChromaDetail", "true")) }
        return parts.map { "\($0.0): \($0.1)" }.joined(separator: ", ")
    }

    private static func text<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "nil" }

    // -0 equals 0: the sum is 0 for both.
    private static func text(_ number: Double) -> String { "\(number + 0)" }
}
