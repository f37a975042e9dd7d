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
        case "image/png", "image/apng", "image/x-png", "image/x-apng", "image/vnd.mozilla.apng", "image/x-citrix-png":
            self = .png
        case "image/jpeg", "image/jpg", "image/jpe", "image/jfif", "image/pjpeg", "image/pjpg", "image/x-jpeg",
            "image/x-jpg", "image/x-pjpeg", "image/x-citrix-jpeg", "image/vnd.swiftview-jpeg", "application/jpg",
            "application/x-jpg":
            self = .jpeg
        case "image/gif", "image/x-gif", "image/vnd.gif", "image/x-citrix-gif": self = .gif
        case "image/tiff", "image/tif", "image/tiff-fx", "image/x-tiff", "image/x-tif", "application/tiff",
            "application/tif":
            self = .tiff
        case "image/bmp", "image/x-bmp", "image/x-ms-bmp", "image/ms-bmp", "image/x-windows-bmp", "image/vnd.ms-bmp",
            "image/x-bitmap", "image/x-win-bitmap", "image/x-dib", "application/bmp", "application/x-bmp":
            self = .bmp
        case "image/webp", "image/x-webp": self = .webp
        case "application/png", "application/x-png": self = .png
        case "application/gif", "application/x-gif": self = .gif
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
