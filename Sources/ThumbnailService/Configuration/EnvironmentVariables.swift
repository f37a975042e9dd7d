#if Service
/// The variables of an environment that begin with `IMAGETOOL_`, sorted by what becomes of them.
///
/// Kubernetes injects variables for every Service object of a namespace into its pods (`NAME_SERVICE_HOST`,
/// `NAME_SERVICE_PORT`, `NAME_SERVICE_PORT_PORTNAME`, and those of Docker's links: `NAME_PORT`,
/// `NAME_PORT_8080_TCP`, and that with `_PROTO`, `_PORT` and `_ADDR`). A Service called `imagetool` or
/// `imagetool-server` makes names that begin as ours do, so no name in the environment is an error.
struct EnvironmentVariables: Hashable, Sendable {
    /// Those with the name of a key.
    private(set) var values: [String: String] = [:]
    /// Names that no key has, for a warning, in order.
    private(set) var unknown: [String] = []
    /// Names that a key has, with a value that Kubernetes injects for a Service and the key cannot have, in order.
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

    /// At most one for each kind, with all names in it.
    var warnings: [String] {
        var warnings: [String] = []
        if !unknown.isEmpty {
            warnings.append(
                "variables of the environment that are no keys are ignored: \(unknown.joined(separator: ", "))")
        }
        if !injected.isEmpty {
            warnings.append(
                "variables that Kubernetes injects for a Service are ignored: \(injected.joined(separator: ", "))")
        }
        return warnings
    }

    /// Returns true when both name and value are as Kubernetes injects them. The value is looked at so that a key
    /// called `server.port` keeps its variable, and that a misspelt one is still named in a warning.
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
#endif
