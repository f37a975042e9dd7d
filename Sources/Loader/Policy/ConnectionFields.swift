#if Loader
extension HeaderFields {
    /// Without the fields that concern one connection only (RFC 9110 §7.6.1, RFC 9111 §3.1).
    ///
    /// A `Connection` that lists a field on which reuse depends is in error and not followed there: without its `Age` or
    /// `Vary` a response would be used where it must not be.
    func removingConnectionFields() -> HeaderFields {
        let listed = tokens(of: "Connection").filter { !Self.governingFields.contains($0) }
        return HeaderFields(
            lines.filter { line in !line.isOfConnection && !listed.contains { line.isNamed($0) } })
    }

    /// Fields that say when and how the body may be used.
    private static let governingFields = [
        "age", "cache-control", "content-encoding", "date", "expires", "vary",
    ]
}

extension HeaderField {
    /// True for the fields that are never stored. The length leaves one or two of them to compare with.
    fileprivate var isOfConnection: Bool {
        switch name.utf8.count {
        case 2: isNamed("te")
        case 7: isNamed("trailer") || isNamed("upgrade")
        case 10: isNamed("connection") || isNamed("keep-alive")
        case 16: isNamed("proxy-connection")
        case 17: isNamed("transfer-encoding")
        case 18: isNamed("proxy-authenticate")
        case 19: isNamed("proxy-authorization")
        case 25: isNamed("proxy-authentication-info")
        default: false
        }
    }
}
#endif
