#if AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Preserves the bytes of HTTP/1 response heads and records how much of a response a broken connection had received.
///
/// NIO's parser converts every field to a `String` and replaces invalid UTF-8. This handler precedes the parser and
/// re-encodes each byte from 0x80 on as the code point of that number (ISO 8859-1), so that the strings contain only
/// code points up to U+00FF, one per byte. Finding the end of a head is simple because AsyncHTTPClient does not
/// pipeline: after each request the connection receives one head, which ends with an empty line, and another head if
/// the status was 1xx.
final class AsyncHTTPClientHeadHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The connection broke before the response head was complete.
    struct ResponseLost: Error {
        /// True when an earlier request used this connection.
        let isReused: Bool
        /// True when at least one byte of a final or interim response was received.
        let hasStarted: Bool
        /// The underlying error, for logs.
        let reason: String
    }

    /// The head or the framing of a response exceeds the limits.
    struct LimitExceeded: Error {
        /// The exceeded limit, for logs.
        let reason: String
    }

    private enum Stage {
        case outside
        case head(HeadParser)
    }

    /// The parser state of a head.
    private struct HeadParser {
        var hasStarted = false
        /// Bytes read so far, including interim heads.
        var byteCount = 0
        var isFirstLine = true
        var lineLength = 0
        var statusLine: [UInt8] = []

        /// Reads up to the end of the final head; returns the number of bytes read, whether the end was reached, and
        /// whether all bytes read are ASCII.
        mutating func read(_ bytes: UnsafeRawBufferPointer) -> (count: Int, isEnded: Bool, isASCII: Bool) {
            var index = 0
            var all: UInt8 = 0
            while index < bytes.count {
                // After the first line only line ends matter.
                if !isFirstLine, bytes[index] != 0x0A {
                    let start = index
                    while index < bytes.count, bytes[index] != 0x0A {
                        all |= bytes[index]
                        if bytes[index] != 0x0D { lineLength += 1 }
                        index += 1
                    }
                    byteCount += index - start
                    continue
                }
                all |= bytes[index]
                index += 1
                if ends(with: bytes[index - 1]) { return (index, true, all < 0x80) }
            }
            return (index, false, all < 0x80)
        }

        /// Processes one byte; returns true when it ends the final head.
        private mutating func ends(with byte: UInt8) -> Bool {
            hasStarted = true
            byteCount += 1
            guard byte == 0x0A else {
                if byte != 0x0D { lineLength += 1 }
                if isFirstLine, statusLine.count < 12 { statusLine.append(byte) }
                return false
            }
            defer { lineLength = 0 }
            guard lineLength == 0 else {
                isFirstLine = false
                return false
            }
            // Empty lines before the status line are skipped (RFC 9112 §2.2 specifies that for requests).
            if isFirstLine { return false }
            guard isInterim else { return true }
            isFirstLine = true
            statusLine = []
            return false
        }

        /// True for 1xx except 101, which ends HTTP on the connection.
        private var isInterim: Bool {
            let status = statusLine.dropFirst(9)
            return status.first == 0x31 && !status.elementsEqual([0x31, 0x30, 0x31])
        }
    }

    private var stage = Stage.outside
    private var requests = 0
    private let limit: Int?
    private let content: AsyncHTTPClientContentCounter?
    /// Bytes received since the last request; counted only with a limit.
    private var received = 0

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - limit: Maximum bytes of the heads of one response; nil means only the parser's limit.
    ///   - content: The content counter after the parser; nil means no limit for framing.
    init(limit: Int? = nil, content: AsyncHTTPClientContentCounter? = nil) {
        self.limit = limit
        self.content = content
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head = unwrapOutboundIn(data) {
            requests += 1
            stage = .head(HeadParser())
            received = 0
            content?.bytes = 0
        }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if limit != nil { received += bytes.readableBytes }
        guard case .head(var head) = stage else {
            context.fireChannelRead(data)
            return checkFraming(context)
        }
        let view = bytes.readableBytesView
        let (count, isEnded, isASCII) = bytes.withUnsafeReadableBytes { head.read($0) }
        let end = view.startIndex + count
        if let limit, head.byteCount > limit {
            return reject("the response head is larger than \(limit) bytes", context)
        }
        stage = isEnded ? .outside : .head(head)
        context.fireChannelRead(isASCII ? data : wrapInboundOut(reencoded(view, upTo: end)))
        if isEnded { checkFraming(context) }
    }

    /// Rejects a response with excessive framing. One-byte chunks have five bytes of overhead each (RFC 9112 §7.1); a
    /// much larger overhead has no legitimate use.
    private func checkFraming(_ context: ChannelHandlerContext) {
        guard let limit, let content, received > 3 * limit else { return }
        if (received - 3 * limit) / 16 > content.bytes {
            reject(
                "too much message framing: \(received) received bytes contain only \(content.bytes) bytes of content",
                context)
        }
    }

    private func reject(_ reason: String, _ context: ChannelHandlerContext) {
        stage = .outside
        context.fireErrorCaught(LimitExceeded(reason: reason))
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(responseLoss("\(error)") ?? error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let loss = responseLoss("connection closed") { context.fireErrorCaught(loss) }
        context.fireChannelInactive()
    }

    private func responseLoss(_ reason: String) -> ResponseLost? {
        guard case .head(let head) = stage else { return nil }
        stage = .outside
        return ResponseLost(isReused: requests > 1, hasStarted: head.hasStarted, reason: reason)
    }

    private func reencoded(_ view: ByteBufferView, upTo end: Int) -> ByteBuffer {
        var reencoded = ByteBuffer()
        reencoded.reserveCapacity(view.count + 64)
        for byte in view[..<end] {
            if byte < 0x80 {
                reencoded.writeInteger(byte)
            } else {
                reencoded.writeBytes([0xC0 | byte >> 6, 0x80 | byte & 0x3F])
            }
        }
        reencoded.writeBytes(view[end...])
        return reencoded
    }
}

extension ResponseHead {
    /// Converts a head of AsyncHTTPClient.
    ///
    /// - Parameter isReencoded: True when the connection had an ``AsyncHTTPClientHeadHandler``, which converts heads
    ///   from ISO 8859-1 to UTF-8.
    init(_ head: HTTPResponseHead, isReencoded: Bool) {
        let fields = head.headers.map { name, value in
            let bytes = Array(value.utf8)
            // Nearly all values are ASCII, where code points equal bytes.
            guard isReencoded, bytes.contains(where: { $0 >= 0x80 }) else { return HeaderField(name, bytes: bytes) }
            // Code points above U+00FF cannot occur. `truncatingIfNeeded` avoids a trap if one occurs nevertheless.
            return HeaderField(name, bytes: value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        }
        self.init(status: Int(head.status.code), fields: HeaderFields(fields))
    }
}
#endif
