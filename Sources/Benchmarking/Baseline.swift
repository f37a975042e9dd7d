import CPlatformImageBaselines
import PlatformImage

/// Direct calls to the C library of a format, or for BMP to a scalar loop. The decode benchmarks compare this package
/// with them.
struct Baseline {
    private let run: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<baseline_image>?) -> Bool

    /// - Parameter isAnimation: True for an animated WebP, which libwebp decodes with another interface than a still
    ///   one; ignored for the other formats.
    init(_ format: ImageFormat, isAnimation: Bool = false) {
        run =
            switch format {
            case .png: baseline_png
            case .jpeg: baseline_jpeg
            case .gif: baseline_gif
            case .tiff: baseline_tiff
            case .bmp: baseline_bmp
            case .webp where isAnimation: baseline_webp_animation
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

    /// Decodes into a bitmap, for comparing pixels; an animation yields the canvas after its last frame.
    func bitmap(of bytes: [UInt8]) -> Bitmap? {
        var image = baseline_image()
        guard bytes.withUnsafeBufferPointer({ run($0.baseAddress, $0.count, &image) }) else { return nil }
        defer { baseline_free(&image) }
        return Bitmap(image)
    }

    /// Decodes every frame of a GIF separately with giflib's LZW decoder; `nil` when giflib cannot open the file.
    static func gifFrames(of bytes: [UInt8]) -> BaselineFrames? { frames(of: bytes, baseline_gif_frames) }

    /// Composes every frame of an animated WebP with libwebpdemux; `nil` when it cannot open the file, and when all
    /// canvases together have more than 64 megapixels.
    static func webPFrames(of bytes: [UInt8]) -> BaselineFrames? { frames(of: bytes, baseline_webp_frames) }

    private static func frames(
        of bytes: [UInt8], _ run: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<baseline_frames>?) -> Bool
    ) -> BaselineFrames? {
        var frames = baseline_frames()
        guard bytes.withUnsafeBufferPointer({ run($0.baseAddress, $0.count, &frames) }) else { return nil }
        defer { baseline_frames_free(&frames) }
        let images = UnsafeBufferPointer(start: frames.frames, count: frames.count).map { Bitmap($0) }
        return BaselineFrames(images: images, isComplete: frames.is_complete)
    }
}

/// Frames of an animation, before the first frame that the library cannot read: separate frames of a GIF, or composed
/// canvases of a WebP.
struct BaselineFrames {
    let images: [Bitmap]
    /// True when the library decoded the file to its end.
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
