#if Service
/// Which addresses the service may be asked to fetch from, as far as that can be told without looking a host up.
///
/// Every request is held against it, and every hop of its redirects again (SERVICE.md 5, SV3 to SV6).
struct SourcePolicy: Hashable, Sendable {
    /// Hosts that are allowed; empty allows none.
    let allowed: [HostPattern]
    /// Ports that are allowed.
    let ports: Set<Int>
    /// IP addresses that are allowed.
    let addresses: AddressTable

    /// A policy of settings as they are written.
    ///
    /// - Parameters:
    ///   - allow: Hosts, `*.` and a host for what is below it, or `*` for all.
    ///   - ports: 1...65535.
    ///   - exceptions: IP addresses or ranges of them (`10.1.0.0/16`) that are reached although they are inside.
    /// - Throws: `internalFault` for a text that is none of these.
    init(allow: [String], ports: Set<Int> = [80, 443], exceptions: [String] = []) throws(ServiceError) {
        var patterns: [HostPattern] = []
        for text in allow {
            guard let pattern = HostPattern(text) else {
                throw ServiceError(.internalFault, "\(text) is no host, *.host or *")
            }
            patterns.append(pattern)
        }
        var ranges: [AddressRange] = []
        for text in exceptions {
            guard let range = AddressRange(text) else {
                throw ServiceError(.internalFault, "\(text) is no range of IP addresses")
            }
            ranges.append(range)
        }
        guard ports.allSatisfy({ (1...65535).contains($0) }) else {
            throw ServiceError(.internalFault, "a port is 1...65535")
        }
        allowed = patterns
        self.ports = ports
        addresses = AddressTable(exceptions: ranges)
    }

    /// Holds an address against the policy.
    ///
    /// - Throws: With status 403 for what is not allowed, with 400 for what is no address.
    func vet(_ url: String) throws(ServiceError) -> SourceTarget {
        let target = try SourceTarget(url)
        guard allowed.contains(where: { $0.matches(target.host) }) else {
            throw ServiceError(.hostRefused, "the host is not among the allowed ones")
        }
        guard ports.contains(target.port) else {
            throw ServiceError(.portRefused, "the port is not among the allowed ones")
        }
        if case .address(let address) = target.host { try vet(address) }
        return target
    }

    /// Holds an IP address, of a host or from a resolver, against the table.
    func vet(_ address: IPAddress) throws(ServiceError) {
        guard addresses.admits(address) else {
            throw ServiceError(.addressRefused, "the host's address is not a public one")
        }
    }

    /// Refuses a redirect from an encrypted address to one that is not.
    func vetRedirect(from target: SourceTarget, to location: String) throws(ServiceError) {
        guard target.isSecure, location.lowercased().hasPrefix("http:") else { return }
        throw ServiceError(.schemeRefused, "a redirect from https to http")
    }
}

/// A host, or what is below one, or all.
enum HostPattern: Hashable, Sendable {
    case all
    case host(SourceHost)
    case below(String)

    /// `*`, `*.example.com`, `example.com`, or an IP address as it stands in addresses; nil for anything else.
    init?(_ text: String) {
        if text == "*" {
            self = .all
        } else if text.hasPrefix("*.") {
            guard case .name(let name)? = SourceHost(String(text.dropFirst(2))) else { return nil }
            self = .below(name)
        } else {
            guard let host = SourceHost(text) else { return nil }
            self = .host(host)
        }
    }

    /// Compares whole labels.
    func matches(_ host: SourceHost) -> Bool {
        switch (self, host) {
        case (.all, _): true
        case (.host(let own), _): own == host
        case (.below(let name), .name(let other)): other.hasSuffix("." + name)
        case (.below, .address): false
        }
    }
}
#endif
