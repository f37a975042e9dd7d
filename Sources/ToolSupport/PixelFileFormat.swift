package import PlatformImage

/// Output format for pixels.
package enum PixelFileFormat: String, CaseIterable {
    /// Netpbm PAM: a text header, then the rows of pixels.
    case pam
    case png
    /// The rows of pixels without a header.
    case raw

    /// - Parameter premultiplied: Multiplies colours by alpha. Ignored for `png`, because PNG files contain straight
    ///   alpha.
    package func write(_ bitmap: Bitmap, premultiplied: Bool = false, to output: Output) throws {
        switch self {
        case .pam, .raw:
            try output.write(header(of: bitmap))
            try writeRows(of: bitmap, premultiplied, to: output)
        case .png:
            let file = try Self.pngFile(of: bitmap)
            try output.write(file.span)
        }
    }

    /// Size of a `pam` or `raw` file in bytes.
    package func byteCount(of bitmap: Bitmap) -> Int {
        header(of: bitmap).utf8.count + 4 * bitmap.width * bitmap.height
    }

    private func header(of bitmap: Bitmap) -> String {
        guard self == .pam else { return "" }
        return "P7\nWIDTH \(bitmap.width)\nHEIGHT \(bitmap.height)\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
    }

    private func writeRows(of bitmap: Bitmap, _ premultiplied: Bool, to output: Output) throws(OutputFailure) {
        if premultiplied {
            try bitmap.forEachBand(.premultiplied) { (band) throws(OutputFailure) in try output.write(band) }
        } else {
            try bitmap.withBytes { (bytes) throws(OutputFailure) in try output.write(bytes) }
        }
    }

    /// PNG file with 8-bit RGBA for all bitmaps, so that readers need to support only one PNG colour type.
    package static func pngFile(of bitmap: Bitmap) throws(Failure) -> [UInt8] {
        var encoder = ImageEncoder()
        encoder.options.png.reducesColors = false
        return try convertingEncodeError { () throws(EncodeError) in try encoder.encode(bitmap, as: .png) }
    }
}
