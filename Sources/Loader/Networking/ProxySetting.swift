import PlatformImage

/// The HTTP proxy for connections. Connections to local hosts (`localhost` and its subdomains, 127.0.0.0/8, `::1`) are
/// always direct.
public enum ProxySetting: Hashable, Sendable {
    /// All connections are direct.
    case none
    /// The environment variables `http_proxy`, `https_proxy` and `no_proxy`, read when the transport is created.
    ///
    /// `HTTPS_PROXY` and `NO_PROXY` are read, too, but not `HTTP_PROXY`: CGI sets it from a client's Proxy field.
    case environment
    /// Connects through this proxy with `CONNECT` (RFC 9110 §9.3.6), to all hosts that are not local.
    case server(ProxyServer)

    /// The setting after reading the environment.
    struct Resolved: Hashable, Sendable {
        /// The proxies for http and https; an invalid proxy is stored too, so that requests fail with an error.
        var plain: Entry?
        var secure: Entry?
        var exceptions: [String] = []

        enum Entry: Hashable, Sendable {
            case server(ProxyServer)
            case invalid(String)
        }
    }

    /// Reads the environment if the setting requires it.
    ///
    /// - Parameter variable: Returns the value of an environment variable.
    func resolved(variable: (String) -> String? = System.variable) -> Resolved {
        switch self {
        case .none: return Resolved()
        case .server(let server): return Resolved(plain: .server(server), secure: .server(server))
        case .environment:
            func entry(_ names: String...) -> Resolved.Entry? {
                let value = names.lazy.compactMap(variable).first { !$0.isEmpty }
                return value.map { text in ProxyServer(text).map { .server($0) } ?? .invalid(text) }
            }
            let exceptions = variable("no_proxy") ?? variable("NO_PROXY") ?? ""
            return Resolved(
                plain: entry("http_proxy"), secure: entry("https_proxy", "HTTPS_PROXY"),
                exceptions: exceptions.split { $0 == "," || $0 == " " }.map { exception in
                    String(decoding: HostName.ascii(exception.utf8) ?? Array(exception.utf8), as: UTF8.self)
                        .lowercased()
                })
        }
    }
}

/// An HTTP proxy.
public struct ProxyServer: Hashable, Sendable {
    /// User name and password, sent by HTTP Basic authentication (RFC 7617).
    public struct Credentials: Hashable, Sendable {
        /// The user name, without a colon.
        public var user: String
        /// The password, any text.
        public var password: String

        /// Creates credentials from their parts.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// A host name or IP address; an IPv6 address is without brackets.
    public let host: String
    /// The port, 1...65535.
    public let port: Int
    /// The credentials; nil for none.
    public let credentials: Credentials?

    /// Creates a proxy from its parts; `port` must be in 1...65535.
    public init(host: String, port: Int, credentials: Credentials? = nil) {
        precondition((1...65535).contains(port), "the port must be in 1...65535")
        self.host = host
        self.port = port
        self.credentials = credentials
    }

    /// Parses `[http://][user[:password]@]host[:port][/]` with default port 80; nil for anything else.
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

    /// Decodes percent-encoding (RFC 3986 §2.1); nil for an invalid escape or invalid UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        let bytes = text.utf8
        let hasInvalidEscape = bytes.indices.contains { index in
            bytes[index] == UInt8(ascii: "%") && PercentEncoding.escapedByte(in: bytes, at: index) == nil
        }
        return hasInvalidEscape ? nil : String(validating: PercentEncoding.decode(bytes), as: UTF8.self)
    }
}

extension ProxySetting.Resolved {
    /// Returns the proxy for a lowercase host; nil for a direct connection.
    ///
    /// - Throws: `configuration` when the environment variable is not a valid proxy.
    func server(isSecure: Bool, host: @autoclosure () -> String) throws(LoadError) -> ProxyServer? {
        guard let entry = isSecure ? secure : plain, !isDirect(host()) else { return nil }
        switch entry {
        case .server(let server): return server
        case .invalid:
            let variable = isSecure ? "https_proxy or HTTPS_PROXY" : "http_proxy"
            throw .configuration("the value of the environment variable \(variable) is not an http URL of a proxy")
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
    /// `host:port`. If there are credentials, their description and `@` precede it.
    public var description: String { "\(credentials.map { "\($0)@" } ?? "")\(host):\(port)" }
}

extension ProxyServer.Credentials: CustomStringConvertible, CustomReflectable {
    /// The user name; the password is masked.
    public var description: String { "\(user):\(Redaction.mask)" }
    /// A mirror without children, so that `dump` shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
