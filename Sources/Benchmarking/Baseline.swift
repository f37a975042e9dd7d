import CPlatformImageBaselines
import PlatformImage

/// Direct calls to the C library of a format, or for BMP to a scalar loop. The decode benchmarks compare this package
/// with them.
struct Baseline {
    private let run: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<baseline_image>?) -> Bool

    init(_ format: ImageFormat) {
        run =
            switch format {
            case .png: baseline_png
            case .jpeg: baseline_jpeg
            case .gif: baseline_gif
            case .tiff: baseline_tiff
            case .bmp: baseline_bmp
            case .webp: baseline_webp
            }
    }

    /// Decodes into a new buffer and frees it; returns false when the library fails.
    func decode(_ bytes: [UInt8]) -> Bool {
        var image = baseline_image()
        guard bytes.withUnsafeBufferPointer({ run($0.baseAddress, $0.count, &image) }) else { return false }
        baseline_free(&image)
        return true
    }

    /// Decodes into a bitmap, for comparing pixels; a GIF yields the canvas after its last frame.
    func bitmap(of bytes: [UInt8]) -> Bitmap? {
        var image = baseline_image()
        guard bytes.withUnsafeBufferPointer({ run($0.baseAddress, $0.count, &image) }) else { return nil }
        defer { baseline_free(&image) }
        return Bitmap(image)
    }

    /// Decodes every frame of a GIF separately with giflib's LZW decoder; `nil` when giflib cannot open the file.
    static func gifFrames(of bytes: [UInt8]) -> GIFFrames? {
        var frames = baseline_frames()
        guard bytes.withUnsafeBufferPointer({ baseline_gif_frames($0.baseAddress, $0.count, &frames) }) else {
            return nil
        }
        defer { baseline_frames_free(&frames) }
        let images = UnsafeBufferPointer(start: frames.frames, count: frames.count).map { Bitmap($0) }
        return GIFFrames(images: images, isComplete: frames.is_complete)
    }
}

/// Separately decoded frames of a GIF, before the first frame that giflib cannot read.
struct GIFFrames {
    let images: [Bitmap]
    /// True when giflib reached the trailer.
    let isComplete: Bool
}

extension Bitmap {
    /// Copies the pixels of an image that a baseline decoded.
    fileprivate init(_ image: baseline_image) {
        let decoded = UnsafeRawBufferPointer(start: image.pixels, count: Int(image.width) * Int(image.height) * 4)
        self.init(width: Int(image.width), height: Int(image.height)) { pixels in
            pixels.withUnsafeMutableBytes { $0.copyMemory(from: decoded) }
        }
    }
}
