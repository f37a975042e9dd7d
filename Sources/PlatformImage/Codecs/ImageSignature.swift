/// The file format detected from the first bytes.
public enum ImageSignature: Hashable, Sendable {
    /// A format that this build decodes.
    case decodable(ImageFormat)
    /// A recognised but unsupported format, by its name in ``DecodeError/detail``: `avif`, `heic`, `jpegxl`,
    /// `jpeg2000`, `svg`, `cgbi`; in a build without the trait `WebP`, also `webp`.
    case refused(String)
    /// No known signature.
    case unknown

    /// Detects the format from at most the first 1,024 bytes.
    public init(of bytes: Span<UInt8>) {
        self = CodecCall.signature(of: bytes)
    }

    /// Detects the format of the bytes in an array from at most the first 1,024 bytes.
    public init(of bytes: [UInt8]) { self.init(of: bytes.span) }
}

extension ImageFormat {
    /// The format of the signature; nil when no signature matches or the format is not supported.
    ///
    /// Reads at most the first 1,024 bytes. For BMP the letters `BM` are not sufficient: the header size and the
    /// pixel offset must be plausible too.
    public init?(signatureOf bytes: Span<UInt8>) {
        guard case .decodable(let format) = ImageSignature(of: bytes) else { return nil }
        self = format
    }

    /// The format of the signature of the bytes in an array; nil when no signature matches or the format is not
    /// supported.
    public init?(signatureOf bytes: [UInt8]) { self.init(signatureOf: bytes.span) }
}
