#if Service
import PlatformImage

/// What every dialect parses into, without I/O: one source, what is done to it, and how the answer may be kept.
struct ThumbnailRequest: Hashable, Sendable {
    var source: SourceName
    var operations: Operations
    var output: OutputWish
    var policy = AnswerPolicy()
}

/// Where the picture comes from, as a target names it; nothing about it is checked yet but its spelling.
enum SourceName: Hashable, Sendable {
    /// An absolute URL of ASCII characters, percent-encoded as it goes to the origin.
    case url(String)
    /// A path under the configured root, percent-decoded once.
    case file(String)
    /// The body of the request.
    case body
    /// An identifier of IIIF, percent-decoded once; a configured map turns it into a source.
    case identifier(String)
}

/// What changes the head of an answer and never a byte of the picture: no part of the canonical form.
struct AnswerPolicy: Hashable, Sendable {
    /// Seconds: the answer is fresh for no longer; nil without such a wish.
    var maxAge: Int?
    /// Milliseconds since 1970: the answer is fresh until then at most.
    var expires: Int64?
    /// The file name of `attachment(name)`; empty for one without a name, nil for an answer shown in place.
    var attachmentName: String?
    /// Names of filters that are not known, in order, each once: letters, digits, `_` and `-`.
    var ignoredFilters: [String] = []
}

/// What the result is to be encoded as. What is built in decides whether the wish comes true.
struct OutputWish: Hashable, Sendable {
    /// Formats that targets name.
    enum Format: String, Hashable, Sendable, CaseIterable { case jpeg, png, gif, tiff, webp, avif, heif }

    /// Nil: the source's format if it can be written, else PNG with alpha or a palette, JPEG otherwise.
    var format: Format?
    /// 1 to 100.
    var quality: Int
    /// The quality is lowered until the result has no more bytes; nil without such a limit.
    var maxBytes: Int?
    /// Turns a PNG without transparency into JPEG when ``format`` is nil.
    var prefersJPEG = false
    /// What the answer is about.
    var kind = Kind.image

    enum Kind: Hashable, Sendable {
        case image
        /// JSON about the source and the operations.
        case meta(blurHash: Bool)
        /// `info.json` of IIIF.
        case iiifInfo
    }
}

extension OutputWish.Format {
    /// As the last part of a IIIF target names it; nil for what the API has no name for.
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

extension AnswerPolicy {
    /// The value of `Content-Disposition`: `inline`, unless the target has `attachment(name)` (RFC 6266 §4).
    ///
    /// A name that is more than ASCII without quotes comes twice: readable for old clients, and as RFC 8187 encodes it.
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

    /// A byte that stands for itself between quotes; clients take a percent sign for an escape now and then.
    private static func isQuotable(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && !"\"\\%/".utf8.contains(byte)
    }
}
#endif
