/// A format that this package decodes.
public enum ImageFormat: String, CaseIterable, Sendable {
    /// PNG and APNG.
    case png
    case jpeg
    case gif
    /// TIFF and BigTIFF.
    case tiff
    case bmp

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

    /// The format that a content type names, aliases included (`image/jpg`, `image/x-ms-bmp`, `image/apng`); nil for
    /// other types.
    public init?(_ contentType: ContentType) {
        switch contentType.description {
        case "image/png", "image/apng", "image/x-png", "image/vnd.mozilla.apng": self = .png
        case "image/jpeg", "image/jpg", "image/pjpeg": self = .jpeg
        case "image/gif": self = .gif
        case "image/tiff", "image/tiff-fx", "image/x-tiff": self = .tiff
        case "image/bmp", "image/x-bmp", "image/x-ms-bmp", "image/x-windows-bmp": self = .bmp
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
        }
    }
}

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
