import PlatformImage

/// User name and password for HTTP Basic authentication (RFC 7617). Its descriptions never show the password.
public struct BasicAuth: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user name, without a colon.
    public let user: String
    /// The password: any text without control characters; may be empty.
    public let password: String

    /// Creates credentials, sent as unnormalized UTF-8: canonically equivalent spellings are different passwords.
    ///
    /// - Throws: `configuration` for a colon in the name, or a control character in the name or the password (RFC 7617
    ///   §2).
    public init(user: String, password: String) throws(LoadError) {
        guard !user.utf8.contains(UInt8(ascii: ":")) else { throw .configuration("the user name contains a colon") }
        guard !(user + password).unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .configuration("the user name or the password contains a control character")
        }
        self.user = user
        self.password = password
    }

    /// The value of the `Authorization` field.
    var authorization: String { "Basic " + Self.base64(Array("\(user):\(password)".utf8)) }

    /// The user name; the password is masked.
    public var description: String { "\(user):\(Redaction.mask)" }
    /// The user name; the password is masked.
    public var debugDescription: String { description }
    /// A mirror without children, so that `dump` shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Returns Base64 with padding (RFC 4648 §4).
    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= 8 * UInt32(3 - group.count)
            for digit in 0..<4 {
                text.append(digit <= group.count ? digits[Int(bits >> (18 - 6 * UInt32(digit)) & 63)] : 0x3D)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// HTTP Basic credentials of a loader and the origins that may receive them.
struct Credentials: Hashable, Sendable {
    /// The loader's credentials; nil for none.
    var basicAuth: BasicAuth?
    /// Origins that may receive the credentials; empty means the origin of the first request of any load.
    var origins: Set<Origin> = []

    /// Returns the request with an `Authorization` field if credentials apply to its origin.
    ///
    /// An `Authorization` field of the request overrides user information in its URL, which overrides ``basicAuth``.
    /// User information is always removed from the URL. Must be applied once, before the first request of a redirect
    /// chain: ``RedirectChain`` retains the field for redirects within the origin and removes it permanently at the
    /// first redirect to a different origin.
    func applied(to request: HTTPRequest) -> HTTPRequest {
        var result = request
        let urlCredentials = Self.removeUserInformation(from: &result.url)
        guard !result.fields.contains("Authorization") else { return result }
        if let urlCredentials {
            result.fields.append("Authorization", urlCredentials.authorization)
        } else if let basicAuth, let origin = Origin(result.url), origins.isEmpty || origins.contains(origin) {
            result.fields.append("Authorization", basicAuth.authorization)
        }
        return result
    }

    /// Removes `user:password@` from a URL and returns the credentials; nil when there are none, or when they are
    /// invalid for Basic authentication.
    private static func removeUserInformation(from url: inout String) -> BasicAuth? {
        guard url.utf8.contains(UInt8(ascii: "@")) else { return nil }
        var parts = URLReference(url.utf8)
        guard let authority = parts.authority, let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        parts.authority = Array(authority[(at + 1)...])
        url = String(decoding: parts.bytes, as: UTF8.self)
        let colon = authority[..<at].firstIndex(of: UInt8(ascii: ":")) ?? at
        let user = unescaped(authority[..<colon])
        let password = unescaped(authority[min(colon + 1, at)..<at])
        guard let user, let password, !(user.isEmpty && password.isEmpty) else { return nil }
        return try? BasicAuth(user: user, password: password)
    }

    /// Decodes percent-encoding; nil when the result is not UTF-8. An invalid escape is not changed.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String? {
        String(validating: PercentEncoding.decode(bytes), as: UTF8.self)
    }
}
