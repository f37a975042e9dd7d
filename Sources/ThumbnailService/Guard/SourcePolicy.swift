/// Allow list for the URLs of sources, as far as they can be checked without DNS.
///
/// It applies to every request and to each redirect (Docs/service-rules.md 5, SV3 to SV6 in Docs/service-security.md).
struct SourcePolicy: Hashable, Sendable {
    /// Allowed hosts; an empty list allows none.
    let allowed: [HostPattern]
    /// Allowed ports.
    let ports: Set<Int>
    /// Allowed IP addresses.
    let addresses: AddressTable

    /// Parses the settings of a policy.
    ///
    /// - Parameters:
    ///   - allow: Allowed hosts: `example.com` for one host, `*.example.com` for its subdomains, `*` for all hosts.
    ///   - ports: 1...65535.
    ///   - exceptions: IP addresses or ranges (`10.1.0.0/16`) that are allowed although they are blocked by default.
    /// - Throws: `internalFault` for an invalid host, port or range.
    init(allow: [String], ports: Set<Int> = [80, 443], exceptions: [String] = []) throws(ServiceError) {
        var patterns: [HostPattern] = []
        for text in allow {
            guard let pattern = HostPattern(text) else {
                throw ServiceError(.internalFault, "source.allow: \(text) is not a host, *.host or *")
            }
            patterns.append(pattern)
        }
        var ranges: [AddressRange] = []
        for text in exceptions {
            guard let range = AddressRange(text) else {
                throw ServiceError(
                    .internalFault, "source.allowCIDR: \(text) is not an IP address range in CIDR notation")
            }
            ranges.append(range)
        }
        guard ports.allSatisfy({ (1...65535).contains($0) }) else {
            throw ServiceError(.internalFault, "source.ports: a port must be 1 to 65535")
        }
        allowed = patterns
        self.ports = ports
        addresses = AddressTable(exceptions: ranges)
    }

    /// Parses a URL and checks it against the policy.
    ///
    /// - Throws: An error with status 403 for a URL that is not allowed, 400 for an invalid URL.
    func validate(_ url: String) throws(ServiceError) -> SourceTarget {
        let target = try SourceTarget(url)
        guard allowed.contains(where: { $0.matches(target.host) }) else {
            throw ServiceError(.hostRefused, "the source's host is not in source.allow")
        }
        guard ports.contains(target.port) else {
            throw ServiceError(.portRefused, "the source's port is not in source.ports")
        }
        if case .address(let address) = target.host { try validate(address) }
        return target
    }

    /// Checks an IP address, from a URL or a resolver, against ``addresses``.
    func validate(_ address: IPAddress) throws(ServiceError) {
        guard addresses.allows(address) else {
            throw ServiceError(
                .addressRefused, detail: "source.allowCIDR permits addresses that are not public",
                "the IP address of the source's host is not public")
        }
    }

    /// Rejects a redirect from https to http.
    func validateRedirect(from target: SourceTarget, to location: String) throws(ServiceError) {
        guard target.isSecure, location.lowercased().hasPrefix("http:") else { return }
        throw ServiceError(.schemeRefused, "the origin redirected from https to http")
    }
}

/// Pattern for hosts: one host, its subdomains, or all hosts.
enum HostPattern: Hashable, Sendable {
    case all
    case host(SourceHost)
    case below(String)

    /// Parses `*`, `*.example.com`, `example.com`, or an IP address as in URLs; nil for any other text.
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

    /// Returns true when the host matches; subdomains match by complete labels.
    func matches(_ host: SourceHost) -> Bool {
        switch (self, host) {
        case (.all, _): true
        case (.host(let pattern), _): pattern == host
        case (.below(let name), .name(let other)): other.hasSuffix("." + name)
        case (.below, .address): false
        }
    }
}
