import PlatformImage

/// Metadata and ICC profile of a source for its result.
struct SourceMetadata: Sendable {
    /// EXIF, XMP and IPTC after the policy was applied; nil for none.
    let prepared: PreparedMetadata?
    /// ICC profile of the pixels; nil when the pixels are converted to sRGB.
    let profile: [UInt8]?
    /// Size of the metadata that the result lacks because it exceeds ``maxByteCount``; 0 for none.
    let droppedByteCount: Int

    /// Maximum size of the metadata of a result in bytes: each result, and each entry of the caches, repeats it.
    static let maxByteCount = 65_536
    /// Maximum size in bytes of a profile that a result contains. Profiles of RGB displays have fewer than 1,000 bytes
    /// to about 600 kB; each result repeats the profile.
    static let maxProfileBytes = 1 << 20

    /// Reads what the output contains.
    ///
    /// - Parameters:
    ///   - format: The format of the result; GIF has neither metadata nor a profile.
    ///   - width, height: Size of the result in pixels, which metadata contains.
    ///   - decoder: Decoder with the page of the request selected; with isolation, its worker applies the policy.
    init(
        of bytes: [UInt8], for output: OutputFormatRequest, _ format: ResultFormat, width: Int, height: Int,
        _ decoder: ImageDecoder, cancellation: CancellationFlag?
    ) throws(DecodeError) {
        guard output.kind == .image, !format.mayBeGIF else {
            (prepared, profile, droppedByteCount) = (nil, nil, 0)
            return
        }
        let kept = output.metadata.keepsProfile ? try decoder.keepingProfile(of: bytes).profile : nil
        profile = (kept?.count ?? 0) > Self.maxProfileBytes ? nil : kept
        let request = PreparedMetadata.Request(
            policy: output.metadata.policy, width: width, height: height, hasProfile: profile != nil)
        (prepared, droppedByteCount) = try Self.prepare(request, of: bytes, decoder, cancellation)
    }

    private init(_ prepared: PreparedMetadata?, _ profile: [UInt8]?, droppedByteCount: Int) {
        (self.prepared, self.profile, self.droppedByteCount) = (prepared, profile, droppedByteCount)
    }

    /// The metadata of a result of another size.
    func sized(
        width: Int, height: Int, of bytes: [UInt8], _ decoder: ImageDecoder, cancellation: CancellationFlag?
    ) throws(DecodeError) -> Self {
        guard var request = prepared?.request, (request.width, request.height) != (width, height) else { return self }
        (request.width, request.height) = (width, height)
        let (metadata, dropped) = try Self.prepare(request, of: bytes, decoder, cancellation)
        return Self(metadata, profile, droppedByteCount: dropped)
    }

    private static func prepare(
        _ request: PreparedMetadata.Request, of bytes: [UInt8], _ decoder: ImageDecoder,
        _ cancellation: CancellationFlag?
    ) throws(DecodeError) -> (PreparedMetadata?, droppedByteCount: Int) {
        guard request.policy != .strip else { return (nil, 0) }
        let prepared = try decoder.preparedMetadata(of: bytes, for: request, cancellation: cancellation)
        let count = [prepared.metadata.exif, prepared.metadata.xmp, prepared.metadata.iptc]
            .reduce(0) { $0.addingClamped($1?.count ?? 0) }
        return count > maxByteCount ? (nil, count) : (prepared, 0)
    }

    /// Bytes of metadata and profile.
    var byteCount: Int { (prepared?.byteCount ?? 0).addingClamped(profile?.count ?? 0) }

    /// Upper estimate of the memory for metadata and profile during the render in bytes: the blocks themselves, and two
    /// files that contain them.
    var renderByteCount: Int { byteCount.multipliedClamped(by: 4) }

    /// Adds metadata and profile to encoder options.
    func add(to options: inout EncodeOptions) {
        (options.preparedMetadata, options.iccProfile) = (prepared, profile)
        options.metadataPolicy = prepared?.request.policy ?? .strip
    }
}

extension ResultFormat {
    /// True when the result is a GIF, or may become one after its opacity is known.
    fileprivate var mayBeGIF: Bool { still(isOpaque: true) == .gif || still(isOpaque: false) == .gif }
}
