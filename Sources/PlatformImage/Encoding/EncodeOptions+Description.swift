extension EncodeOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line.
    public var description: String {
        let other = EncodeOptions()
        var text = ChangedProperties(of: "EncodeOptions")
        text.add("png", png, default: other.png)
        text.add("jpeg", jpeg, default: other.jpeg)
        text.add("maxBytes", maxBytes, default: other.maxBytes)
        return text.text
    }
}

extension PNGOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line.
    public var description: String {
        let other = PNGOptions()
        var text = ChangedProperties(of: "PNGOptions")
        text.add("compressionLevel", compressionLevel, default: other.compressionLevel)
        text.add("filter", filter, default: other.filter)
        text.add("reducesColors", reducesColors, default: other.reducesColors)
        text.add("declaresSRGB", declaresSRGB, default: other.declaresSRGB)
        return text.text
    }
}

extension JPEGOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line.
    public var description: String {
        let other = JPEGOptions()
        var text = ChangedProperties(of: "JPEGOptions")
        text.add("quality", quality, default: other.quality)
        text.add("isProgressive", isProgressive, default: other.isProgressive)
        text.add("chromaSubsampling", chromaSubsampling, default: other.chromaSubsampling)
        text.add("optimizesHuffman", optimizesHuffman, default: other.optimizesHuffman)
        text.add("background", background, default: other.background)
        return text.text
    }
}
