import CBenchTwins
import PlatformImage

/// The plain use of a format's C library, called in place of ours.
struct Twin {
    private let run: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<twin_picture>?) -> Bool

    init(_ format: ImageFormat) {
        run =
            switch format {
            case .png: twin_png
            case .jpeg: twin_jpeg
            case .gif: twin_gif
            case .tiff: twin_tiff
            case .bmp: twin_bmp
            }
    }

    /// Decodes into a fresh buffer and frees it; false when the twin cannot.
    func decode(_ bytes: [UInt8]) -> Bool {
        var picture = twin_picture()
        guard bytes.withUnsafeBufferPointer({ run($0.baseAddress, $0.count, &picture) }) else { return false }
        twin_free(&picture)
        return true
    }

    /// The picture, for comparing; for a GIF the canvas after its last frame.
    func bitmap(of bytes: [UInt8]) -> Bitmap? {
        var picture = twin_picture()
        guard bytes.withUnsafeBufferPointer({ run($0.baseAddress, $0.count, &picture) }) else { return nil }
        defer { twin_free(&picture) }
        let decoded = UnsafeRawBufferPointer(start: picture.pixels, count: Int(picture.width * picture.height) * 4)
        return Bitmap(width: Int(picture.width), height: Int(picture.height)) { pixels in
            pixels.withUnsafeMutableBytes { $0.copyMemory(from: decoded) }
        }
    }
}
