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
        case .pam:
            try output.write(
                "P7\nWIDTH \(bitmap.width)\nHEIGHT \(bitmap.height)\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n")
            try writeRows(of: bitmap, premultiplied, to: output)
        case .png: try writePNG(bitmap, to: output)
        case .raw: try writeRows(of: bitmap, premultiplied, to: output)
        }
    }

    private func writeRows(of bitmap: Bitmap, _ premultiplied: Bool, to output: Output) throws(OutputFailure) {
        if premultiplied {
            try bitmap.forEachBand(.premultiplied) { (band) throws(OutputFailure) in try output.write(band) }
        } else {
            try bitmap.withBytes { (bytes) throws(OutputFailure) in try output.write(bytes) }
        }
    }

    /// Writes 8-bit RGBA for all bitmaps, so that readers need to support only one PNG colour type.
    private func writePNG(_ bitmap: Bitmap, to output: Output) throws {
        var encoder = ImageEncoder()
        encoder.options.png.reducesColors = false
        let file = try convertingEncodeError { () throws(EncodeError) in try encoder.encode(bitmap, as: .png) }
        try output.write(file.span)
    }
}
