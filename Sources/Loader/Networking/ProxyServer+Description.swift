#if AsyncHTTPClient
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
