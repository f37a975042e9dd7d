import PlatformImage

/// Target speed of a kind of image relative to the C library, or for BMP to a scalar loop.
///
/// The kind is derived from the contents of the file. Images of fewer than 400,000 pixels (all frames together) have no
/// target, and some kinds have none.
public struct DecodeGoal: Sendable {
    /// Name of the kind, such as `PNG RGB photo`.
    public let kind: String
    /// Target of ``DecodeBenchmark/ratio``, which may be lower by ``slack``; `nil` for no target.
    public let targetRatio: Double?

    /// Tolerated shortfall, as a fraction of the target: the median of a run varies by up to this fraction between
    /// runs.
    public static let slack = 0.05

    /// - Parameter frames: Frames of a GIF or of an animated WebP, one for a still GIF; empty for other files.
    init(_ header: ImageHeader, of bytes: [UInt8], frames: [FrameInfo]) {
        let pixels = header.width * header.height
        let (kind, targetRatio) =
            switch header.format {
            case .png: Self.png(header, bytes.count)
            case .jpeg: Self.jpeg(header, pixels)
            case .gif: Self.gif(frames, canvas: pixels)
            case .tiff: Self.tiff(bytes)
            case .bmp: Self.bmp(bytes, pixels)
            case .webp: Self.webP(header, bytes, frames, canvas: pixels)
            }
        self.kind = kind
        // In smaller images the cost per call outweighs the cost per pixel.
        self.targetRatio = pixels * max(1, frames.count) >= 400_000 ? targetRatio : nil
    }

    private static func png(_ header: ImageHeader, _ byteCount: Int) -> (String, Double?) {
        let model = header.colorModel == .gray ? "gray" : header.colorModel == .indexed ? "palette" : "RGB"
        let name = "PNG \(model)\(header.hasAlpha && header.colorModel != .indexed ? "A" : "")"
        if header.isProgressive { return ("\(name) interlaced", 1) }
        switch (header.colorModel, header.bitsPerChannel) {
        case (_, 1...4): return ("\(name) \(header.bitsPerChannel) bit", 1)
        case (.indexed, _): return (name, 2.5)
        case (.gray, 8) where header.channelCount == 1: return ("\(name) 8", 1.6)
        case (.gray, 16) where header.channelCount == 1: return ("\(name) 16", 1.7)
        case (.rgb, 8):
            // Files of drawings and screenshots have a few percent of the raw size, files of photographs about half of
            // it.
            let isDrawing = byteCount < header.width * header.height * header.channelCount / 8
            return isDrawing ? ("\(name) drawn", 5) : ("\(name) photo", 3)
        default: return ("\(name) \(header.bitsPerChannel)", 1)
        }
    }

    private static func jpeg(_ header: ImageHeader, _ pixels: Int) -> (String, Double?) {
        let kind = header.isProgressive ? "JPEG progressive" : "JPEG baseline"
        // For images of this size or larger, page faults cost as much CPU time as decoding.
        guard pixels >= 8_000_000 else { return (kind, 0.97) }
        return ("\(kind), large", header.isProgressive ? 1.15 : 1.4)
    }

    private static func gif(_ frames: [FrameInfo], canvas: Int) -> (String, Double?) {
        guard frames.count > 1 else { return ("GIF still", 2.5) }
        return isSparse(frames, canvas: canvas) ? ("GIF sparse animation", 5) : ("GIF dense animation", 2.5)
    }

    /// True when the frames cover less than a quarter of the canvas on average.
    private static func isSparse(_ frames: [FrameInfo], canvas: Int) -> Bool {
        frames.reduce(0) { $0 + $1.width * $1.height } < canvas * frames.count / 4
    }

    private static func webP(
        _ header: ImageHeader, _ bytes: [UInt8], _ frames: [FrameInfo], canvas: Int
    ) -> (String, Double?) {
        if frames.count > 1 {
            return isSparse(frames, canvas: canvas) ? ("WebP sparse animation", 2) : ("WebP dense animation", 0.97)
        }
        // Chunks begin at offset 12: identifier, size as 32 bits, then the data, padded to an even size.
        var at = 12
        while at + 8 <= bytes.count, !bytes[at..<at + 4].elementsEqual("VP8L".utf8) {
            if bytes[at..<at + 4].elementsEqual("VP8 ".utf8) {
                if header.hasAlpha { return ("WebP lossy with alpha", 0.97) }
                return canvas >= 8_000_000 ? ("WebP lossy, large", 1.15) : ("WebP lossy", 0.97)
            }
            let size = bytes[at + 4..<at + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
            at += 8 + size + size % 2
        }
        return ("WebP lossless", 0.97)
    }

    private static func tiff(_ bytes: [UInt8]) -> (String, Double?) {
        let names = [1: "uncompressed", 5: "LZW", 6: "JPEG", 7: "JPEG", 8: "Deflate", 32946: "Deflate"]
        guard let compression = Self.tiffCompression(bytes) else { return ("TIFF", nil) }
        return ("TIFF \(names[compression] ?? "compressed")", compression == 1 ? 1.7 : 1)
    }

    /// Value of tag 259 (Compression) in the first IFD; `nil` when it is missing, and for BigTIFF.
    private static func tiffCompression(_ bytes: [UInt8]) -> Int? {
        func number(_ at: Int, _ count: Int) -> Int? {
            guard at >= 0, at <= bytes.count - count else { return nil }
            let part = bytes[at..<at + count]
            return (bytes[0] == 0x49 ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
        }
        guard number(2, 2) == 42, let directory = number(4, 4), let count = number(directory, 2) else { return nil }
        let entries = (0..<count).map { directory + 2 + 12 * $0 }
        return entries.first { number($0, 2) == 259 }.flatMap { number($0 + 8, 2) }
    }

    private static func bmp(_ bytes: [UInt8], _ pixels: Int) -> (String, Double?) {
        // BITMAPINFOHEADER: biBitCount at offset 28, biCompression at offset 30.
        guard bytes.count > 30, bytes[30] == 0 else { return ("BMP", nil) }
        return ("BMP \(bytes[28]) bit", bytes[28] == 24 ? (pixels >= 8_000_000 ? 3.5 : 2.2) : nil)
    }
}
