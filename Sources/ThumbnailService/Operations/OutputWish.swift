#if Service
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
#endif
