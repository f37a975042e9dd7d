#if Service
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import PlatformImage

/// Marks requests whose Host field is missing, repeated or invalid (RFC 9112 section 3.2), which responders refuse.
///
/// The version of a request and a repeated Host field are known only before Hummingbird converts it, so the check runs
/// right behind the HTTP decoder. It removes all Host fields from a request to refuse, whose `authority` is then `nil`. A
/// request of HTTP/1.0 needs no Host field; without one it gets an empty one.
final class HostFieldCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    /// The error for a request without `authority`.
    static let refusal = ServiceError.malformed("a request has one Host field with a host and at most a port")

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(HostFieldFilter(), position: .after(decoder))
        } catch {
            // Unchecked requests must not get through.
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
    }

    /// Returns true for `host` or `host:port` (RFC 9110 section 7.2).
    ///
    /// A host is an IPv6 address in brackets, or letters, digits, `-`, `.` and `_`: names of hosts have no other bytes,
    /// though the grammar of a URI allows more. A port is 0...65535 in at most five digits, or empty.
    static func isValid(_ value: some StringProtocol) -> Bool {
        let bytes = Array(value.utf8)
        guard (1...255).contains(bytes.count) else { return false }
        let hostEnd: Int
        if bytes[0] == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")),
                SourceHost(String(decoding: bytes[...close], as: UTF8.self)) != nil
            else { return false }
            hostEnd = close + 1
        } else {
            hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
            guard hostEnd > 0, bytes[..<hostEnd].allSatisfy({ $0.isASCIIAlphanumeric || "-._".utf8.contains($0) })
            else { return false }
        }
        guard hostEnd < bytes.count else { return true }
        let digits = bytes[(hostEnd + 1)...]
        guard bytes[hostEnd] == UInt8(ascii: ":"), digits.count <= 5 else { return false }
        return digits.isEmpty || Int(asciiDigits: digits).map { $0 <= 65_535 } ?? false
    }
}

/// Stands between the HTTP decoder and Hummingbird's conversion.
private final class HostFieldFilter: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        let hosts = head.headers["Host"]
        if hosts.count == 1, HostFieldCheck.isValid(hosts[0]) { return context.fireChannelRead(data) }
        head.headers.remove(name: "Host")
        let isOld = head.version.major < 1 || (head.version.major == 1 && head.version.minor == 0)
        if hosts.isEmpty, isOld { head.headers.add(name: "Host", value: "") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
#endif
