import PlatformImage
import PlatformImageToolSupport

/// Facts that `info` prints for one file.
struct ImageFacts {
    let path: String
    let byteCount: Int
    let header: ImageHeader
    /// EXIF of the file; `nil` when it has none, and when it cannot be read.
    let exif: EXIF?
    /// BlurHash; `nil` unless requested.
    let hash: BlurHash?

    /// Reads the header of a file; the limits on image size do not apply, because no pixels are decoded.
    ///
    /// - Parameter hasHash: Also decodes a thumbnail for the BlurHash; all limits apply to it.
    init(_ path: String, hasHash: Bool = false, isolation: DecodeIsolation = .inProcess) throws {
        var decoder = ImageDecoder()
        decoder.isolation = isolation
        let bytes = try readInput(path, limit: decoder.options.limits.maxInputBytes)
        self.path = path
        byteCount = bytes.count
        header = try Self.header(of: bytes, decoder)
        exif = Self.exif(of: bytes, decoder)
        hash = hasHash ? try Self.hash(of: bytes, path, decoder) : nil
    }

    /// Header of a file without limits on the image size, because no pixels are decoded.
    static func header(
        of bytes: [UInt8], _ decoder: ImageDecoder, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageHeader {
        try withoutSizeLimits(decoder).header(of: bytes, cancellation: cancellation)
    }

    /// EXIF of a file whose header was read; `nil` when it has none, and when it cannot be read.
    static func exif(of bytes: [UInt8], _ decoder: ImageDecoder) -> EXIF? {
        try? withoutSizeLimits(decoder).exif(of: bytes)
    }

    private static func withoutSizeLimits(_ decoder: ImageDecoder) -> ImageDecoder {
        var decoder = decoder
        decoder.options.limits.maxSide = nil
        decoder.options.limits.maxPixels = nil
        decoder.options.limits.maxMemory = nil
        return decoder
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
        .object(
            [JSON.path("file", path)] + header.facts + EXIF.facts(exif) + [
                ("bytes", .integer(byteCount)), ("decodedBytes", .optional(header.decodedByteCount)),
            ] + (hash.map { [("blurHash", .string($0.description))] } ?? []))
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
            ("decodedBytes", header.decodedByteCount.map { String($0) } ?? "unknown"),
        ]
        // Pages of a TIFF with more than one, then what the file contains of EXIF.
        let pages = header.pages.count < 2 ? [] : header.pages.enumerated().map { ("page \($0)", $1.text) }
        let all = lines + pages + (exif?.lines ?? []) + (hash.map { [("blurHash", $0.description)] } ?? [])
        return "\(path)\n" + all.map { "  \(padded($0.0, to: 16))\($0.1)\n" }.joined()
    }
}

extension ImageHeader {
    /// Members of the JSON object of `imagetool info`, and of an `info` answer of `imagetool worker`.
    var facts: [(String, JSON)] {
        [
            ("format", .string(format.rawValue)),
            ("width", .integer(width)),
            ("height", .integer(height)),
            ("displayWidth", .integer(displayWidth)),
            ("displayHeight", .integer(displayHeight)),
            ("frames", .optional(frameCount)),
            ("loopCount", .optional(loopCount)),
            ("orientation", .integer(Int(orientation.rawValue))),
            ("bitsPerChannel", .integer(bitsPerChannel)),
            ("colorModel", .string(colorModel.rawValue)),
            ("hasAlpha", .bool(hasAlpha)),
            ("iccProfile", .optional(iccProfileDescription)),
            ("pages", format == .tiff ? .array(pages.map(\.json)) : .null),
        ]
    }

    /// Bytes of the decoded RGBA bitmap; `nil` when the number of bytes overflows `Int`.
    var decodedByteCount: Int? {
        let (pixels, pixelsOverflow) = width.multipliedReportingOverflow(by: height)
        let (bytes, overflows) = pixels.multipliedReportingOverflow(by: 4)
        return pixelsOverflow || overflows ? nil : bytes
    }
}

extension PageInfo {
    fileprivate var json: JSON {
        .object([
            ("width", .integer(width)), ("height", .integer(height)), ("isReduced", .bool(isReduced)),
            ("isSubIFD", .bool(isSubIFD)),
        ])
    }

    fileprivate var text: String {
        "\(width) x \(height)\(isReduced ? ", reduced" : "")\(isSubIFD ? ", SubIFD" : "")"
    }
}

extension EXIF {
    /// Members of the JSON object of `imagetool info`, and of an `info` answer of `imagetool worker`; all of them also
    /// for a file without EXIF.
    static func facts(_ exif: EXIF?) -> [(String, JSON)] {
        texts(exif).map { ($0, .optional($1)) } + [("hasGPS", .bool(exif?.hasGPS ?? false))]
    }

    /// The facts that exist, for people.
    fileprivate var lines: [(String, String)] {
        Self.texts(self).compactMap { name, text in text.map { (name, $0) } } + [("hasGPS", String(hasGPS))]
    }

    private static func texts(_ exif: EXIF?) -> [(String, String?)] {
        [
            ("make", exif?.make), ("model", exif?.model), ("dateTimeOriginal", exif?.dateTimeOriginal),
            ("software", exif?.software), ("artist", exif?.artist), ("copyright", exif?.copyright),
        ]
    }
}
