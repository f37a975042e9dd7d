/// Reads XMP and IPTC from the text chunks of a PNG (PNG, third edition, 11.3.3); the codec reports the range of eXIf.
enum PNGMetadata {
    static let xmpKeyword = Array("XML:com.adobe.xmp".utf8)
    /// The keyword of ImageMagick, which ExifTool uses too: the PNG specification has no chunk for IPTC.
    static let iptcKeyword = Array("Raw profile type iptc".utf8)
    private static let compressedText = Array("zTXt".utf8)
    private static let text = Array("tEXt".utf8)
    private static let internationalText = Array("iTXt".utf8)
    private static let end = Array("IEND".utf8)

    /// The size in the header chunk (11.2.1); nil when the file is shorter.
    static func size(in bytes: Span<UInt8>) -> (width: Int, height: Int)? {
        guard let width = ByteOrder.big.integer32(bytes, at: 16), let height = ByteOrder.big.integer32(bytes, at: 20)
        else { return nil }
        return (width, height)
    }

    /// - Parameter maxChunks: The maximum number of text chunks that are read.
    static func read(
        _ bytes: Span<UInt8>, maxChunks: Int, into metadata: inout ImageMetadata, _ limits: inout MetadataLimits
    ) {
        var (at, count) = (8, 0)
        var (hasXMP, hasIPTC) = (false, false)  // of several chunks the first one is read
        while let length = ByteOrder.big.integer32(bytes, at: at) {
            let data = at + 8
            guard data <= bytes.count, length <= bytes.count - data - 4 else { return }
            let (type, range) = (at + 4..<data, data..<data + length)
            at = range.upperBound + 4
            if bytes.hasPrefix(end, in: type) { return }
            let isText = [text, compressedText, internationalText].contains { bytes.hasPrefix($0, in: type) }
            guard isText else { continue }
            count += 1
            guard count <= maxChunks else { return }
            let crc = ByteOrder.big.integer32(bytes, at: range.upperBound)
            guard length <= limits.maxItem, crc == Int(bytes.extracting(type.lowerBound..<range.upperBound).crc32)
            else { continue }
            if bytes.hasPrefix(internationalText, in: type) {
                guard !hasXMP, bytes.hasPrefix(xmpKeyword + [0], in: range) else { continue }
                hasXMP = true
                metadata.xmp = limits.accept(
                    internationalText(bytes.extracting(range), after: xmpKeyword.count + 1, limit: limits.maxNext))
            } else if !hasIPTC, bytes.hasPrefix(iptcKeyword + [0], in: range) {
                hasIPTC = true
                let rest = bytes.extracting(range.dropFirst(iptcKeyword.count + 1))
                var profile: [UInt8]?
                if bytes.hasPrefix(text, in: type) {
                    profile = RawProfile.bytes(rest)
                } else if rest.count > 1, rest[0] == 0 {
                    // The text has two digits for each byte, and line ends.
                    let (most, overflows) = limits.maxNext.multipliedReportingOverflow(by: 3)
                    let stream = rest.extracting(1..<rest.count)
                    let digits = stream.zlibDecompressed(limit: overflows ? .max : most)
                    profile = digits.flatMap { RawProfile.bytes($0.span) }
                }
                metadata.iptc = limits.accept(profile.flatMap { iptc(in: $0) })
            }
        }
    }

    /// The text of an iTXt chunk; nil when it is damaged or longer than `limit`.
    private static func internationalText(_ data: Span<UInt8>, after keyword: Int, limit: Int) -> [UInt8]? {
        guard data.count >= keyword + 2 else { return nil }
        let (isCompressed, method) = (data[keyword], data[keyword + 1])
        var at = keyword + 2
        for _ in 0..<2 {  // language tag, translated keyword
            while at < data.count, data[at] != 0 { at += 1 }
            at += 1
        }
        guard at <= data.count, isCompressed <= 1 else { return nil }
        let text = data.extracting(at..<data.count)
        if isCompressed == 0 { return [UInt8](text) }
        return method == 0 ? text.zlibDecompressed(limit: limit) : nil
    }

    /// Profiles of ImageMagick contain Photoshop resources; others contain the records.
    private static func iptc(in profile: [UInt8]) -> [UInt8]? {
        profile.starts(with: PhotoshopResources.signature) ? PhotoshopResources.iptc(in: profile.span) : profile
    }
}

/// A block as text: a line feed, a name, a line feed, the byte count in 8 columns, and lines of hexadecimal digits.
enum RawProfile {
    static func text(_ bytes: [UInt8], name: String) -> [UInt8] {
        let count = String(bytes.count)
        let padding = String(repeating: " ", count: max(0, 8 - count.count))
        var text = Array("\n\(name)\n\(padding)\(count)\n".utf8)
        for (index, byte) in bytes.enumerated() {
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            if index % 36 == 35 { text.append(UInt8(ascii: "\n")) }
        }
        text.append(UInt8(ascii: "\n"))
        return text
    }

    /// The block; nil when the text is malformed or shorter than its byte count.
    static func bytes(_ text: Span<UInt8>) -> [UInt8]? {
        var at = 0
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: " ") }
        while at < text.count, isSpace(text[at]) { at += 1 }
        while at < text.count, text[at] != UInt8(ascii: "\n") { at += 1 }  // the name
        while at < text.count, isSpace(text[at]) { at += 1 }
        var count = 0
        while at < text.count, text[at].isASCIIDigit {
            count = count * 10 + Int(text[at] - UInt8(ascii: "0"))
            guard count <= text.count else { return nil }
            at += 1
        }
        var (bytes, high): ([UInt8], UInt8?) = ([], nil)
        while at < text.count, bytes.count < count {
            if let digit = text[at].asciiHexValue {
                if let first = high { bytes.append(first << 4 | digit) }
                high = high == nil ? digit : nil
            } else if !isSpace(text[at]) {
                return nil
            }
            at += 1
        }
        return bytes.count == count ? bytes : nil
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
