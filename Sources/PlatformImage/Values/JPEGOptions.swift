/// Options of the JPEG encoder.
public struct JPEGOptions: Hashable, Sendable {
    /// Quality from 1 to 100 on the scale of libjpeg; 75 to 85 is usual for photographs.
    ///
    /// With other values encoding a JPEG throws `invalidArgument`.
    public var quality = 80
    /// When true, writes a progressive JPEG: several scans from coarse to fine. Files of about 10 kB or more are a few
    /// percent smaller.
    ///
    /// The coefficients of the complete image are then in memory: 3 bytes per pixel at 4:2:0, 6 at 4:4:4.
    public var isProgressive = false
    /// Chroma resolution.
    public var chromaSubsampling = ChromaSubsampling.ratio420
    /// When true, computes Huffman tables for the image; the file is a few percent smaller. A progressive file always
    /// has such tables.
    ///
    /// When true, all coefficients are in memory as for ``isProgressive``; when false, rows are streamed.
    public var optimizesHuffman = true
    /// Colour composited under transparent pixels, white by default; its alpha is ignored.
    ///
    /// A sample c with alpha a over the background sample b becomes `round((c * a + b * (255 - a)) / 255)`.
    public var background = RGBA8(red: 255, green: 255, blue: 255)
    /// When true, writes three components also for gray pixels, because an RGB profile describes them.
    var avoidsGray = false

    /// Quality 80, 4:2:0, one scan with optimized tables, on white.
    public init() {}
}

/// Chroma resolution of a JPEG relative to luma.
public enum ChromaSubsampling: String, CaseIterable, Sendable {
    /// Half the width and half the height.
    case ratio420 = "4:2:0"
    /// Half the width.
    case ratio422 = "4:2:2"
    /// Full resolution; edges between colours remain sharp.
    case ratio444 = "4:4:4"
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
