/// Inserts metadata and a profile into encoded files.
struct MetadataWriter {
    /// A part that is inserted or appended, in bytes of the file format.
    struct Parts {
        /// Inserted after the header of the file.
        var head: [UInt8] = []
        /// Appended to the file.
        var tail: [UInt8] = []
        /// Bits for the flags of WebP's VP8X chunk.
        var webPFlags: UInt8 = 0
    }

    let format: EncodedFormat
    let width: Int
    let height: Int
    private(set) var parts = Parts()

    /// Prepares the blocks that the policy of `options` keeps, for an image of this size.
    init(_ options: EncodeOptions, format: EncodedFormat, width: Int, height: Int) {
        self.format = format
        self.width = width
        self.height = height
        let (policy, profile) = (options.metadataPolicy, options.iccProfile)
        var metadata = options.metadata.filtered(
            by: policy, width: width, height: height, hasProfile: profile != nil)
        switch format {
        case .png: parts = Self.pngParts(metadata, profile)
        case .jpeg:
            if let exif = metadata.exif, exif.count > Self.maxSegmentEXIF {
                metadata.exif = Self.reduced(exif)
            }
            parts = Self.jpegParts(metadata, profile)
        case .webp:
            // WebP has no IPTC: the by-line and the copyright notice become EXIF fields where EXIF has none.
            if let records = metadata.iptc.flatMap({ IPTCRecords($0) }) {
                var tree = metadata.exif.flatMap { EXIFTree($0.span) } ?? EXIFTree(order: .big)
                tree.add(artist: records.credits.artist, copyright: records.credits.copyright)
                metadata.exif = tree.block
            }
            parts = Self.webPParts(metadata, profile)
        case .gif: break
        }
    }

    /// True when the file is written without changes.
    var isEmpty: Bool { parts.head.isEmpty && parts.tail.isEmpty }

    /// The maximum number of bytes by which ``insert(into:)`` enlarges a file.
    var byteCount: Int {
        isEmpty ? 0 : parts.head.count + parts.tail.count + (format == .webp ? Self.webPHeaderByteCount : 0)
    }

    /// The file with the blocks; unchanged when there are none.
    func insert(into file: [UInt8]) -> [UInt8] {
        guard !isEmpty else { return file }
        switch format {
        case .png: return insertAfter(Self.pngHeaderByteCount, of: file)
        case .jpeg: return insertAfter(Self.jpegHeaderByteCount(file), of: file)
        case .webp: return insertIntoWebP(file)
        case .gif: return file
        }
    }

    private func insertAfter(_ count: Int, of file: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(file.count + byteCount)
        result += file[..<count]
        result += parts.head
        result += file[count...]
        return result
    }

    /// An EXIF block that fits into a JPEG segment: without the maker note, or with the copyright alone; nil when this
    /// is too large, too.
    private static func reduced(_ exif: [UInt8]) -> [UInt8]? {
        guard let tree = EXIFTree(exif.span) else { return nil }
        let pixels = EXIFTree.Pixels(width: 1, height: 1, hasProfile: false)
        return [tree.withoutMakerNote, tree.filtered(by: .copyright, for: pixels)].lazy
            .compactMap(\.block).first { $0.count <= maxSegmentEXIF }
    }
}
