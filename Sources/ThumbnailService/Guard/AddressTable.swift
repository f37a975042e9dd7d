/// Filter for the addresses of sources, against SSRF: blocks internal, reserved and unroutable ranges
/// (Docs/service-rules.md 5, SV2 in Docs/service-security.md).
struct AddressTable: Hashable, Sendable {
    /// Ranges that are allowed although they are blocked by default.
    let exceptions: [AddressRange]

    /// Creates the default table with exceptions.
    init(exceptions: [AddressRange] = []) { self.exceptions = exceptions }

    /// True when connections to the address are allowed.
    func allows(_ address: IPAddress) -> Bool {
        let address = address.unmapped
        return exceptions.contains { $0.contains(address) } || !Self.isBlocked(address)
    }

    /// Returns true when the address is blocked by default.
    static func isBlocked(_ address: IPAddress) -> Bool {
        let isInRange = blocked.contains { $0.contains(address) } && !reachable.contains { $0.contains(address) }
        if isInRange { return true }
        guard case .v6(let bits) = address else { return false }
        return embedded(in: bits).contains { isBlocked(.v4($0)) }
    }

    /// Blocked ranges: special-purpose ranges that are not globally reachable (RFC 6890 and its successors), multicast,
    /// and the deprecated ranges of IPv6 site-local addresses and 6to4 relays.
    static let blocked: [AddressRange] = [
        // "This network", loopback, private use (RFC 1918), link-local with the metadata services of clouds, and
        // carrier-grade NAT (RFC 6598).
        "0.0.0.0/8", "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10",
        // Protocol assignments, documentation, benchmarks, anycast of the retired 6to4 relays, multicast, reserved and
        // broadcast.
        "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "192.88.99.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        // Unspecified, loopback, link-local, site-local (deprecated by RFC 3879), unique local, multicast,
        // documentation, discard only, dummy prefix (RFC 9780), segment routing, protocol assignments, among them
        // benchmarks (2001:2::/48, RFC 5180) and ORCHID (2001:10::/28, RFC 4843).
        "::/128", "::1/128", "fe80::/10", "fec0::/10", "fc00::/7", "ff00::/8", "2001:db8::/32", "3fff::/20", "100::/64",
        "100:0:0:1::/64", "5f00::/16", "2001::/23",
    ].compactMap { AddressRange($0) }

    /// Ranges in 2001::/23 that are not blocked: the allocations that the IANA IPv6 Special-Purpose Address Registry
    /// calls globally reachable, and Teredo, whose embedded IPv4 addresses are checked.
    static let reachable: [AddressRange] = [
        "2001::/32", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:3::/32", "2001:4:112::/48",
        "2001:20::/28", "2001:30::/28",
    ].compactMap { AddressRange($0) }

    /// Returns the IPv4 addresses embedded in an IPv6 address, in all formats that a gateway may translate.
    static func embedded(in bits: UInt128) -> [UInt32] {
        func short(_ shift: UInt128) -> UInt32 { UInt32(truncatingIfNeeded: bits >> shift) }
        let top32 = short(96)
        var found: [UInt32] = []
        // IPv4-mapped ::ffff:0:0/96, IPv4-translated ::ffff:0:0:0/96 (RFC 2765), IPv4-compatible ::/96 (RFC 4291
        // §2.5.5).
        if [0, 0xFFFF, 0xFFFF_0000].contains(bits >> 32) { found.append(short(0)) }
        // 6to4 (RFC 3056 §2).
        if bits >> 112 == 0x2002 { found.append(short(80)) }
        // NAT64 with the well-known prefix (RFC 6052 §2.1).
        if bits >> 32 == 0x64_FF9B << 64 { found.append(short(0)) }
        // NAT64 with the local-use prefix (RFC 8215), at each position that RFC 6052 §2.2 defines for a prefix length.
        // Bits 64 to 71 are not part of the address.
        if bits >> 80 == 0x64_FF9B_0001 {
            if (bits << 48) >> 80 == 0 {
                found.append(short(0))
            } else {
                found.append(short(64) << 16 | short(40) & 0xFFFF)
                found.append(short(64) << 24 | short(32) & 0xFF_FFFF)
                found.append(short(24))
                found.append(short(0))
            }
        }
        // Teredo: the server's address, and the client's with inverted bits (RFC 4380 §4).
        if top32 == 0x2001_0000 { found += [short(64), ~short(0)] }
        // ISATAP interface identifiers for private and global addresses (RFC 5214 §6.1).
        if [0x0000_5EFE, 0x0200_5EFE].contains(short(32)) { found.append(short(0)) }
        return found
    }
}
