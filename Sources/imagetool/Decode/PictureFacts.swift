import PlatformImage
import PlatformImageToolSupport

/// What `info` prints of a file.
struct PictureFacts {
    let path: String
    let byteCount: Int
    let header: ImageHeader
    /// Nil when none was asked for.
    let hash: BlurHash?

    /// Reads the file; the limits on the picture's size do not count, because no pixel is decoded.
    ///
    /// - Parameter hasHash: Decodes a small picture of it, within all limits.
    init(_ path: String, hasHash: Bool = false) throws {
        var options = DecodeOptions()
        options.limits.maxSide = nil
        options.limits.maxPixels = nil
        options.limits.maxMemory = nil
        let bytes = try readInput(path, limit: options.limits.maxInputBytes)
        self.path = path
        byteCount = bytes.count
        header = try ImageDecoder(options: options).header(of: bytes)
        hash = hasHash ? try Self.hash(of: bytes, path) : nil
    }

    /// The mean of light is what the hash is about, so a smaller picture of means has the same. Damage is told on stderr.
    private static func hash(of bytes: [UInt8], _ path: String) throws(DecodeError) -> BlurHash {
        var options = ThumbnailOptions(width: 64, height: 64)
        options.filter = .box
        options.weighsLight = true
        let image = try ImageDecoder().thumbnail(of: bytes, options: options)
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

    /// The path, then a line for each fact.
    var text: String {
        let loops = header.loopCount.map { $0 == 0 ? "0 (for ever)" : String($0) }
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

    /// Nil when a hostile header multiplies to more than 64 bits hold.
    private var decodedByteCount: Int? {
        let (pixels, isTooMuch) = header.width.multipliedReportingOverflow(by: header.height)
        let (bytes, overflows) = pixels.multipliedReportingOverflow(by: 4)
        return isTooMuch || overflows ? nil : bytes
    }
}
