/// The metadata of an image file: EXIF, XMP and IPTC as stored, without interpretation.
///
/// ``ImageDecoder/metadata(of:as:)`` reads it from a file; ``EncodeOptions/metadata`` writes it to a file,
/// as far as ``EncodeOptions/metadataPolicy`` allows. The ICC profile is not part of it, because it describes the
/// pixels: see ``ImageDecoder/keepingProfile(of:as:)``.
public struct ImageMetadata: Hashable, Sendable {
    /// The EXIF block, starting with its TIFF header (`II` or `MM`); nil for none.
    public var exif: [UInt8]?
    /// The XMP packet in UTF-8 (ISO 16684-1); nil for none.
    public var xmp: [UInt8]?
    /// The data sets of IPTC-IIM 4.2, each starting with the byte 0x1C; nil for none.
    public var iptc: [UInt8]?

    /// Metadata of these blocks; without arguments, no metadata.
    public init(exif: [UInt8]? = nil, xmp: [UInt8]? = nil, iptc: [UInt8]? = nil) {
        self.exif = exif
        self.xmp = xmp
        self.iptc = iptc
    }

    /// True when there is no block.
    public var isEmpty: Bool { exif == nil && xmp == nil && iptc == nil }
}

extension ImageMetadata: CustomStringConvertible {
    /// The sizes of the blocks, in one line.
    public var description: String { "ImageMetadata(\(summary))" }

    var summary: String {
        [("exif", exif), ("xmp", xmp), ("iptc", iptc)]
            .compactMap { name, block in block.map { "\(name): \($0.count) bytes" } }.joined(separator: ", ")
    }
}

extension ImageMetadata {
    /// The part that a policy keeps, for an upright image of this size.
    ///
    /// Every block is rewritten: orientation, embedded thumbnails and other facts about the pixels of the source are
    /// removed, and the size in EXIF is that of the new image. A block that cannot be parsed is omitted.
    ///
    /// - Parameters:
    ///   - hasProfile: True when the file contains a profile; false when its pixels are sRGB.
    ///   - flag: When it is raised, blocks are omitted: the caller polls it afterwards.
    package func filtered(
        by policy: MetadataPolicy, width: Int, height: Int, hasProfile: Bool = false,
        cancellation flag: CancellationFlag? = nil
    ) -> Self {
        guard policy != .strip else { return Self() }
        let pixels = EXIFTree.Pixels(width: width, height: height, hasProfile: hasProfile)
        return Self(
            exif: exif.flatMap { EXIFTree($0.span)?.filtered(by: policy, for: pixels).block },
            xmp: xmp.flatMap { XMPFilter.filter($0, by: policy, cancellation: flag) },
            iptc: iptc.flatMap { IPTCRecords($0)?.filtered(by: policy, cancellation: flag) })
    }

    /// Bytes of all blocks.
    package var byteCount: Int {
        [exif, xmp, iptc].reduce(0) { $0.addingClamped($1?.count ?? 0) }
    }
}
