#if Loader
extension HeaderFields {
    /// Without the fields that concern one connection only (RFC 9110 §7.6.1, RFC 9111 §3.1).
    ///
    /// A `Connection` that lists a field on which reuse depends is in error and not followed there: without its `Age` or
    /// `Vary` a response would be used where it must not be.
    func removingConnectionFields() -> HeaderFields {
        let listed = tokens(of: "Connection").filter { !Self.governingFields.contains($0) }
        return HeaderFields(
            lines.filter { line in
                !Self.connectionFields.contains { line.isNamed($0) } && !listed.contains { line.isNamed($0) }
            })
    }

    /// Fields that are never stored.
    private static let connectionFields = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Fields that say when and how the body may be used.
    private static let governingFields = [
        "age", "cache-control", "content-encoding", "date", "expires", "vary",
    ]
}
#endif
