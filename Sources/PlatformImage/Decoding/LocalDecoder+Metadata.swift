extension LocalDecoder {
    /// The header without those values that need more of the file than the header, such as the number of frames.
    func shortHeader(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageHeader { try source(bytes).header }

    /// As ``ImageDecoder/iccProfile(of:)``.
    func iccProfile(_ bytes: Span<UInt8>) throws(DecodeError) -> [UInt8]? { try source(bytes).iccProfile(in: bytes) }

    /// As ``ImageDecoder/sourceProfile(of:as:)``.
    func sourceProfile(_ bytes: Span<UInt8>) throws(DecodeError) -> (source: ProfilePolicy.Source, profile: [UInt8]?) {
        let source = try source(bytes)
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

    /// As ``ImageDecoder/metadata(of:as:)``.
    func metadata(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageMetadata {
        // Metadata is read without polling the flag.
        let source = try SourceImage(bytes, declared: contentType, options: options)
        let header = source.header
        var limits = MetadataLimits(options.limits)
        var metadata = ImageMetadata()
        if let range = header.exifRange { metadata.exif = limits.copy(range, of: bytes) }
        switch header.format {
        case .jpeg: JPEGMetadata.read(bytes, into: &metadata, &limits)
        case .png: PNGMetadata.read(bytes, maxChunks: options.limits.maxChunks ?? .max, into: &metadata, &limits)
        case .webp: WebPMetadata.read(bytes, into: &metadata, &limits)
        case .tiff:
            let (directory, parent) = source.codecHeader.directories
            TIFFMetadata.read(bytes, directory: directory, parent: parent, into: &metadata, &limits)
        case .gif, .bmp: break
        }
        return metadata
    }

    /// As ``ImageDecoder/preparedMetadata(of:as:for:cancellation:)``.
    func preparedMetadata(
        _ bytes: Span<UInt8>, _ request: PreparedMetadata.Request
    ) throws(DecodeError) -> PreparedMetadata {
        let source = request.policy == .strip ? ImageMetadata() : try metadata(bytes)
        let prepared = PreparedMetadata(source, request, cancellation: flag)
        try flag?.poll()
        return prepared
    }
}
