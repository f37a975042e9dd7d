#if AsyncHTTPClient
import PlatformImage

/// Through which HTTP proxy connections go. Addresses of this machine (`localhost` and below, 127.0.0.0/8, `::1`) never
/// go through one.
public enum ProxySetting: Hashable, Sendable {
    /// All connections are direct.
    case none
    /// As `http_proxy`, `https_proxy` and `no_proxy` say when the transport is made.
    ///
    /// `HTTPS_PROXY` and `NO_PROXY` count too; `HTTP_PROXY` does not, as a web server sets it from what a client sent.
    case environment
    /// All others go through this proxy, by `CONNECT` (RFC 9110 §9.3.6).
    case server(ProxyServer)

    /// The setting with the variables read.
    struct Resolved: Hashable, Sendable {
        /// The proxy for http, the one for https; an address that is none is kept to be refused.
        var plain: Entry?
        var secure: Entry?
        var exceptions: [String] = []

        enum Entry: Hashable, Sendable {
            case server(ProxyServer)
            case broken(String)
        }
    }

    /// - Parameter variable: Gives the value of an environment variable.
    func resolved(variable: (String) -> String? = System.variable) -> Resolved {
        switch self {
        case .none: return Resolved()
        case .server(let server): return Resolved(plain: .server(server), secure: .server(server))
        case .environment:
            func entry(_ names: String...) -> Resolved.Entry? {
                let value = names.lazy.compactMap(variable).first { !$0.isEmpty }
                return value.map { text in ProxyServer(text).map { .server($0) } ?? .broken(text) }
            }
            let exceptions = variable("no_proxy") ?? variable("NO_PROXY") ?? ""
            return Resolved(
                plain: entry("http_proxy"), secure: entry("https_proxy", "HTTPS_PROXY"),
                exceptions: exceptions.split { $0 == "," || $0 == " " }.map { $0.lowercased() })
        }
    }
}

/// An HTTP proxy.
public struct ProxyServer: Hashable, Sendable {
    /// A user name and a password, sent as basic authentication (RFC 7617).
    public struct Credentials: Hashable, Sendable {
        /// Without a colon.
        public var user: String
        /// Any text.
        public var password: String

        /// Credentials of these parts.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// A name or an address, an IPv6 address without brackets.
    public let host: String
    /// 1...65535.
    public let port: Int
    /// nil for none.
    public let credentials: Credentials?

    /// A proxy of these parts. Any other port than 1...65535 is a caller's error.
    public init(host: String, port: Int, credentials: Credentials? = nil) {
        precondition((1...65535).contains(port), "a port is 1...65535")
        self.host = host
        self.port = port
        self.credentials = credentials
    }

    /// `[http://][user:password@]host[:port][/]`, port 80 by default; nil for anything else.
    init?(_ text: String) {
        var rest = text[...]
        if rest.lowercased().hasPrefix("http://") { rest = rest.dropFirst(7) }
        if rest.last == "/" { rest.removeLast() }
        var credentials: Credentials?
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let (user, password) = (Self.decoded(parts[0]), Self.decoded(parts.count > 1 ? parts[1] : ""))
            guard let user, let password else { return nil }
            credentials = Credentials(user: user, password: password)
            rest = rest[rest.index(after: at)...]
        }
        var number = 80
        if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
            guard let given = Int(rest[rest.index(after: colon)...]), (1...65535).contains(given) else { return nil }
            number = given
            rest = rest[..<colon]
        }
        if rest.first == "[", rest.last == "]" { rest = rest.dropFirst().dropLast() }
        guard !rest.isEmpty, !rest.contains(where: { "/?#@ []".contains($0) }) else { return nil }
        self.init(host: String(rest), port: number, credentials: credentials)
    }

    /// Percent-decoded (RFC 3986 §2.1); nil when an escape is broken or the bytes are not UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        let bytes = text.utf8
        let hasBrokenEscape = bytes.indices.contains { index in
            bytes[index] == UInt8(ascii: "%") && PercentEncoding.escapedByte(in: bytes, at: index) == nil
        }
        return hasBrokenEscape ? nil : String(validating: PercentEncoding.decode(bytes), as: UTF8.self)
    }
}

extension ProxySetting.Resolved {
    /// The proxy for a host in lower case; nil for none.
    ///
    /// - Throws: `configuration` when the environment names a proxy that is none.
    func server(isSecure: Bool, host: @autoclosure () -> String) throws(LoadError) -> ProxyServer? {
        guard let entry = isSecure ? secure : plain, !isDirect(host()) else { return nil }
        switch entry {
        case .server(let server): return server
        case .broken: throw .configuration("the environment names a proxy that is no http address")
        }
    }

    private func isDirect(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        if numbers.count == 4, numbers[0] == "127", numbers.allSatisfy({ UInt8($0) != nil }) { return true }
        return exceptions.contains { exception in
            if exception == "*" { return true }
            let name = exception.hasPrefix(".") ? String(exception.dropFirst()) : exception
            return host == name || host.hasSuffix(".\(name)")
        }
    }
}

extension ProxyServer: CustomStringConvertible {
    /// `host:port`, and before it the user's name when there is one.
    public var description: String { "\(credentials.map { "\($0)@" } ?? "")\(host):\(port)" }
}

extension ProxyServer.Credentials: CustomStringConvertible, CustomReflectable {
    /// The name, and no password.
    public var description: String { "\(user):\(Redaction.mark)" }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
