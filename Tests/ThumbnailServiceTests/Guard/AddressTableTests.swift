import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// The table of blocked IP address ranges, row by row.
@Suite struct AddressTableTests {
    /// First and last address of each row of Docs/service-rules.md 5, and the neighbouring addresses before and after
    /// it; nil where the neighbour is blocked too or does not exist.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let first: String
        let last: String
        var before: String?
        var after: String?

        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "0.0.0.0/8", first: "0.0.0.0", last: "0.255.255.255", after: "1.0.0.0"),
        Row(
            name: "127.0.0.0/8", first: "127.0.0.0", last: "127.255.255.255", before: "126.255.255.255",
            after: "128.0.0.0"),
        Row(name: "10.0.0.0/8", first: "10.0.0.0", last: "10.255.255.255", before: "9.255.255.255", after: "11.0.0.0"),
        Row(
            name: "172.16.0.0/12", first: "172.16.0.0", last: "172.31.255.255", before: "172.15.255.255",
            after: "172.32.0.0"),
        Row(
            name: "192.168.0.0/16", first: "192.168.0.0", last: "192.168.255.255", before: "192.167.255.255",
            after: "192.169.0.0"),
        Row(
            name: "169.254.0.0/16", first: "169.254.0.0", last: "169.254.255.255", before: "169.253.255.255",
            after: "169.255.0.0"),
        Row(name: "metadata service", first: "169.254.169.254", last: "169.254.169.254"),
        Row(
            name: "100.64.0.0/10", first: "100.64.0.0", last: "100.127.255.255", before: "100.63.255.255",
            after: "100.128.0.0"),
        Row(
            name: "192.0.0.0/24", first: "192.0.0.0", last: "192.0.0.255", before: "191.255.255.255", after: "192.0.1.0"
        ),
        Row(name: "192.0.2.0/24", first: "192.0.2.0", last: "192.0.2.255", before: "192.0.1.255", after: "192.0.3.0"),
        Row(
            name: "198.18.0.0/15", first: "198.18.0.0", last: "198.19.255.255", before: "198.17.255.255",
            after: "198.20.0.0"),
        Row(
            name: "198.51.100.0/24", first: "198.51.100.0", last: "198.51.100.255", before: "198.51.99.255",
            after: "198.51.101.0"),
        Row(
            name: "203.0.113.0/24", first: "203.0.113.0", last: "203.0.113.255", before: "203.0.112.255",
            after: "203.0.114.0"),
        Row(
            name: "192.88.99.0/24", first: "192.88.99.0", last: "192.88.99.255", before: "192.88.98.255",
            after: "192.88.100.0"),
        Row(name: "224.0.0.0/4", first: "224.0.0.0", last: "239.255.255.255", before: "223.255.255.255"),
        Row(name: "240.0.0.0/4 with broadcast", first: "240.0.0.0", last: "255.255.255.255"),
        Row(name: "::/128", first: "::", last: "::"),
        Row(name: "::1/128", first: "::1", last: "::1"),
        Row(name: "fe80::/10", first: "fe80::", last: "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", before: "fe7f:ffff::"),
        Row(name: "fec0::/10", first: "fec0::", last: "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        Row(
            name: "fc00::/7", first: "fc00::", last: "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", before: "fbff:ffff::",
            after: "fe00::"),
        Row(name: "ff00::/8", first: "ff00::", last: "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        Row(
            name: "2001:db8::/32", first: "2001:db8::", last: "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            before: "2001:db7:ffff::", after: "2001:db9::"),
        Row(
            name: "3fff::/20", first: "3fff::", last: "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", before: "3ffe:ffff::",
            after: "3fff:1000::"),
        Row(
            name: "100::/64", first: "100::", last: "100::ffff:ffff:ffff:ffff", before: "ff:ffff::"),
        Row(
            name: "100:0:0:1::/64", first: "100:0:0:1::", last: "100::1:ffff:ffff:ffff:ffff", after: "100:0:0:2::"),
        Row(
            name: "2001::/23", first: "2001::", last: "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
            before: "2000:ffff:ffff::", after: "2001:200::"),
        Row(
            name: "5f00::/16", first: "5f00::", last: "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", before: "5eff::",
            after: "5f01::"),
    ]

    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text), "\(text)") }

    @Test(.requirement("SV2"), arguments: rows) func firstAndLastAddressOfEachBlockedRangeAreBlocked(row: Row) throws {
        let table = AddressTable()

        #expect(!table.allows(try address(row.first)))
        #expect(!table.allows(try address(row.last)))
    }

    @Test(.requirement("SV2"), arguments: rows) func addressesNextToABlockedRangeAreAllowed(row: Row) throws {
        for text in [row.before, row.after].compactMap({ $0 }) {
            #expect(AddressTable().allows(try address(text)), "\(text)")
        }
    }

    /// The IANA IPv6 Special-Purpose Address Registry: allocations in 2001::/23, first and last address of each, and
    /// the column Globally Reachable. 2001::/32 (Teredo) is decided by the embedded IPv4 addresses.
    @Test(
        .requirement("SV2"),
        arguments: [
            ("2001:1::1", "2001:1::1", true), ("2001:1::2", "2001:1::2", true), ("2001:1::3", "2001:1::3", true),
            ("2001:1::", "2001:1::", false), ("2001:1::4", "2001:1:ffff:ffff:ffff:ffff:ffff:ffff", false),
            ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", false),
            ("2001:2:1::", "2001:2:ffff:ffff:ffff:ffff:ffff:ffff", false),
            ("2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff", true),
            ("2001:4::", "2001:4:111:ffff:ffff:ffff:ffff:ffff", false),
            ("2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff", true),
            ("2001:4:113::", "2001:f:ffff:ffff:ffff:ffff:ffff:ffff", false),
            ("2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff", false),
            ("2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", true),
            ("2001:30::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff", true),
            ("2001:40::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", false),
        ])
    func protocolAssignmentIsAllowedOnlyIfTheRegistrySaysGloballyReachable(
        _ first: String, _ last: String, _ isReachable: Bool
    ) throws {
        for text in [first, last] { #expect(AddressTable().allows(try address(text)) == isReachable, "\(text)") }
    }

    @Test(.requirement("SV2"))
    func testTableContainsEveryBlockedRange() { #expect(AddressTable.blocked.count == Self.rows.count - 1) }

    @Test(
        .requirement("SV2"),
        arguments: [
            "8.8.8.8", "93.184.216.34", "1.1.1.1", "2606:2800:220:1:248:1893:25c8:1946", "2a00:1450:4001::200e",
        ])
    func publicIPAddressIsAllowed(text: String) throws { #expect(AddressTable().allows(try address(text))) }

    /// The IPv6 formats that embed an IPv4 address. `high` and `low` are the hexadecimal upper and lower 16 bits of the
    /// IPv4 address; Teredo (2001::/32) inverts the bits of the client's address.
    static let forms: [@Sendable (UInt32) -> String] = [
        { "::ffff:\(high($0)):\(low($0))" },
        { "::ffff:0:\(high($0)):\(low($0))" },
        { "::\(high($0)):\(low($0))" },
        { "2002:\(high($0)):\(low($0))::1" },
        { "64:ff9b::\(high($0)):\(low($0))" },
        { "64:ff9b:1::\(high($0)):\(low($0))" },
        { "2001:0:5db8:d822::\(high(~$0)):\(low(~$0))" },
        { "2001:0:\(high($0)):\(low($0))::a247:27dd" },
        { "2a00:1450:4001:1:0:5efe:\(high($0)):\(low($0))" },
        { "2a00:1450:4001:1:200:5efe:\(high($0)):\(low($0))" },
    ]

    private static func high(_ bits: UInt32) -> String { String(bits >> 16, radix: 16) }
    private static func low(_ bits: UInt32) -> String { String(bits & 0xFFFF, radix: 16) }

    @Test(.requirement("SV2"), arguments: forms.indices)
    func blockedIPv4AddressEmbeddedInIPv6IsBlocked(form: Int) throws {
        for row in Self.rows {
            for text in [row.first, row.last] {
                guard case .v4(let bits) = try address(text) else { continue }
                let carrier = Self.forms[form](bits)
                #expect(!AddressTable().allows(try address(carrier)), "\(text) as \(carrier)")
            }
        }
        for text in ["93.184.216.34", "8.8.8.8", "172.32.0.1"] {
            guard case .v4(let bits) = try address(text) else { continue }
            let carrier = Self.forms[form](bits)
            #expect(AddressTable().allows(try address(carrier)), "\(text) as \(carrier)")
        }
    }

    /// The examples of RFC 6052 §2.4 with the prefix 64:ff9b:1::/48. The embedded 192.0.2.33 is a documentation address
    /// and blocked; 93.184.216.34 is a public address.
    @Test(.requirement("SV2")) func ipv4AddressIsExtractedAtEveryPrefixLengthOfLocalUseNAT64() throws {
        for text in [
            "64:ff9b:1:c000:2:2100::", "64:ff9b:1:22c0:0:221::", "64:ff9b:1:122:c0:2:2100:0",
            "64:ff9b:1:122:333:4444:c000:221",
        ] {
            #expect(!AddressTable().allows(try address(text)), "\(text)")
        }
        #expect(AddressTable.embedded(in: 0x0064_FF9B_0001_C000_0002_2100_0000_0000).contains(0xC000_0221))
        #expect(AddressTable.embedded(in: 0x0064_FF9B_0001_22C0_0000_0221_0000_0000).contains(0xC000_0221))
        #expect(AddressTable.embedded(in: 0x0064_FF9B_0001_0122_00C0_0002_2100_0000).contains(0xC000_0221))
        #expect(AddressTable.embedded(in: 0x0064_FF9B_0001_0000_0000_0000_5DB8_D822) == [0x5DB8_D822])
    }

    @Test(.requirement("SV2")) func addressRangeExceptionAllowsOnlyAddressesOfThatRange() throws {
        let table = AddressTable(
            exceptions: ["10.1.0.0/16", "127.0.0.1", "fd00:1::/32"].compactMap { AddressRange($0) })

        for text in ["10.1.0.0", "10.1.255.255", "127.0.0.1", "fd00:1::7", "::ffff:10.1.2.3"] {
            #expect(table.allows(try address(text)), "\(text)")
        }
        for text in [
            "10.0.255.255", "10.2.0.0", "127.0.0.2", "fd00:2::7", "::1", "2002:a01:203::1", "64:ff9b::a01:203",
        ] {
            #expect(!table.allows(try address(text)), "\(text)")
        }
    }

    @Test func invalidAddressRangeTextIsRejected() {
        let table: [(text: String, range: String?)] = [
            ("10.0.0.0/8", "10.0.0.0/8"), ("10.1.2.3", "10.1.2.3/32"), ("::/0", "::/0"), ("0.0.0.0/0", "0.0.0.0/0"),
            ("2001:db8::/32", "2001:db8::/32"), ("::1", "::1/128"),
            ("10.0.0.1/8", nil), ("10.0.0.0/33", nil), ("10.0.0.0/-1", nil), ("10.0.0.0/", nil), ("10.0.0.0/8/8", nil),
            ("::1/127", nil), ("10.0/8", nil), ("", nil), ("/8", nil), ("a/8", nil), ("[::1]", nil),
            ("fe80::1%eth0", nil),
            ("10.0.0.0/+8", nil), ("10.0.0.0/ 8", nil), ("::/129", nil),
        ]
        for row in table { #expect(AddressRange(row.text)?.description == row.range, "\(row.text)") }
    }

    @Test func addressRangeContainsExactlyTheAddressesWithItsPrefix() throws {
        for length in 0...32 {
            let first: UInt32 = length == 0 ? 0 : (0xA5A5_A5A5 >> UInt32(32 - length)) << UInt32(32 - length)
            let range = try #require(AddressRange("\(IPAddress.v4(first))/\(length)"))
            for other in 0..<32 {
                let bits = first ^ (0x8000_0000 >> UInt32(other))
                #expect(range.contains(.v4(bits)) == (other >= length), "/\(length), bit \(other)")
            }
        }
        for length in [0, 1, 63, 64, 65, 127, 128] {
            let first: UInt128 = length == 0 ? 0 : (UInt128.max >> UInt128(128 - length)) << UInt128(128 - length)
            let range = try #require(AddressRange("\(IPAddress.v6(first))/\(length)"))
            for other in 0..<128 {
                let bits = first ^ (UInt128(1) << UInt128(127 - other))
                #expect(range.contains(.v6(bits)) == (other >= length), "/\(length), bit \(other)")
            }
        }
    }
}
