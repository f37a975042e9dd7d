extension DecodeOptions {
    /// These options as the variant of an ``ImageCacheKey``: equal options have equal variants, and options that differ
    /// in a public property have different variants.
    ///
    /// Empty for the defaults. The text is stable and independent of the names of Swift types, so a program may store
    /// it. Compute it once per loader, not once per request.
    public var cacheVariant: String {
        // The options that are reset here do not change pixels or status: they select a decode path, or limit a frame
        // count.
        var options = self
        options.usesLeastMemory = false
        options.budgetBytes = nil
        options.maxCountedFrames = 0
        guard options != DecodeOptions() else { return "" }
        let formats = allowedFormats.map(\.rawValue).sorted().joined(separator: ",")
        // The form of this text must not change, because programs may store it. The first version of this package used
        // the text that Swift 6.3 prints for the type.
        return "\(formats) DecodeOptions(limits: \(limits.variantText), appliesOrientation: \(appliesOrientation), "
            + "convertsToSRGB: \(convertsToSRGB), strictness: \(strictness.variantText), allowedFormats: Set([]), "
            + "requiresMatchingContentType: \(requiresMatchingContentType), scaleDenominator: \(scaleDenominator), "
            + "page: \(page), refusesRareCodecs: \(refusesRareCodecs), usesLibrariesAlone: \(usesLibrariesAlone))"
    }
}

extension DecodeLimits {
    fileprivate var variantText: String {
        var limits: [(name: String, value: Int?)] = [
            ("maxInputBytes", maxInputBytes), ("maxSide", maxSide), ("maxPixels", maxPixels), ("maxMemory", maxMemory),
            ("maxFrames", maxFrames), ("maxTotalPixels", maxTotalPixels), ("maxScans", maxScans),
            ("maxScanSamples", maxScanSamples), ("maxPages", maxPages), ("maxSamplesPerPixel", maxSamplesPerPixel),
            ("maxTileSide", maxTileSide), ("maxMetadataItem", maxMetadataItem), ("maxMetadataTotal", maxMetadataTotal),
            ("maxChunks", maxChunks),
        ]
        // Later limits are part of the text only if they differ from their default, so that stored keys remain valid.
        if maxWork != DecodeLimits().maxWork { limits.append(("maxWork", maxWork)) }
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
