/// The colour space of an encoded file.
///
/// A minor version may add cases: a `switch` in another package needs `@unknown default`.
@nonexhaustive
public enum ProfilePolicy: String, CaseIterable, Sendable {
    /// Pixels in sRGB, without a profile.
    case sRGB = "srgb"
    /// Pixels in the colour space of the source, with its ICC profile, for wide-gamut output; sRGB when the source has
    /// no RGB profile that describes its pixels.
    case keep
}

extension ProfilePolicy {
    /// The colour definition of a source.
    package enum Source: String, CaseIterable {
        /// No definition, or one in PNG chunks or TIFF tags instead of an ICC profile.
        case noProfile
        /// An RGB profile of an image with RGB, indexed or YCbCr samples.
        case rgb
        /// A profile of gray, CMYK or Lab samples, which are decoded to RGB.
        case otherModel
        /// A profile that the colour management rejects, or that does not match the samples.
        case unusable
    }

    /// True when the pixels stay in the colour space of the source and its profile is embedded; false when they are
    /// converted to sRGB and no profile is embedded. The two always go together.
    ///
    /// - Parameters:
    ///   - source: The colour definition of the source.
    ///   - requested: The requested colour space; nil for that of the metadata policy: with ``MetadataPolicy/strip``
    ///     sRGB, with all other policies the profile is kept.
    ///   - format: The format of the new file; GIF has no profiles.
    package static func keepsProfile(
        of source: Source, requested: Self?, metadata: MetadataPolicy, format: EncodedFormat
    ) -> Bool {
        let policy = requested ?? (metadata == .strip ? .sRGB : .keep)
        return policy == .keep && source == .rgb && format != .gif
    }
}
