/// A format that this package decodes; ``webp`` only if it is built with the trait `WebP`, which is on by default.
///
/// A minor version may add cases: a `switch` in another package needs `@unknown default`.
@nonexhaustive
public enum ImageFormat: String, CaseIterable, Sendable {
    /// PNG and APNG.
    case png
    case jpeg
    case gif
    /// TIFF and BigTIFF.
    case tiff
    case bmp
    /// WebP, lossy and lossless, still and animated.
    case webp

    /// The format of a content type, including aliases (`image/jpg`, `image/x-ms-bmp`, `image/apng`); nil for other
    /// types.
    public init?(_ contentType: ContentType) {
        switch contentType.description {
        case "image/png", "image/apng", "image/x-png", "image/vnd.mozilla.apng": self = .png
        case "image/jpeg", "image/jpg", "image/pjpeg": self = .jpeg
        case "image/gif": self = .gif
        case "image/tiff", "image/tiff-fx", "image/x-tiff": self = .tiff
        case "image/bmp", "image/x-bmp", "image/x-ms-bmp", "image/x-windows-bmp": self = .bmp
        case "image/webp": self = .webp
        default: return nil
        }
    }

    /// The registered content type.
    public var contentType: ContentType {
        switch self {
        case .png: .png
        case .jpeg: .jpeg
        case .gif: .gif
        case .tiff: .tiff
        case .bmp: .bmp
        case .webp: .webp
        }
    }
}

extension ImageFormat {
    /// True for formats that can contain an animation.
    package var isAnimatable: Bool { self == .gif || self == .png || self == .webp }
}
