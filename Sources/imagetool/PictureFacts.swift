import PlatformImage

/// What `info` prints of a file.
struct PictureFacts {
    let path: String
    let byteCount: Int
    let header: ImageHeader

    /// Reads the file; the limits on the picture's size do not count, because no pixel is decoded.
    init(_ path: String) throws {
        var options = DecodeOptions()
        options.limits.maxSide = nil
        options.limits.maxPixels = nil
        options.limits.maxMemory = nil
        let bytes = try readInput(path, limit: options.limits.maxInputBytes)
        self.path = path
        byteCount = bytes.count
        header = try ImageDecoder(options: options).header(of: bytes)
    }

    var json: JSON {
        .object([
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
        ])
    }

    /// The path, then a line for each fact.
    var text: String {
        let loops = header.loopCount.map { $0 == 0 ? "0 (for ever)" : String($0) }
        let lines = [
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
        return "\(path)\n" + lines.map { "  \(padded($0.0, to: 16))\($0.1)\n" }.joined()
    }

    /// Nil when a hostile header multiplies to more than 64 bits hold.
    private var decodedByteCount: Int? {
        let (pixels, isTooMuch) = header.width.multipliedReportingOverflow(by: header.height)
        let (bytes, overflows) = pixels.multipliedReportingOverflow(by: 4)
        return isTooMuch || overflows ? nil : bytes
    }
}
