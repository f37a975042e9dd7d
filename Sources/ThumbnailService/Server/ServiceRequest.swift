import PlatformImage
import PlatformImageHTTPServer

/// A request to the service: its head and the address of its client.
struct ServiceRequest: Sendable {
    private enum Fields: Sendable {
        case head(RequestHead)
        case list([(name: String, value: String)])
    }

    /// Nil for a method that the server does not know.
    let method: RequestMethod?
    /// Path and query as sent.
    let target: String
    /// Host and port, valid or empty; nil for a request whose Host field is invalid.
    let authority: String?
    /// Remote address of the connection, IPv4 addresses inside IPv6 as IPv4; nil without an IP address.
    let peer: IPAddress?
    private let fields: Fields

    /// Takes over a request of the server, which has checked the Host field.
    init(_ request: Request) {
        method = request.head.method
        target = request.head.target
        authority = request.head.authority ?? ""
        peer = IPAddress(request.peer)
        fields = .head(request.head)
    }

    /// Takes over what the server knows of a request that it refuses.
    init(_ rejected: RejectedRequest) {
        (method, target, authority) = (rejected.method, rejected.target ?? "", "")
        peer = IPAddress(rejected.peer)
        fields = .list([])
    }

    /// Takes over a request of an application's server, whose Host field is not checked.
    init(
        method: String, target: String, host: String?, fields: [(name: String, value: String)], peer: String?
    ) {
        self.method = RequestMethod(rawValue: method)
        self.target = target
        authority = host.map { HostField.isValid($0) ? $0 : nil } ?? ""
        self.peer = peer.flatMap { IPAddress($0)?.unmapped }
        self.fields = .list(fields)
    }

    /// The value of a field; values of several lines are joined by `, ` (RFC 9110 §5.3). Nil without that field.
    subscript(name: FieldName) -> String? {
        switch fields {
        case .head(let head): return head[name]
        case .list(let lines):
            let values = lines.filter { name.matches($0.name) }.map(\.value)
            return values.isEmpty ? nil : values.joined(separator: ", ")
        }
    }
}

extension IPAddress {
    /// Converts the remote address of a connection; nil for a Unix socket.
    init?(_ peer: PeerAddress) {
        switch peer.bytes.count {
        case 4: self = .v4(peer.bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16: self = .v6(peer.bytes.reduce(0) { $0 << 8 | UInt128($1) })
        default: return nil
        }
    }
}
