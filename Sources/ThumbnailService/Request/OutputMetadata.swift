import PlatformImage

/// Metadata and ICC profile of a source that its result contains: the configured policy, and the filters `strip_exif`
/// and `strip_icc` of the target.
struct OutputMetadata: Hashable, Sendable {
    /// The configured policy.
    let configured: MetadataPolicy
    /// True after the filter `strip_exif()`, if it has an effect.
    private(set) var stripsEXIF = false
    /// True after the filter `strip_icc()`, if it has an effect.
    private(set) var stripsProfile = false

    init(_ configured: MetadataPolicy = .strip) { self.configured = configured }

    /// Applies `strip_exif()`, which removes EXIF, XMP and IPTC. The policy `copyright` stays in effect, as thumbor's
    /// PRESERVE_EXIF_COPYRIGHT_INFO does.
    mutating func stripEXIF() { stripsEXIF = configured != .strip && configured != .copyright }

    /// Applies `strip_icc()`: the pixels are converted to sRGB, and the file has no profile.
    mutating func stripProfile() { stripsProfile = configured != .strip }

    /// The policy for EXIF, XMP and IPTC.
    var policy: MetadataPolicy { stripsEXIF ? .strip : configured }

    /// True when the result has the colour space and the profile of its source, if its format and the profile allow it.
    var keepsProfile: Bool { configured != .strip && !stripsProfile }
}
