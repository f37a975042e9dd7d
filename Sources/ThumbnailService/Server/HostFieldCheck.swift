import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import PlatformImage

/// Marks requests whose Host field is missing, repeated or invalid (RFC 9112 §3.2), so that responders refuse them.
///
/// The HTTP version and repeated Host fields are lost when Hummingbird converts the request, so the check runs directly
/// after the HTTP decoder. It removes all Host fields of an invalid request, whose `authority` is then `nil`. An
/// HTTP/1.0 request without a Host field is valid and gets an empty one.
final class HostFieldCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    /// The error for a request without `authority`.
    static let invalidHostError = ServiceError.malformed("the request must have exactly one valid Host field")

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(HostFieldFilter(), position: .after(decoder))
        } catch {
            // The connection is closed, because without the filter its requests would not be checked.
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
    }

    /// Returns true for `host` or `host:port` (RFC 9110 §7.2) of 1 to 255 bytes.
    ///
    /// A host is an IPv6 address in brackets, or consists of letters, digits, `-`, `.` and `_`: host names contain no
    /// other bytes, though the URI grammar allows more. A port is 0...65535 in at most five digits, or empty.
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

/// Filter between the HTTP decoder and Hummingbird's conversion.
private final class HostFieldFilter: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        let hosts = head.headers["Host"]
        if hosts.count == 1, HostFieldCheck.isValid(hosts[0]) { return context.fireChannelRead(data) }
        head.headers.remove(name: "Host")
        let isHTTP10 = head.version.major < 1 || (head.version.major == 1 && head.version.minor == 0)
        if hosts.isEmpty, isHTTP10 { head.headers.add(name: "Host", value: "") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
