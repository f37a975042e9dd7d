/// Environment variables with the prefix `IMAGETOOL_`, classified as keys, unknown names and names injected by
/// Kubernetes.
///
/// For every Service object of a namespace, Kubernetes injects variables into the pods of the namespace:
/// `NAME_SERVICE_HOST`, `NAME_SERVICE_PORT` and `NAME_SERVICE_PORT_PORTNAME`. It also injects the variables of Docker
/// links: `NAME_PORT`, `NAME_PORT_8080_TCP`, `NAME_PORT_8080_TCP_PROTO`, `NAME_PORT_8080_TCP_PORT` and
/// `NAME_PORT_8080_TCP_ADDR`. A Service named `imagetool` or `imagetool-server` leads to names
/// with the prefix `IMAGETOOL_`, so an unknown variable name is not an error.
struct EnvironmentVariables: Hashable, Sendable {
    /// Values by variable name, for the variables that set a configuration key.
    private(set) var values: [String: String] = [:]
    /// Names of variables that match no key and are not injected by Kubernetes, sorted, for a warning.
    private(set) var unknown: [String] = []
    /// Names of variables that match a key but have a value that Kubernetes injects for a Service, sorted; such
    /// variables are ignored.
    private(set) var injected: [String] = []

    init(_ environment: [String: String]) {
        let names = Set(ConfigurationKey.all.map(\.environmentName))
        for (name, value) in environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix(ConfigurationKey.environmentPrefix) {
            let isInjected = Self.isInjected(name, value)
            switch (names.contains(name), isInjected) {
            case (true, false): values[name] = value
            case (true, true): injected.append(name)
            case (false, false): unknown.append(name)
            case (false, true): break
            }
        }
    }

    /// At most one warning of each kind, with all names in it.
    var warnings: [String] {
        var warnings: [String] = []
        if !unknown.isEmpty {
            warnings.append(
                "ignored unknown environment variables: \(unknown.joined(separator: ", "))")
        }
        if !injected.isEmpty {
            warnings.append(
                "ignored environment variables that Kubernetes injects for a Service: "
                    + injected.joined(separator: ", ")
            )
        }
        return warnings
    }

    /// Returns true when name and value have the form that Kubernetes injects. For the Docker link names with `_PROTO`,
    /// `_PORT` or `_ADDR`, only the name is checked. For all other names the value is checked too, so that the variable
    /// of the key `server.port` is not ignored, and misspelt names still lead to a warning.
    static func isInjected(_ name: String, _ value: String) -> Bool {
        let words = name.split(separator: "_", omittingEmptySubsequences: false)
        let isURL = ["tcp://", "udp://", "sctp://"].contains { value.hasPrefix($0) }
        if words.last == "PORT", isURL { return true }
        if words.suffix(2) == ["SERVICE", "HOST"], IPAddress(value) != nil { return true }
        let isPort = value.utf8.count <= 5 && Int(value).map { (1...65_535).contains($0) } == true
        for index in words.indices.dropFirst() where words[index] == "PORT" {
            if words[index - 1] == "SERVICE", isPort { return true }
            let rest = words[(index + 1)...]
            guard (2...3).contains(rest.count), let number = rest.first, UInt16(number) != nil,
                ["TCP", "UDP", "SCTP"].contains(rest[index + 2])
            else { continue }
            if rest.count == 2 ? isURL : ["PROTO", "PORT", "ADDR"].contains(rest[index + 3]) { return true }
        }
        return false
    }
}
