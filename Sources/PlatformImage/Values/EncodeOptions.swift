/// A file format that ``ImageEncoder`` writes.
public enum EncodedFormat: String, CaseIterable, Sendable {
    /// PNG, without loss; an animation becomes an APNG.
    case png
    /// JPEG, baseline or progressive, 8 bits.
    case jpeg

    /// `image/png` or `image/jpeg`.
    public var contentType: ContentType { self == .png ? .png : .jpeg }
    /// The usual ending of a file's name, without a dot: `png` or `jpg`.
    public var fileExtension: String { self == .png ? "png" : "jpg" }
}

/// How a bitmap becomes a file. The defaults suit small pictures on a page: compact, quick, no metadata.
public struct EncodeOptions: Hashable, Sendable {
    /// For PNG and APNG.
    public var png = PNGOptions()
    /// For JPEG.
    public var jpeg = JPEGOptions()
    /// The largest file, in bytes; nil for no limit.
    ///
    /// A JPEG that is over it gets the highest lower quality that fits, by binary search over whole numbers from 1 up
    /// to ``JPEGOptions/quality``; a PNG is compressed again at level 9. What fits in neither way throws
    /// ``EncodeError/Code/overMaxBytes``. With 0 and less every call throws `invalidArgument`.
    public var maxBytes: Int?

    /// PNG at level 6, JPEG at quality 80, no limit on bytes.
    public init() {}
}

/// What an encoder of PNG may choose. Every choice keeps all samples, colour under alpha 0 included.
public struct PNGOptions: Hashable, Sendable {
    /// 0 stores, 1 is fastest, 9 packs tightest: 2 to 10 % smaller than 6, at 3 to 40 times its cost.
    ///
    /// With other values encoding a PNG throws `invalidArgument`.
    public var compressionLevel = 6
    /// What is done to rows before they are compressed.
    public var filter = PNGFilter.automatic
    /// Stores gray, gray with alpha, RGB, or a palette of up to 256 colours (of 1, 2, 4 or 8 bits) where that loses
    /// nothing and needs fewer bytes before compression. When false every file is RGBA of 8 bits.
    public var reducesColors = true
    /// Writes an sRGB chunk (13 bytes). A PNG without colour chunks is shown as sRGB anyway.
    public var declaresSRGB = false

    /// Level 6, automatic filters, the smallest colour type, no sRGB chunk.
    public init() {}
}

/// A filter of PNG rows (PNG specification, section 9).
public enum PNGFilter: String, CaseIterable, Sendable {
    /// Rows as they are.
    case none
    /// The difference to the pixel on the left.
    case sub
    /// The difference to the pixel above.
    case up
    /// The difference to the mean of both.
    case average
    /// The difference to the one of left, above and above left that is nearest to their gradient.
    case paeth
    /// For each row the filter that leaves the least sum of magnitudes.
    case adaptive
    /// `none` for palettes and gray of fewer than 8 bits, otherwise `adaptive`. A picture of which half the pixels
    /// equal the one on their left is compressed in both ways, and the smaller result stays.
    case automatic
}

/// What an encoder of JPEG may choose.
public struct JPEGOptions: Hashable, Sendable {
    /// 1...100 on the scale of libjpeg; 75 to 85 is usual for photographs.
    ///
    /// With other values encoding a JPEG throws `invalidArgument`.
    public var quality = 80
    /// Several scans, coarse to fine: a few percent smaller from about 10 kB on.
    ///
    /// Coefficients of the whole picture are held meanwhile: 3 bytes a pixel at 4:2:0, 6 at 4:4:4.
    public var isProgressive = false
    /// How much of the colour resolution is kept.
    public var chromaSubsampling = ChromaSubsampling.ratio420
    /// Huffman tables made for this picture: a few percent smaller. A progressive file always has them.
    ///
    /// When true coefficients are held as for ``isProgressive``; when false rows stream through.
    public var optimizesHuffman = true
    /// What transparent pixels lie on: opaque, its alpha is ignored. White unless changed.
    ///
    /// Each sample becomes `round((c * a + b * (255 - a)) / 255)`.
    public var background = RGBA8(red: 255, green: 255, blue: 255)

    /// Quality 80, 4:2:0, one scan with tables of its own, on white.
    public init() {}
}

/// The resolution at which a JPEG stores colour, against that of brightness.
public enum ChromaSubsampling: String, CaseIterable, Sendable {
    /// Half the width and half the height.
    case ratio420 = "4:2:0"
    /// Half the width.
    case ratio422 = "4:2:2"
    /// All of it: sharp edges between colours stay sharp.
    case ratio444 = "4:4:4"
}

extension EncodeOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line.
    public var description: String {
        let other = EncodeOptions()
        var text = ChangedProperties(of: "EncodeOptions")
        text.add("png", png, default: other.png)
        text.add("jpeg", jpeg, default: other.jpeg)
        text.add("maxBytes", maxBytes, default: other.maxBytes)
        return text.text
    }
}

extension PNGOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line.
    public var description: String {
        let other = PNGOptions()
        var text = ChangedProperties(of: "PNGOptions")
        text.add("compressionLevel", compressionLevel, default: other.compressionLevel)
        text.add("filter", filter, default: other.filter)
        text.add("reducesColors", reducesColors, default: other.reducesColors)
        text.add("declaresSRGB", declaresSRGB, default: other.declaresSRGB)
        return text.text
    }
}

extension JPEGOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line.
    public var description: String {
        let other = JPEGOptions()
        var text = ChangedProperties(of: "JPEGOptions")
        text.add("quality", quality, default: other.quality)
        text.add("isProgressive", isProgressive, default: other.isProgressive)
        text.add("chromaSubsampling", chromaSubsampling, default: other.chromaSubsampling)
        text.add("optimizesHuffman", optimizesHuffman, default: other.optimizesHuffman)
        text.add("background", background, default: other.background)
        return text.text
    }
}

extension EncodeOptions {
    /// - Throws: `invalidArgument` when an option that counts for the format is out of its range.
    func check(for format: EncodedFormat) throws(EncodeError) {
        if let maxBytes { try Self.check(maxBytes, "maxBytes", isIn: 1 ... .max, format) }
        switch format {
        case .png: try Self.check(png.compressionLevel, "png.compressionLevel", isIn: 0...9, format)
        case .jpeg: try Self.check(jpeg.quality, "jpeg.quality", isIn: 1...100, format)
        }
    }

    private static func check(
        _ value: Int, _ name: String, isIn range: ClosedRange<Int>, _ format: EncodedFormat
    ) throws(EncodeError) {
        guard !range.contains(value) else { return }
        throw EncodeError(
            .invalidArgument, format: format, "\(name) is \(value), allowed: \(range.allowedValues)")
    }
}
