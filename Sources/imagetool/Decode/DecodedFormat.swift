import PlatformImage
import PlatformImageToolSupport

/// Output format of `decode`.
enum DecodedFormat: String, CaseIterable, ExpressibleByArgument {
    case pam, png, raw, jpeg, webp, gif

    /// The format of an output path: that of its extension if this is an image format that can be written, otherwise
    /// ``pam``, as for `-`.
    init(outputPath: String) {
        let encoded = outputPath.fileExtension.flatMap { EncodedFormat(fileExtension: $0) }
        self = encoded.flatMap { Self(rawValue: $0.rawValue) } ?? .pam
    }

    /// Extension of an output path if it is that of an image format that cannot be written; otherwise `nil`.
    static func unsupported(_ outputPath: String) -> String? {
        outputPath.fileExtension.flatMap { OutputExtension.unsupported.contains($0) ? $0 : nil }
    }

    /// True for rows of pixels, which can be premultiplied and can follow each other in one file.
    var isRows: Bool { self == .pam || self == .raw }

    /// `nil` for rows of pixels.
    var encoded: EncodedFormat? { EncodedFormat(rawValue: rawValue) }

    /// Writes a bitmap; encodes before the output is opened, so that a failure leaves an existing file unchanged.
    func write(_ bitmap: Bitmap, premultiplied: Bool, to output: () throws -> Output) throws {
        if let rows = PixelFileFormat(rawValue: rawValue) {
            return try rows.write(bitmap, premultiplied: premultiplied, to: output())
        }
        guard let encoded else { return }
        let file = try convertingEncodeError { () throws(EncodeError) in
            try ImageEncoder().encode(bitmap, as: encoded)
        }
        try output().write(file.span)
    }
}
