/// What the first bytes of a file say.
public enum ImageSignature: Hashable, Sendable {
    /// One of the five formats.
    case decodable(ImageFormat)
    /// A format that is recognised and refused, by its name in ``DecodeError/detail``: `webp`, `avif`, `heic`,
    /// `jpegxl`, `jpeg2000`, `svg`, `cgbi`.
    case refused(String)
    /// None of these.
    case unknown

    /// Looks at the first 1,024 bytes at most.
    public init(of bytes: Span<UInt8>) {
        self = CodecCall.signature(of: bytes)
    }

    /// Looks at the first 1,024 bytes of an array at most; the same as for a span.
    public init(of bytes: [UInt8]) { self.init(of: bytes.span) }
}

extension ImageFormat {
    /// The format that the first bytes claim to be; nil when no signature matches or the format is refused.
    ///
    /// Looks at the first 1,024 bytes at most. BMP's two letters are not enough: a header size that exists and a
    /// plausible pixel offset are asked for too.
    public init?(signatureOf bytes: Span<UInt8>) {
        guard case .decodable(let format) = ImageSignature(of: bytes) else { return nil }
        self = format
    }

    /// The format that the first bytes claim to be, from an array; the same as for a span.
    public init?(signatureOf bytes: [UInt8]) { self.init(signatureOf: bytes.span) }
}
