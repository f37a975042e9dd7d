#if Service
import NIOCore

extension IPAddress {
    /// The other end of a connection; nil for one that has no IP address.
    init?(_ peer: SocketAddress?) {
        guard let text = peer?.ipAddress, let address = IPAddress(text) else { return nil }
        self = address.unmapped
    }

    /// Who asks.
    ///
    /// - Parameters:
    ///   - peer: The other end of the connection.
    ///   - forwardedFor: The field X-Forwarded-For where a proxy in front of the service sets it: its last element is
    ///     what that proxy saw, all before it is what clients write. Nil where there is no such proxy.
    static func client(peer: SocketAddress?, forwardedFor: String?) -> IPAddress {
        if let last = forwardedFor?.split(separator: ",").last {
            var text = last.drop { $0 == " " || $0 == "\t" }
            while let end = text.last, end == " " || end == "\t" { text.removeLast() }
            if text.first == "[", let end = text.firstIndex(of: "]") { text = text[..<end].dropFirst() }
            if let address = IPAddress(String(text)) { return address.unmapped }
        }
        // A peer without an address is on this machine.
        return IPAddress(peer) ?? .v4(0x7F00_0001)
    }
}
#endif
