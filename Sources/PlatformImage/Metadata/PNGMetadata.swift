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
        var cursor = ByteCursor(bytes)
        let sides = 0...Int(UInt32.max)
        guard cursor.move(to: 16), let width = cursor.number(4, .big, bytes)?.int(in: sides),
            let height = cursor.number(4, .big, bytes)?.int(in: sides)
        else { return nil }
        return (width, height)
    }

    /// Text of compressed chunks has at most the size of the file, or this size: otherwise 4 kB could become the
    /// complete ``DecodeLimits/maxMetadataItem`` in the memory of the program and in its results.
    static let minDecompressedByteCount = 64 << 10

    /// - Parameter maxChunks: The maximum number of text chunks that are read.
    static func read(
        _ bytes: Span<UInt8>, maxChunks: Int, into metadata: inout ImageMetadata, _ limits: inout MetadataLimits
    ) {
        let maxText = max(bytes.count, minDecompressedByteCount)
        var cursor = ByteCursor(bytes)
        cursor.skip(8)
        var count = 0
        var (hasXMP, hasIPTC) = (false, false)  // of several chunks the first one is read
        while let length = cursor.number(4, .big, bytes) {
            guard let type = cursor.take(4), let range = cursor.take(length), let crc = cursor.number(4, .big, bytes)
            else { return }
            if bytes.matches(end, in: type) { return }
            guard [text, compressedText, internationalText].contains(where: { bytes.matches($0, in: type) }) else {
                continue
            }
            count &+= 1
            guard count <= maxChunks else { return }
            let content = bytes.extracting(type.lowerBound..<range.upperBound)  // trap-free: adjacent ranges
            guard range.count <= limits.maxItem,
                crc == FileNumber(exactly: content.crc32)
            else { continue }
            var data = ByteCursor(range)
            if bytes.matches(internationalText, in: type) {
                guard !hasXMP, data.skip(xmpKeyword + [0], bytes) else { continue }
                hasXMP = true
                let text = internationalText(bytes, after: data, limit: min(limits.maxNext, maxText))
                metadata.xmp = limits.accept(text)
            } else if !hasIPTC, data.skip(iptcKeyword + [0], bytes) {
                hasIPTC = true
                var profile: [UInt8]?
                if bytes.matches(text, in: type) {
                    profile = RawProfile.bytes(bytes, data)
                } else if data.next(bytes) == 0 {
                    // The text has two digits for each byte, and line ends.
                    let most = FileNumber(min(limits.maxNext, maxText)).timesClamped(3).clamped(to: 0 ... .max)
                    let stream = bytes.extracting(data.rest)  // trap-free: a range of the chunk
                    let digits = stream.zlibDecompressed(limit: most)
                    profile = digits.flatMap { RawProfile.bytes($0.span, ByteCursor($0.span)) }
                }
                metadata.iptc = limits.accept(profile.flatMap { iptc(in: $0) })
            }
        }
    }

    /// The text of an iTXt chunk; nil when it is damaged or longer than `limit`.
    private static func internationalText(
        _ bytes: Span<UInt8>, after keyword: ByteCursor, limit: Int
    ) -> [UInt8]? {
        var cursor = keyword
        guard let isCompressed = cursor.next(bytes), let method = cursor.next(bytes), isCompressed <= 1,
            cursor.skip(behind: [0], bytes),  // language tag
            cursor.skip(behind: [0], bytes)  // translated keyword
        else { return nil }
        if isCompressed == 0 { return bytes.copy(cursor.rest) }
        return method == 0 ? bytes.extracting(cursor.rest).zlibDecompressed(limit: limit) : nil  // trap-free: as before
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
        let padding = String(repeating: " ", count: max(0, 8 - count.count))  // trap-free: at most 20 digits
        var text = Array("\n\(name)\n\(padding)\(count)\n".utf8)
        for (index, byte) in bytes.enumerated() {
            text.append((byte >> 4).hexadecimalDigit(ten: UInt8(ascii: "a")))
            text.append((byte & 15).hexadecimalDigit(ten: UInt8(ascii: "a")))
            if index % 36 == 35 { text.append(UInt8(ascii: "\n")) }
        }
        text.append(UInt8(ascii: "\n"))
        return text
    }

    /// The block; nil when the text is malformed or shorter than its byte count.
    static func bytes(_ text: Span<UInt8>, _ start: ByteCursor) -> [UInt8]? {
        var cursor = start
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: " ") }
        cursor.skip(text, while: isSpace)
        cursor.skip(text) { $0 != UInt8(ascii: "\n") }  // the name
        cursor.skip(text, while: isSpace)
        let digits = cursor.position
        cursor.skip(text) { $0.isASCIIDigit }
        guard let count = Int(asciiDigits: text.copy(cursor.range(from: digits))), count <= text.count else {
            return nil
        }
        var (bytes, high): ([UInt8], UInt8?) = ([], nil)
        while bytes.count < count, let byte = cursor.next(text) {
            if let digit = byte.asciiHexValue {
                if let first = high { bytes.append(first << 4 | digit) }
                high = high == nil ? digit : nil
            } else if !isSpace(byte) {
                return nil
            }
        }
        return bytes.count == count ? bytes : nil
    }
}
