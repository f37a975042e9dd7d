import PlatformImage

/// Metadata and ICC profile of a source for its result.
struct SourceMetadata: Sendable {
    /// EXIF, XMP and IPTC as stored in the source; the encoder rewrites it by ``policy``.
    let metadata: ImageMetadata
    let policy: MetadataPolicy
    /// ICC profile of the pixels; nil when the pixels are converted to sRGB.
    let profile: [UInt8]?

    /// Maximum size in bytes of a profile that a result contains. Profiles of RGB displays have fewer than 1,000 bytes
    /// to about 600 kB; each result repeats the profile.
    static let maxProfileBytes = 1 << 20

    /// Reads what the output contains.
    ///
    /// - Parameters:
    ///   - format: The format of the result; GIF has neither metadata nor a profile.
    ///   - decoder: Decoder with the page of the request selected.
    init(
        of bytes: [UInt8], for output: OutputFormatRequest, _ format: ResultFormat, _ decoder: ImageDecoder
    ) throws(DecodeError) {
        guard output.kind == .image, !format.mayBeGIF else {
            (metadata, policy, profile) = (ImageMetadata(), .strip, nil)
            return
        }
        policy = output.metadata.policy
        metadata = policy == .strip ? ImageMetadata() : try decoder.metadata(of: bytes)
        guard output.metadata.keepsProfile else {
            profile = nil
            return
        }
        let kept = try decoder.keepingProfile(of: bytes).profile
        profile = (kept?.count ?? 0) > Self.maxProfileBytes ? nil : kept
    }

    /// Bytes of metadata and profile.
    var byteCount: Int {
        [metadata.exif, metadata.xmp, metadata.iptc, profile].reduce(0) { $0 + ($1?.count ?? 0) }
    }

    /// Upper estimate of the memory for metadata and profile during the render in bytes: the blocks themselves, the
    /// rewritten blocks, and two files that contain them.
    var renderByteCount: Int { byteCount.multipliedClamped(by: 4) }

    /// Adds metadata and profile to encoder options.
    func add(to options: inout EncodeOptions) {
        (options.metadata, options.metadataPolicy, options.iccProfile) = (metadata, policy, profile)
    }
}

extension ResultFormat {
    /// True when the result is a GIF, or may become one after its opacity is known.
    fileprivate var mayBeGIF: Bool { still(isOpaque: true) == .gif || still(isOpaque: false) == .gif }
}
