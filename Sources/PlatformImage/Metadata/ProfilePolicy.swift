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

extension ImageDecoder {
    /// A decoder whose pixels of this file match the returned profile.
    ///
    /// The profile is nil when the pixels of the returned decoder are sRGB: the file has no ICC profile, its profile is
    /// not usable, or it describes gray, CMYK or Lab samples, which are decoded to RGB. Otherwise the decoder does not
    /// convert colours; write the profile with ``EncodeOptions/iccProfile``. Colours that are added later, such as
    /// ``ThumbnailOptions/background``, are then values in the colour space of the profile. The embedded thumbnails of
    /// cameras can be in another colour space: do not combine a profile with
    /// ``ThumbnailOptions/usesEmbeddedThumbnail``.
    ///
    /// - Parameters:
    ///   - bytes: The complete file.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    /// - Throws: The errors of ``header(of:as:cancellation:)-([UInt8],_,_)``.
    public func keepingProfile(
        of bytes: Span<UInt8>, as contentType: ContentType? = nil
    ) throws(DecodeError) -> (decoder: ImageDecoder, profile: [UInt8]?) {
        let (source, profile) = try sourceProfile(of: bytes, as: contentType)
        var decoder = self
        decoder.options.convertsToSRGB = source != .rgb
        return (decoder, source == .rgb ? profile : nil)
    }

    /// A decoder whose pixels of a file in an array match the returned profile, as the method that takes a span returns
    /// it.
    public func keepingProfile(
        of bytes: [UInt8], as contentType: ContentType? = nil
    ) throws(DecodeError) -> (decoder: ImageDecoder, profile: [UInt8]?) {
        try keepingProfile(of: bytes.span, as: contentType)
    }

    /// The colour definition of a file, and its ICC profile.
    package func sourceProfile(
        of bytes: Span<UInt8>, as contentType: ContentType? = nil
    ) throws(DecodeError) -> (source: ProfilePolicy.Source, profile: [UInt8]?) {
        if let isolated = isolated(bytes, as: contentType, nil) { return try isolated.sourceProfile(bytes) }
        let source = try SourceImage(bytes, declared: contentType, options: options)
        guard source.bmp == nil, source.header.profileSource == .icc, let profile = try source.iccProfile(in: bytes)
        else {
            return (.noProfile, nil)
        }
        switch source.header.colorModel {
        case .rgb, .indexed, .ycbcr: break
        default: return (.otherModel, profile)
        }
        var damage = Damage()
        _ = try transforms.transform(
            header: source.codecHeader, icc: profile, format: source.call.format, damage: &damage)
        guard damage.warnings.isEmpty, ColorProfile.isRGB(profile) else { return (.unusable, profile) }
        return (.rgb, profile)
    }
}
