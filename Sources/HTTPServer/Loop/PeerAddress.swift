import CPlatformImageUV

/// The remote address of a connection.
package struct PeerAddress: Hashable, Sendable {
    /// The IP address: 4 bytes, or 16 bytes of IPv6; empty for a Unix socket. IPv4 addresses inside IPv6
    /// (::ffff:0:0/96) are those of IPv4.
    package let bytes: [UInt8]
    /// The port; 0 for a Unix socket.
    package let port: UInt16

    /// True for a Unix socket.
    package var isLocal: Bool { bytes.isEmpty }

    /// The address to which limits per client apply: the IPv4 address, or the first 64 bits of an IPv6 address.
    package var network: [UInt8] { Array(bytes.prefix(bytes.count == 4 ? 4 : 8)) }

    /// Creates an address of 4 or 16 bytes, or of none for a Unix socket.
    package init(bytes: [UInt8], port: UInt16 = 0) {
        (self.bytes, self.port) = (bytes, port)
    }

    init(_ address: piuv_address) {
        port = address.port
        let all = unsafe withUnsafeBytes(of: address.bytes) { unsafe Array($0) }
        let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        switch address.family {
        case 4: bytes = Array(all.prefix(4))
        case 6: bytes = all.starts(with: mappedPrefix) ? Array(all.dropFirst(12)) : all
        default: bytes = []
        }
    }
}
