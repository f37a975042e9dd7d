import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An IP address without port and scope.
enum IPAddress: Hashable, Sendable, CustomStringConvertible {
    case v4(UInt32)
    case v6(UInt128)

    /// Parses dotted decimal IPv4, or the text form of IPv6 (RFC 4291 §2.2); nil for any other text, including a zone
    /// or brackets.
    init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= 45, text.utf8.allSatisfy(Self.isAddressByte) else { return nil }
        var (short, long) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &short) == 1 {
            self = .v4(UInt32(bigEndian: short.s_addr))
        } else if inet_pton(AF_INET6, text, &long) == 1 {
            self.init(long)
        } else {
            return nil
        }
    }

    init(_ address: in6_addr) {
        var bits: UInt128 = 0
        withUnsafeBytes(of: address) { bytes in for byte in bytes { bits = bits << 8 | UInt128(byte) } }
        self = .v6(bits)
    }

    /// Canonical text form (RFC 5952), without brackets.
    var description: String {
        switch self {
        case .v4(let bits):
            return [24, 16, 8, 0].map { String(bits >> UInt32($0) & 0xFF) }.joined(separator: ".")
        case .v6(let bits):
            var address = in6_addr()
            withUnsafeMutableBytes(of: &address) { bytes in
                for index in bytes.indices {
                    bytes[index] = UInt8(truncatingIfNeeded: bits >> UInt128(120 - 8 * index))
                }
            }
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// The IPv4 address in an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2); other addresses unchanged.
    var unmapped: IPAddress {
        guard case .v6(let bits) = self, bits >> 32 == 0xFFFF else { return self }
        return .v4(UInt32(truncatingIfNeeded: bits))
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte.asciiHexValue != nil || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":")
    }
}

/// A range of addresses with a common prefix (CIDR).
struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    /// First address of the range.
    let first: IPAddress
    /// Prefix length in bits, 0...32 for IPv4 and 0...128 for IPv6.
    let length: Int

    /// Parses `address/length` or a single address; nil for any other text, and when bits after the prefix are set.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = parts.first.flatMap({ IPAddress(String($0)) }) else { return nil }
        let width =
            switch address {
            case .v4: 32
            case .v6: 128
            }
        var length = width
        if parts.count == 2 {
            guard let number = Int(asciiDigits: parts[1].utf8), number <= width else { return nil }
            length = number
        }
        (first, self.length) = (address, length)
        switch address {
        case .v4(let bits) where length < 32 && bits << UInt32(length) != 0: return nil
        case .v6(let bits) where length < 128 && bits << UInt128(length) != 0: return nil
        default: break
        }
    }

    /// Returns true when the address has the family and the prefix of the range.
    func contains(_ address: IPAddress) -> Bool {
        switch (first, address) {
        case (.v4(let prefix), .v4(let bits)): length == 0 || (prefix ^ bits) >> UInt32(32 - length) == 0
        case (.v6(let prefix), .v6(let bits)): length == 0 || (prefix ^ bits) >> UInt128(128 - length) == 0
        default: false
        }
    }

    /// `address/length`.
    var description: String { "\(first)/\(length)" }
}

extension IPAddress {
    /// Returns the address of the client.
    ///
    /// - Parameters:
    ///   - peer: Remote address of the connection; nil without an IP address.
    ///   - forwardedFor: `X-Forwarded-For` as set by a trusted proxy: its last element is the address that the proxy
    ///     saw; the elements before it come from the client and are ignored. Nil without a trusted proxy.
    static func client(peer: IPAddress?, forwardedFor: String?) -> IPAddress {
        if let last = forwardedFor?.split(separator: ",").last {
            var text = last.drop { $0 == " " || $0 == "\t" }
            while let end = text.last, end == " " || end == "\t" { text.removeLast() }
            if text.first == "[", let end = text.firstIndex(of: "]") { text = text[..<end].dropFirst() }
            if let address = IPAddress(String(text)) { return address.unmapped }
        }
        // A peer without an IP address is treated as a client at 127.0.0.1.
        return peer ?? .v4(0x7F00_0001)
    }

    /// Network that counts as one client: an IPv4 address, or an IPv6 /64, within which a host can choose addresses
    /// freely.
    var clientNetwork: IPAddress {
        switch unmapped {
        case .v4(let bits): .v4(bits)
        case .v6(let bits): .v6((bits >> 64) << 64)
        }
    }
}
