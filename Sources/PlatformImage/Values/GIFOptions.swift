/// Options of the GIF encoder.
public struct GIFOptions: Hashable, Sendable {
    /// Maximum number of colours of a frame, 2 to 256.
    ///
    /// With other values encoding a GIF throws `invalidArgument`.
    public var maxColors = 256

    /// 256 colours.
    public init() {}
}

extension GIFOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line.
    public var description: String {
        let other = GIFOptions()
        var text = ChangedProperties(of: "GIFOptions")
        text.add("maxColors", maxColors, default: other.maxColors)
        return text.text
    }
}
