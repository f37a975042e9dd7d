import PlatformImage

// Manifests contain the fingerprint of the recipe, so its text must not change, even when a Swift type is renamed. The
// first manifests contained the text that Swift 6.3 printed for the types of that time; this code writes equal text.
// Add the text of a new option only when the option differs from its default.
extension ThumbRecipe {
    /// Text that is equal for recipes that produce equal files; part of every manifest line.
    var fingerprint: String {
        let format =
            switch format {
            case nil: "auto"
            case .png: "png"
            case .jpeg: "jpeg"
            case .webp: "webp"
            case .gif: "gif"
            }
        return "\(options.fingerprint) \(frames.fingerprint) \(format) \(encoding.fingerprint) "
            + "\(decoder.options.appliesOrientation)\(metadataFingerprint)"
    }
}

extension ThumbRecipe {
    fileprivate var metadataFingerprint: String {
        (encoding.metadataPolicy == .strip ? "" : " metadata: \(encoding.metadataPolicy.rawValue)")
            + (profile.map { " profile: \($0.rawValue)" } ?? "")
    }
}

extension ThumbRecipe.Frames {
    fileprivate var fingerprint: String {
        switch self {
        case .first: "first"
        case .one(let index): "one(\(index))"
        case .all: "all"
        }
    }
}

extension ThumbnailOptions {
    fileprivate var fingerprint: String {
        "ThumbnailOptions(width: \(optional(width)), height: \(optional(height)), fit: \(fit.fingerprint), "
            + "gravity: PlatformImage.Gravity(x: \(gravity.x), y: \(gravity.y)), crop: \(optional(crop?.fingerprint)), "
            + "allowsUpscaling: \(allowsUpscaling), padsToBox: \(padsToBox), "
            + "background: \(optional(background?.fingerprint)), filter: \(filter.fingerprint), "
            + "weighsLight: \(linearLight), quality: \(quality.fingerprint), "
            + "usesEmbeddedThumbnail: \(usesEmbeddedThumbnail))"
    }
}

extension ThumbnailFit {
    fileprivate var fingerprint: String {
        switch self {
        case .contain: "PlatformImage.ThumbnailFit.contain"
        case .cover: "PlatformImage.ThumbnailFit.cover"
        case .fill: "PlatformImage.ThumbnailFit.fill"
        case .scaleDown: "PlatformImage.ThumbnailFit.scaleDown"
        }
    }
}

extension ThumbnailQuality {
    fileprivate var fingerprint: String {
        switch self {
        case .exact: "PlatformImage.ThumbnailQuality.exact"
        case .balanced: "PlatformImage.ThumbnailQuality.balanced"
        case .fast: "PlatformImage.ThumbnailQuality.fast"
        case .draft: "PlatformImage.ThumbnailQuality.draft"
        }
    }
}

extension ResampleFilter {
    fileprivate var fingerprint: String {
        switch self {
        case .nearest: "PlatformImage.ResampleFilter.nearest"
        case .box: "PlatformImage.ResampleFilter.box"
        case .bilinear: "PlatformImage.ResampleFilter.triangle"
        case .mitchell: "PlatformImage.ResampleFilter.mitchell"
        case .lanczos3: "PlatformImage.ResampleFilter.lanczos3"
        }
    }
}

extension PixelRectangle {
    fileprivate var fingerprint: String { "\(width)x\(height)\(x < 0 ? "" : "+")\(x)\(y < 0 ? "" : "+")\(y)" }
}

extension RGBA8 {
    fileprivate var fingerprint: String {
        "PlatformImage.RGBA8(red: \(red), green: \(green), blue: \(blue), alpha: \(alpha))"
    }
}

extension EncodeOptions {
    fileprivate var fingerprint: String {
        "EncodeOptions(png: \(png.fingerprint), jpeg: \(jpeg.fingerprint), maxBytes: \(optional(maxBytes))"
            + "\(webPFingerprint))"
    }

    /// `--quality` sets both qualities, so that of WebP is added only if it differs from that of JPEG.
    private var webPFingerprint: String {
        var usual = WebPOptions()
        usual.quality = jpeg.quality
        guard webp != usual else { return "" }
        return ", webP: lossless \(webp.isLossless), effort \(webp.effort.rawValue), quality \(webp.quality)"
    }
}

extension PNGOptions {
    fileprivate var fingerprint: String {
        "PlatformImage.PNGOptions(compressionLevel: \(compressionLevel), filter: \(filter.fingerprint), "
            + "reducesColors: \(reducesColors), declaresSRGB: \(declaresSRGB))"
    }
}

extension PNGFilter {
    fileprivate var fingerprint: String {
        switch self {
        case .none: "PlatformImage.PNGFilter.none"
        case .sub: "PlatformImage.PNGFilter.sub"
        case .up: "PlatformImage.PNGFilter.up"
        case .average: "PlatformImage.PNGFilter.average"
        case .paeth: "PlatformImage.PNGFilter.paeth"
        case .adaptive: "PlatformImage.PNGFilter.adaptive"
        case .automatic: "PlatformImage.PNGFilter.automatic"
        }
    }
}

extension JPEGOptions {
    fileprivate var fingerprint: String {
        "PlatformImage.JPEGOptions(quality: \(quality), isProgressive: \(isProgressive), "
            + "chromaSubsampling: \(chromaSubsampling.fingerprint), optimizesHuffman: \(optimizesHuffman), "
            + "background: \(background.fingerprint))"
    }
}

extension ChromaSubsampling {
    fileprivate var fingerprint: String {
        switch self {
        case .ratio420: "PlatformImage.ChromaSubsampling.ratio420"
        case .ratio422: "PlatformImage.ChromaSubsampling.ratio422"
        case .ratio444: "PlatformImage.ChromaSubsampling.ratio444"
        }
    }
}

/// Returns `nil`, or `Optional(...)` around the value, as Swift prints optionals.
private func optional(_ value: (some CustomStringConvertible)?) -> String {
    value.map { "Optional(\($0))" } ?? "nil"
}
