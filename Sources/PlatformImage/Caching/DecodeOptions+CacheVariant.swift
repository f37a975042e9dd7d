extension DecodeOptions {
    /// These options as the variant of an ``ImageCacheKey``: equal options give equal texts, others different ones.
    ///
    /// Empty for the defaults. The spelling is fixed and depends on no name of a Swift type, so that a program may keep
    /// it. Make it once for a loader, not once a request.
    public var cacheVariant: String {
        // These choose a way to the same pixels and status, or what a header counts.
        var options = self
        options.usesLeastMemory = false
        options.budgetBytes = nil
        options.maxCountedFrames = 0
        guard options != DecodeOptions() else { return "" }
        let formats = allowedFormats.map(\.variantText).sorted().joined(separator: ",")
        // The first version wrote what Swift 6.3 prints for the type; the texts stay what they were.
        return "\(formats) DecodeOptions(limits: \(limits.variantText), appliesOrientation: \(appliesOrientation), "
            + "convertsToSRGB: \(convertsToSRGB), strictness: \(strictness.variantText), allowedFormats: Set([]), "
            + "requiresMatchingContentType: \(requiresMatchingContentType), scaleDenominator: \(scaleDenominator), "
            + "page: \(page), refusesRareCodecs: \(refusesRareCodecs), usesLibrariesAlone: \(usesLibrariesAlone))"
    }
}

extension DecodeLimits {
    fileprivate var variantText: String {
        let limits: [(name: String, value: Int?)] = [
            ("maxInputBytes", maxInputBytes), ("maxSide", maxSide), ("maxPixels", maxPixels), ("maxMemory", maxMemory),
            ("maxFrames", maxFrames), ("maxTotalPixels", maxTotalPixels), ("maxScans", maxScans),
            ("maxScanSamples", maxScanSamples), ("maxPages", maxPages), ("maxSamplesPerPixel", maxSamplesPerPixel),
            ("maxTileSide", maxTileSide), ("maxMetadataItem", maxMetadataItem), ("maxMetadataTotal", maxMetadataTotal),
            ("maxChunks", maxChunks),
        ]
        let parts = limits.map { "\($0.name): \($0.value.map { "Optional(\($0))" } ?? "nil")" }
        return "PlatformImage.DecodeLimits(\(parts.joined(separator: ", ")))"
    }
}

extension DecodeOptions.Strictness {
    fileprivate var variantText: String {
        switch self {
        case .lenient: "PlatformImage.DecodeOptions.Strictness.lenient"
        case .truncated: "PlatformImage.DecodeOptions.Strictness.truncated"
        case .corrupt: "PlatformImage.DecodeOptions.Strictness.corrupt"
        case .warning: "PlatformImage.DecodeOptions.Strictness.warning"
        }
    }
}

extension ImageFormat {
    fileprivate var variantText: String {
        switch self {
        case .png: "png"
        case .jpeg: "jpeg"
        case .gif: "gif"
        case .tiff: "tiff"
        case .bmp: "bmp"
        }
    }
}
