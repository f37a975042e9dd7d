internal import CPlatformImageHostNames
internal import PlatformImage

/// Conversion of internationalized host names to the ASCII form of DNS (UTS 46, RFC 5891).
package enum HostName {
    /// Returns the host of a URL in ASCII: a label with other characters becomes an A-label (`xn--`, RFC 3492). A host
    /// in ASCII is returned unchanged. Nil for a name that is not allowed.
    ///
    /// Percent-encoded UTF-8 in the host is decoded first (RFC 3986 §3.2.2); escapes of ASCII characters remain.
    package static func ascii(_ host: some Collection<UInt8>) -> [UInt8]? {
        let bytes = decoded(host)
        if bytes.allSatisfy({ $0 < 0x80 }) { return bytes }
        return String(validating: bytes, as: UTF8.self).flatMap(converted).map { Array($0.utf8) }
    }

    /// Converts a name that contains characters outside ASCII; nil for a name that is not allowed.
    ///
    /// libidn2 maps the text as in UTS 46, so that full-width digits become digits. Only letters, marks, digits and
    /// numbers are accepted, the full-width dot (U+FF0E), which becomes a dot, and the joiners and middle dots that
    /// libidn2 accepts in some contexts (RFC 5892 appendix A). Other characters that look like dots or slashes are
    /// refused.
    private static func converted(_ text: String) -> String? {
        guard text.utf8.count <= 1_024 else { return nil }
        let isAllowed = text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                ? scalar.value > 0x20 && scalar.value != 0x7F : isLetterOrNumber(scalar) || scalar == "\u{FF0E}"
        }
        guard isAllowed else { return nil }
        // The prefix `xn--` marks a label that is already encoded. If it contains other characters than ASCII, the name
        // is refused.
        let labels = text.split(separator: ".").filter { !$0.utf8.allSatisfy { $0 < 0x80 } }
        guard !labels.contains(where: { $0.lowercased().hasPrefix("xn--") }) else { return nil }
        var ascii = [CChar](repeating: 0, count: 256)
        guard unsafe pihn_to_ascii(text, &ascii, ascii.count) == PIHN_OK else { return nil }
        return String(decoding: ascii.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Decodes escapes of bytes outside ASCII.
    private static func decoded(_ host: some Collection<UInt8>) -> [UInt8] {
        let bytes = Array(host)
        guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let byte = PercentEncoding.escapedByte(in: bytes, at: index), byte >= 0x80 {
                result.append(byte)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    private static func isLetterOrNumber(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .otherLetter, .modifierLetter, .nonspacingMark,
            .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: "\u{B7}\u{375}\u{5F3}\u{5F4}\u{200C}\u{200D}\u{30FB}".unicodeScalars.contains(scalar)
        }
    }
}
