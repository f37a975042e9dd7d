/// Options of the WebP encoder.
public struct WebPOptions: Hashable, Sendable {
    /// Quality from 1 to 100; with ``isLossless`` it is not used.
    ///
    /// With other values encoding a WebP throws `invalidArgument`.
    public var quality = 80
    /// When true, preserves every sample.
    public var isLossless = false

    /// Lossy at quality 80.
    public init() {}
}

extension WebPOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line.
    public var description: String {
        let other = WebPOptions()
        var text = ChangedProperties(of: "WebPOptions")
        text.add("quality", quality, default: other.quality)
        text.add("isLossless", isLossless, default: other.isLossless)
        return text.text
    }
}
