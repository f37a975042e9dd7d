#if Service
extension AnswerPolicy {
    /// The value of `Content-Disposition`: `inline`, unless the target has `attachment(name)` (RFC 6266 §4).
    ///
    /// A name that is more than ASCII without quotes comes twice: readable for old clients, and as RFC 8187 encodes it.
    var contentDisposition: String {
        guard let name = attachmentName else { return "inline" }
        guard !name.isEmpty else { return "attachment" }
        let plain = String(decoding: name.utf8.map { Self.isQuotable($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        let field = "attachment; filename=\"\(plain)\""
        guard !name.utf8.allSatisfy(Self.isQuotable) else { return field }
        var encoded: [UInt8] = []
        for byte in name.utf8 {
            if Self.isAttribute(byte) { encoded.append(byte) } else { encoded.append(percentEscaped: byte) }
        }
        return "\(field); filename*=UTF-8''\(String(decoding: encoded, as: UTF8.self))"
    }

    /// A byte that stands for itself between quotes; clients take a percent sign for an escape now and then.
    private static func isQuotable(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && !"\"\\%/".utf8.contains(byte)
    }

    /// `attr-char` of RFC 8187 §3.2.1.
    private static func isAttribute(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "!#$&+-.^_`|~".utf8.contains(byte)
    }
}
#endif
