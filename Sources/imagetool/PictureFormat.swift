import CBenchTwins
import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How pixels are written.
enum PictureFormat: String, CaseIterable {
    /// Netpbm's PAM: a few lines of text, then the rows.
    case pam
    case png
    /// The rows alone.
    case raw

    func write(_ bitmap: Bitmap, to output: Output) throws {
        switch self {
        case .pam:
            try output.write(
                "P7\nWIDTH \(bitmap.width)\nHEIGHT \(bitmap.height)\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n")
            try bitmap.withBytes { bytes in try output.write(bytes) }
        case .png: try writePNG(bitmap, to: output)
        case .raw: try bitmap.withBytes { bytes in try output.write(bytes) }
        }
    }

    private func writePNG(_ bitmap: Bitmap, to output: Output) throws {
        var count = 0
        let file = bitmap.withBytes { bytes in
            bytes.withUnsafeBufferPointer {
                rgba_to_png($0.baseAddress, UInt32(bitmap.width), UInt32(bitmap.height), &count)
            }
        }
        guard let file else { throw Failure(.system, "outOfMemory: no memory to compress a PNG") }
        defer { free(file) }
        try output.write(UnsafeRawBufferPointer(start: file, count: count))
    }
}
