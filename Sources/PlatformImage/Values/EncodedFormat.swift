/// A file format that ``ImageEncoder`` writes.
///
/// A minor version may add cases: a `switch` in another package needs `@unknown default`.
@nonexhaustive
public enum EncodedFormat: String, CaseIterable, Sendable {
    /// PNG, lossless; an animation becomes an APNG.
    case png
    /// JPEG, baseline or progressive, 8 bits.
    case jpeg
    /// WebP, lossy or lossless, still or animated. Without the trait `WebP`, which is on by default, encoding throws
    /// ``EncodeError/Code/unsupportedFormat``.
    case webp
    /// GIF with at most 256 colours per frame, still or animated.
    case gif

    /// The registered content type.
    public var contentType: ContentType {
        switch self {
        case .png: .png
        case .jpeg: .jpeg
        case .webp: .webp
        case .gif: .gif
        }
    }

    /// The usual file name extension, without a dot: `png`, `jpg`, `webp` or `gif`.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// False when this build has no encoder for the format: ``webp`` without the trait `WebP`.
    public var isAvailable: Bool {
        #if WebP
        true
        #else
        self != .webp
        #endif
    }
}
