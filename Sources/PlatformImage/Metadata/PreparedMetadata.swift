/// Metadata of a source after a policy was applied, for encoded images of one size.
///
/// ``ImageDecoder/preparedMetadata(of:as:for:cancellation:)`` makes it once for any number of encodes
/// of any format and quality. With ``ImageDecoder/isolation``, the blocks of the file are read, filtered and written in
/// the worker process; the encoder copies the results into its files.
public struct PreparedMetadata: Hashable, Sendable {
    /// The policy, and the facts about the new image that metadata contains.
    public struct Request: Hashable, Sendable {
        /// The part of the metadata that is kept.
        public var policy: MetadataPolicy
        /// Width of the encoded image in pixels.
        public var width: Int
        /// Height of the encoded image in pixels.
        public var height: Int
        /// True when the encoded image has an ICC profile; false when its pixels are sRGB.
        public var hasProfile: Bool

        /// A request for an upright image of this size.
        public init(policy: MetadataPolicy, width: Int, height: Int, hasProfile: Bool = false) {
            self.policy = policy
            self.width = width
            self.height = height
            self.hasProfile = hasProfile
        }
    }

    /// The request that these blocks were made for.
    public let request: Request
    /// EXIF, XMP and IPTC that the policy keeps; blocks that cannot be parsed are omitted.
    public let metadata: ImageMetadata
    /// The EXIF block of a JPEG, whose segments have at most 64 KiB: without the maker note, or with copyright and
    /// author alone, when the complete block is larger.
    let jpegEXIF: [UInt8]?
    /// The EXIF block of a WebP, which has no IPTC: with the by-line and the copyright notice of IPTC where EXIF has
    /// none.
    let webPEXIF: [UInt8]?

    /// Maximum bytes of an EXIF block in a JPEG segment: the length field has 16 bits and counts itself, and the
    /// identifier has 6 bytes.
    static let maxJPEGByteCount = 65_535 - 2 - 6

    /// - Parameter flag: When it is raised, blocks are omitted: the caller polls it afterwards.
    init(_ source: ImageMetadata, _ request: Request, cancellation flag: CancellationFlag?) {
        self.request = request
        metadata = source.filtered(
            by: request.policy, width: request.width, height: request.height, hasProfile: request.hasProfile,
            cancellation: flag)
        jpegEXIF = metadata.exif.flatMap { $0.count <= Self.maxJPEGByteCount ? $0 : Self.reduced($0) }
        webPEXIF = Self.withCredits(metadata)
    }

    /// Blocks of a worker.
    init(_ request: Request, metadata: ImageMetadata, jpegEXIF: [UInt8]?, webPEXIF: [UInt8]?) {
        self.request = request
        self.metadata = metadata
        self.jpegEXIF = jpegEXIF
        self.webPEXIF = webPEXIF
    }

    /// The blocks for a file of a format, in the form of the source.
    func metadata(for format: EncodedFormat) -> ImageMetadata {
        switch format {
        case .png: metadata
        case .jpeg: ImageMetadata(exif: jpegEXIF, xmp: metadata.xmp, iptc: metadata.iptc)
        case .webp: ImageMetadata(exif: webPEXIF, xmp: metadata.xmp)
        case .gif: ImageMetadata()
        }
    }

    /// Bytes of all blocks.
    package var byteCount: Int {
        [jpegEXIF, webPEXIF].reduce(metadata.byteCount) { $0.addingClamped($1?.count ?? 0) }
    }

    /// An EXIF block that fits into a JPEG segment: without the maker note, or with the copyright alone; nil when this
    /// is too large, too.
    private static func reduced(_ exif: [UInt8]) -> [UInt8]? {
        guard let tree = EXIFTree(exif.span) else { return nil }
        let pixels = EXIFTree.Pixels(width: 1, height: 1, hasProfile: false)
        return [tree.withoutMakerNote, tree.filtered(by: .copyright, for: pixels)].lazy
            .compactMap(\.block).first { $0.count <= maxJPEGByteCount }
    }

    private static func withCredits(_ metadata: ImageMetadata) -> [UInt8]? {
        guard let records = metadata.iptc.flatMap({ IPTCRecords($0) }) else { return metadata.exif }
        var tree = metadata.exif.flatMap { EXIFTree($0.span) } ?? EXIFTree(order: .big)
        let credits = records.credits
        tree.add(artist: credits.artist, copyright: credits.copyright)
        return tree.block
    }
}

extension PreparedMetadata: CustomStringConvertible {
    /// The policy and the sizes of the blocks, in one line.
    public var description: String { "PreparedMetadata(\(request.policy.rawValue), \(metadata.summary))" }
}
