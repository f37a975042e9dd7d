internal import CPlatformImageHostNames

extension SourceHost {
    /// Converts a host name to ASCII, with A-labels (`xn--`) for labels that contain other characters; nil for a name
    /// that is not allowed.
    ///
    /// libidn2 maps the text as in UTS 46, so that full-width digits become digits before the check for an IP address.
    /// Only letters, marks, digits and numbers are accepted, and the full-width dot (U+FF0E), which becomes a dot.
    /// Other characters that look like dots or slashes are refused.
    static func encoded(_ text: String) -> String? {
        guard text.utf8.count <= 1_024 else { return nil }
        let isAllowed = text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII ? scalar.value != 0 : isLetterOrNumber(scalar) || scalar == "\u{FF0E}"
        }
        guard isAllowed else { return nil }
        // The prefix `xn--` marks a label that is already encoded. If it contains other characters than ASCII, the name
        // is refused.
        let labels = text.split(separator: ".").filter { !$0.utf8.allSatisfy { $0 < 0x80 } }
        guard !labels.contains(where: { $0.lowercased().hasPrefix("xn--") }) else { return nil }
        var ascii = [CChar](repeating: 0, count: 256)
        guard pihn_to_ascii(text, &ascii, ascii.count) == PIHN_OK else { return nil }
        return String(decoding: ascii.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func isLetterOrNumber(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .otherLetter, .modifierLetter, .nonspacingMark,
            .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}
