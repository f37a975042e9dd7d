import PlatformImage
import PlatformImageToolSupport

/// Facts that `info` prints for one file.
struct ImageFacts {
    let path: String
    let byteCount: Int
    let header: ImageHeader
    /// BlurHash; `nil` unless requested.
    let hash: BlurHash?

    /// Reads the header of a file; the limits on image size do not apply, because no pixels are decoded.
    ///
    /// - Parameter hasHash: Also decodes a thumbnail for the BlurHash; all limits apply to it.
    init(_ path: String, hasHash: Bool = false, isolation: DecodeIsolation = .inProcess) throws {
        var options = DecodeOptions()
        options.limits.maxSide = nil
        options.limits.maxPixels = nil
        options.limits.maxMemory = nil
        let bytes = try readInput(path, limit: options.limits.maxInputBytes)
        self.path = path
        byteCount = bytes.count
        var decoder = ImageDecoder(options: options)
        decoder.isolation = isolation
        header = try decoder.header(of: bytes)
        decoder.options = DecodeOptions()
        hash = hasHash ? try Self.hash(of: bytes, path, decoder) : nil
    }

    /// BlurHash of a thumbnail that fits into 64 x 64 pixels. A BlurHash contains only low spatial frequencies in
    /// linear light; a box filter in linear light hardly changes them. Reports damage on stderr.
    private static func hash(
        of bytes: [UInt8], _ path: String, _ decoder: ImageDecoder
    ) throws(DecodeError) -> BlurHash {
        var options = ThumbnailOptions(width: 64, height: 64)
        options.filter = .box
        options.linearLight = true
        let image = try decoder.thumbnail(of: bytes, options: options)
        if let warning = warning(for: image.status) { printError("\(path): \(warning)") }
        return BlurHash(image.bitmap)
    }

    var json: JSON {
        let members: [(String, JSON)] = [
            ("file", .string(path)),
            ("format", .string(header.format.rawValue)),
            ("width", .integer(header.width)),
            ("height", .integer(header.height)),
            ("displayWidth", .integer(header.displayWidth)),
            ("displayHeight", .integer(header.displayHeight)),
            ("frames", .optional(header.frameCount)),
            ("loopCount", .optional(header.loopCount)),
            ("orientation", .integer(Int(header.orientation.rawValue))),
            ("bitsPerChannel", .integer(header.bitsPerChannel)),
            ("colorModel", .string(header.colorModel.rawValue)),
            ("hasAlpha", .bool(header.hasAlpha)),
            ("iccProfile", .optional(header.iccProfileDescription)),
            ("bytes", .integer(byteCount)),
            ("decodedBytes", .optional(decodedByteCount)),
        ]
        return .object(members + (hash.map { [("blurHash", .string($0.description))] } ?? []))
    }

    /// The path, then one line per fact.
    var text: String {
        let loops = header.loopCount.map { $0 == 0 ? "0 (infinite)" : String($0) }
        let lines: [(String, String)] = [
            ("format", header.format.rawValue),
            ("width", String(header.width)),
            ("height", String(header.height)),
            ("displayWidth", String(header.displayWidth)),
            ("displayHeight", String(header.displayHeight)),
            ("frames", header.frameCount.map { String($0) } ?? "unknown"),
            ("loopCount", loops ?? "none"),
            ("orientation", String(header.orientation.rawValue)),
            ("bitsPerChannel", String(header.bitsPerChannel)),
            ("colorModel", header.colorModel.rawValue),
            ("hasAlpha", String(header.hasAlpha)),
            ("iccProfile", header.iccProfileDescription.map { $0.isEmpty ? "without description" : $0 } ?? "none"),
            ("bytes", String(byteCount)),
            ("decodedBytes", decodedByteCount.map { String($0) } ?? "unknown"),
        ]
        let all = lines + (hash.map { [("blurHash", $0.description)] } ?? [])
        return "\(path)\n" + all.map { "  \(padded($0.0, to: 16))\($0.1)\n" }.joined()
    }

    /// Bytes of the decoded RGBA bitmap; `nil` when the number of bytes overflows `Int`.
    private var decodedByteCount: Int? {
        let (pixels, pixelsOverflow) = header.width.multipliedReportingOverflow(by: header.height)
        let (bytes, overflows) = pixels.multipliedReportingOverflow(by: 4)
        return pixelsOverflow || overflows ? nil : bytes
    }
}
