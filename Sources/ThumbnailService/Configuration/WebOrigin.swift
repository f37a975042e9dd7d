import PlatformImage

/// The origin of a web page (RFC 6454 §6.2), as browsers send it in the field `Origin`.
enum WebOrigin {
    /// Returns an origin as browsers send it: `scheme://host` or `scheme://host:port`, in lower case, without the
    /// default port of http and https. Nil for any other text, such as a URL with a path.
    static func normalized(_ text: String) -> String? {
        let text = text.lowercased()
        guard let mark = text.firstRange(of: "://"), text.utf8.count <= 512 else { return nil }
        let (scheme, authority) = (text[..<mark.lowerBound], text[mark.upperBound...])
        guard scheme.utf8.first?.isASCIIAlphanumeric == true,
            scheme.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) })
        else { return nil }
        let end = authority.lastIndex(of: "]").map { authority.index(after: $0) } ?? authority.startIndex
        let colon = authority[end...].firstIndex(of: ":")
        let host = authority[..<(colon ?? authority.endIndex)]
        let isLiteral =
            host.hasPrefix("[") && host.hasSuffix("]") && IPAddress(String(host.dropFirst().dropLast())) != nil
        let isName = !host.isEmpty && host.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._".utf8.contains($0) }
        guard isLiteral || isName else { return nil }
        guard let colon else { return text }
        let digits = authority[authority.index(after: colon)...]
        guard digits.utf8.count <= 5, let port = Int(asciiDigits: digits.utf8), (1...65_535).contains(port) else {
            return nil
        }
        let isDefault = scheme == "http" && port == 80 || scheme == "https" && port == 443
        return isDefault ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}
