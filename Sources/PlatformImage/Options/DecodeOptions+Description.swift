extension DecodeOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line. Nothing depends on this text; see ``cacheVariant``.
    public var description: String {
        let other = DecodeOptions()
        var text = ChangedProperties(of: "DecodeOptions")
        text.add("limits", limits, default: other.limits)
        text.add("appliesOrientation", appliesOrientation, default: other.appliesOrientation)
        text.add("convertsToSRGB", convertsToSRGB, default: other.convertsToSRGB)
        text.add("strictness", strictness, default: other.strictness)
        let formats = allowedFormats.map { "\($0)" }.sorted().joined(separator: ", ")
        text.add("allowedFormats", text: allowedFormats == other.allowedFormats ? nil : "[\(formats)]")
        text.add(
            "requiresMatchingContentType", requiresMatchingContentType, default: other.requiresMatchingContentType)
        text.add("scaleDenominator", scaleDenominator, default: other.scaleDenominator)
        text.add("page", page, default: other.page)
        text.add("refusesRareCodecs", refusesRareCodecs, default: other.refusesRareCodecs)
        text.add("usesLibrariesAlone", usesLibrariesAlone, default: other.usesLibrariesAlone)
        return text.text
    }
}

extension DecodeLimits: CustomStringConvertible {
    /// The limits that differ from the defaults, in one line.
    public var description: String {
        let other = DecodeLimits()
        var text = ChangedProperties(of: "DecodeLimits")
        text.add("maxInputBytes", maxInputBytes, default: other.maxInputBytes)
        text.add("maxSide", maxSide, default: other.maxSide)
        text.add("maxPixels", maxPixels, default: other.maxPixels)
        text.add("maxMemory", maxMemory, default: other.maxMemory)
        text.add("maxFrames", maxFrames, default: other.maxFrames)
        text.add("maxTotalPixels", maxTotalPixels, default: other.maxTotalPixels)
        text.add("maxScans", maxScans, default: other.maxScans)
        text.add("maxScanSamples", maxScanSamples, default: other.maxScanSamples)
        text.add("maxPages", maxPages, default: other.maxPages)
        text.add("maxSamplesPerPixel", maxSamplesPerPixel, default: other.maxSamplesPerPixel)
        text.add("maxTileSide", maxTileSide, default: other.maxTileSide)
        text.add("maxMetadataItem", maxMetadataItem, default: other.maxMetadataItem)
        text.add("maxMetadataTotal", maxMetadataTotal, default: other.maxMetadataTotal)
        text.add("maxChunks", maxChunks, default: other.maxChunks)
        return text.text
    }
}
