import PlatformImage

/// A parsed request, independent of the dialect: source, operations, output and cache policy.
struct ThumbnailRequest: Hashable, Sendable {
    var source: SourceName
    var operations: Operations
    var output: OutputFormatRequest
    var policy = ResponsePolicy()
}

/// Source of an image as named by a target; only its syntax has been checked.
enum SourceName: Hashable, Sendable {
    /// An absolute URL in ASCII, percent-encoded as it is sent to the origin.
    case url(String)
    /// A path below the configured root, percent-decoded once.
    case file(String)
    /// The body of the request.
    case body
    /// An IIIF identifier, percent-decoded once; a configured map converts it to a source.
    case identifier(String)
}

/// Properties of a response that affect its header only; they are not part of the canonical form.
struct ResponsePolicy: Hashable, Sendable {
    /// Maximum lifetime of the response in seconds; nil for no limit.
    var maxAge: Int?
    /// Latest expiry of the response in milliseconds since 1970; nil for no limit.
    var expires: Int64?
    /// File name of `attachment(name)`; empty for an attachment without a name, nil for an inline response.
    var attachmentName: String?
    /// Names of unknown filters, in the order of their first use, without duplicates. Each name consists of ASCII
    /// letters, digits, `_` and `-`.
    var ignoredFilters: [String] = []
}

/// Requested output. If no encoder for the requested format is built in, the result has another format
/// (`ResultFormat`).
struct OutputFormatRequest: Hashable, Sendable {
    /// Formats that targets can name.
    enum Format: String, Hashable, Sendable, CaseIterable { case jpeg, png, gif, tiff, webp, avif, heif }

    /// Requested format; nil for the source's format. A source in a format that cannot be encoded then becomes PNG if
    /// it has alpha or a palette, JPEG otherwise.
    var format: Format?
    /// Formats that negotiation selects when ``format`` is nil.
    var negotiated = NegotiatedFormats.standard
    /// Quality of JPEG and WebP, 1 to 100.
    var quality: Int
    /// Maximum size of a JPEG or WebP with one frame in bytes; nil for no limit. The quality is lowered until the file
    /// fits, but not below ``ResultEncoding/lowestQuality``.
    var maxBytes: Int?
    /// Encodes a result without transparency as JPEG instead of PNG or GIF, unless ``format`` is set.
    var prefersJPEG = false
    /// Uses only the first frame of an animated source.
    var isStill = false
    /// Metadata and profile of the source that the result contains.
    var metadata = OutputMetadata()
    /// Content of the response.
    var kind = Kind.image

    enum Kind: Hashable, Sendable {
        case image
        /// JSON about the source and the operations.
        case meta(blurHash: Bool)
        /// `info.json` of IIIF.
        case iiifInfo
    }
}

extension EncodedFormat {
    /// Maps a requested format to an encoder; nil when none is built in.
    init?(_ requested: OutputFormatRequest.Format) {
        switch requested {
        case .png: self = .png
        case .jpeg: self = .jpeg
        case .gif: self = .gif
        case .webp: self = .webp
        case .tiff, .avif, .heif: return nil
        }
        guard isAvailable else { return nil }
    }
}

extension OutputFormatRequest.Format {
    /// Formats whose encoders are built in.
    static let encodable = Set(allCases.filter { EncodedFormat($0) != nil })

    /// File extension in IIIF targets; nil for formats without one in the IIIF Image API.
    var iiifSuffix: String? {
        switch self {
        case .jpeg: "jpg"
        case .png: "png"
        case .gif: "gif"
        case .tiff: "tif"
        case .webp: "webp"
        case .avif, .heif: nil
        }
    }
}

extension ResponsePolicy {
    /// Value of `Content-Disposition`: `inline`, unless the target has `attachment(name)` (RFC 6266 §4).
    ///
    /// A name with a byte that cannot be literal in a quoted string is sent twice: with such bytes replaced by `_` for
    /// old clients, and encoded as in RFC 8187.
    var contentDisposition: String {
        guard let name = attachmentName else { return "inline" }
        guard !name.isEmpty else { return "attachment" }
        let plain = String(decoding: name.utf8.map { Self.isQuotable($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        let field = "attachment; filename=\"\(plain)\""
        guard !name.utf8.allSatisfy(Self.isQuotable) else { return field }
        return "\(field); filename*=UTF-8''\(PercentEncoding.encode(name, allowed: Self.plainBytes))"
    }

    /// `attr-char` of RFC 8187 §3.2.1.
    private static let plainBytes = ASCIISet.alphanumerics.union("!#$&+-.^_`|~")

    /// Returns true for a byte that may be literal in a quoted file name. Percent signs are excluded because some
    /// clients decode percent-encoding, and slashes because they separate directories (RFC 6266 §4.3).
    private static func isQuotable(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && !"\"\\%/".utf8.contains(byte)
    }
}
