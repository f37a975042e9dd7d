import PlatformImage

/// Descriptions of sources that are not images, for errors. They contain neither bytes of the source nor its URL.
enum SourceContent {
    /// Media type names are limited to this number of bytes.
    private static let maxTypeBytes = 64
    /// Bytes that are searched for the beginning of a text format.
    private static let maxProbeBytes = 512

    /// Formats that the decoder recognizes by their signatures and does not support.
    private static let unsupportedFormats: [String: String] = [
        "avif": "an AVIF file", "heic": "a HEIC file", "jpegxl": "a JPEG XL file", "jpeg2000": "a JPEG 2000 file",
        "svg": "an SVG file", "cgbi": "a CgBI file (a PNG variant of iOS programs)", "webp": "a WebP file",
    ]

    private static let signatures: [(bytes: [UInt8], offset: Int, name: String)] = [
        (Array("%PDF-".utf8), 0, "a PDF file"), (Array("PK\u{3}\u{4}".utf8), 0, "a ZIP file"),
        ([0x1F, 0x8B], 0, "data with gzip compression"), ([0x28, 0xB5, 0x2F, 0xFD], 0, "data with zstd compression"),
        (Array("8BPS".utf8), 0, "a Photoshop file"), ([0, 0, 1, 0], 0, "an ICO file"),
        (Array("ftyp".utf8), 4, "an MP4 or QuickTime file"), ([0x1A, 0x45, 0xDF, 0xA3], 0, "a Matroska or WebM file"),
        (Array("RIFF".utf8), 0, "a RIFF file that is not WebP"), (Array("OggS".utf8), 0, "an Ogg file"),
        (Array("ID3".utf8), 0, "an MP3 file"), ([0x7F, 0x45, 0x4C, 0x46], 0, "a program"),
        (Array("version https://git-lfs".utf8), 0, "a Git LFS pointer"),
    ]

    /// Beginnings of text formats in lower case.
    private static let texts: [(beginning: String, name: String)] = [
        ("<!doctype html", "text/html"), ("<html", "text/html"), ("<head", "text/html"), ("<body", "text/html"),
        ("<script", "text/html"), ("<title", "text/html"), ("<svg", "an SVG file"), ("<?xml", "an XML document"),
        ("{", "a JSON document"), ("[", "a JSON document"), ("data:", "the text of a data URL"),
    ]

    /// Describes a format or a feature that the decoder does not support.
    ///
    /// - Parameter name: The detail of the decoder's error, a name of a fixed set.
    static func unsupported(_ name: String, _ format: ImageFormat?) -> String {
        if format == nil || format?.rawValue == name {
            return "found: \(unsupportedFormats[name] ?? "the format \(name)"), which is not supported"
        }
        return "found: a \(format?.rawValue ?? "") file with the feature \(name), which is not supported"
    }

    /// Describes the content of a source without the signature of an image format.
    ///
    /// - Parameter declaredType: Value of the origin's `Content-Type`; nil for none.
    static func description(of bytes: [UInt8], declaredType: String?) -> String {
        let declared = declaredType.flatMap(mediaType)
        guard !bytes.isEmpty else { return "found: an empty source" + declaration(declared) }
        for signature in signatures where bytes.dropFirst(signature.offset).starts(with: signature.bytes) {
            return "found: " + signature.name + declaration(declared)
        }
        if let name = textFormat(bytes) {
            return "found: " + name + (name == declared ? "" : declaration(declared))
        }
        return "found: data of an unknown format" + declaration(declared)
    }

    private static func declaration(_ type: String?) -> String { type.map { ", declared as \($0)" } ?? "" }

    /// Returns the type of a `Content-Type` in lower case without parameters; nil when it is invalid or too long.
    private static func mediaType(_ value: String) -> String? {
        let type = value.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        let parts = type.split(separator: "/", omittingEmptySubsequences: false)
        let isToken = { (part: Substring) in
            !part.isEmpty && part.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-+._".utf8.contains($0) }
        }
        guard type.utf8.count <= maxTypeBytes, parts.count == 2, parts.allSatisfy(isToken) else { return nil }
        return type
    }

    private static func textFormat(_ bytes: [UInt8]) -> String? {
        var probe = bytes.prefix(maxProbeBytes)
        if probe.starts(with: [0xEF, 0xBB, 0xBF]) { probe = probe.dropFirst(3) }
        probe = probe.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let lowercased = probe.map(\.lowercasedASCII)
        if let text = texts.first(where: { lowercased.starts(with: $0.beginning.utf8) }) {
            // An XML declaration or a comment can precede HTML and SVG.
            let isXML = text.beginning == "<?xml"
            if isXML, lowercased.firstRange(of: Array("<svg".utf8)) != nil { return "an SVG file" }
            if isXML, lowercased.firstRange(of: Array("<html".utf8)) != nil { return "text/html" }
            return text.name
        }
        if lowercased.starts(with: "<!--".utf8) {
            if lowercased.firstRange(of: Array("<svg".utf8)) != nil { return "an SVG file" }
            if lowercased.firstRange(of: Array("<html".utf8)) != nil { return "text/html" }
        }
        let isText = !probe.isEmpty && probe.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
        return isText ? "a text" : nil
    }
}
