#if Loader
import PlatformImage

/// A user's name and password for basic authentication (RFC 7617). Its descriptions never show the password.
public struct BasicAuth: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without a colon.
    public let user: String
    /// Any text without control characters; may be empty.
    public let password: String

    /// Credentials whose UTF-8 is sent, as it is: what looks the same and is composed otherwise is another password.
    ///
    /// - Throws: `configuration` for a colon in the name or a control character in either (RFC 7617 §2).
    public init(user: String, password: String) throws(LoadError) {
        guard !user.utf8.contains(UInt8(ascii: ":")) else { throw .configuration("a user name with a colon") }
        guard !(user + password).unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .configuration("a control character in a user name or password")
        }
        self.user = user
        self.password = password
    }

    /// The value of `Authorization`.
    var authorization: String { "Basic " + Self.base64(Array("\(user):\(password)".utf8)) }

    /// The name, and no password.
    public var description: String { "\(user):\(Redaction.mark)" }
    /// The name, and no password.
    public var debugDescription: String { description }
    /// Shows no parts.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// RFC 4648 §4, with padding.
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

/// Whom a loader says it is, and to whom.
struct Credentials: Hashable, Sendable {
    /// The loader's own; nil for none.
    var basicAuth: BasicAuth?
    /// Origins that may be told; empty for whichever the caller asks.
    var origins: Set<Origin> = []

    /// The request as it goes to the origin that the caller asks: with an `Authorization` when there is one to give.
    ///
    /// A field of the request wins over user information in its address, and that over ``basicAuth``. User information
    /// is taken out of the address in any case. Apply this once, before the first hop: ``RedirectChain`` keeps the field
    /// on hops of the same origin and drops it for good at the first other one.
    func applied(to request: HTTPRequest) -> HTTPRequest {
        var result = request
        let own = Self.takeUserInformation(from: &result.url)
        guard !result.fields.contains("Authorization") else { return result }
        if let own {
            result.fields.append("Authorization", own.authorization)
        } else if let basicAuth, let origin = Origin(result.url), origins.isEmpty || origins.contains(origin) {
            result.fields.append("Authorization", basicAuth.authorization)
        }
        return result
    }

    /// Cuts `user:password@` out of an address; nil when there is none, or none that basic authentication can carry.
    private static func takeUserInformation(from url: inout String) -> BasicAuth? {
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

    /// The text that escapes stand for; nil when it is not UTF-8. A `%` without two digits stands for itself.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String? {
        String(validating: PercentEncoding.decode(bytes), as: UTF8.self)
    }
}
#endif
