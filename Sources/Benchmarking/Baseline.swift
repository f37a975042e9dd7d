import CPlatformImageBaselines
import PlatformImage

/// The plain use of a format's C library, called in place of ours.
struct Baseline {
    private let run: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<baseline_picture>?) -> Bool

    init(_ format: ImageFormat) {
        run =
            switch format {
            case .png: baseline_png
            case .jpeg: baseline_jpeg
            case .gif: baseline_gif
            case .tiff: baseline_tiff
            case .bmp: baseline_bmp
            }
    }

    /// Decodes into a fresh buffer and frees it; false when the baseline cannot.
    func decode(_ bytes: [UInt8]) -> Bool {
        var picture = baseline_picture()
        guard bytes.withUnsafeBufferPointer({ run($0.baseAddress, $0.count, &picture) }) else { return false }
        baseline_free(&picture)
        return true
    }

    /// The picture, for comparing; for a GIF the canvas after its last frame.
    func bitmap(of bytes: [UInt8]) -> Bitmap? {
        var picture = baseline_picture()
        guard bytes.withUnsafeBufferPointer({ run($0.baseAddress, $0.count, &picture) }) else { return nil }
        defer { baseline_free(&picture) }
        return Bitmap(picture)
    }

    /// Every frame of a GIF alone, by giflib's own LZW; nil when giflib cannot open it.
    static func gifFrames(of bytes: [UInt8]) -> GIFFrames? {
        var frames = baseline_frames()
        guard bytes.withUnsafeBufferPointer({ baseline_gif_frames($0.baseAddress, $0.count, &frames) }) else {
            return nil
        }
        defer { baseline_frames_free(&frames) }
        let pictures = UnsafeBufferPointer(start: frames.frames, count: frames.count).map { Bitmap($0) }
        return GIFFrames(pictures: pictures, isWhole: frames.is_whole)
    }
}

/// The frames of a GIF, each alone, as far as giflib gets.
struct GIFFrames {
    let pictures: [Bitmap]
    /// The trailer was reached.
    let isWhole: Bool
}

extension Bitmap {
    /// A copy of a baseline's pixels.
    fileprivate init(_ picture: baseline_picture) {
        let decoded = UnsafeRawBufferPointer(start: picture.pixels, count: Int(picture.width) * Int(picture.height) * 4)
        self.init(width: Int(picture.width), height: Int(picture.height)) { pixels in
            pixels.withUnsafeMutableBytes { $0.copyMemory(from: decoded) }
        }
    }
}
