#if AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Keeps the bytes of HTTP/1 response heads, and knows what a connection had received when it broke.
///
/// NIO's parser makes every field a `String` and replaces what is not UTF-8. This handler stands before the parser and
/// spells each byte from 0x80 on as the code point of the same number, so the strings hold code points up to U+00FF
/// only, one a byte. Where a head begins and ends is simple here, as AsyncHTTPClient does not pipeline: what follows a
/// request is a head until its empty line, and again one when its status was 1xx.
final class AsyncHTTPClientHead: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// Why a request has no response: its connection broke before the head was complete.
    struct ReplyLost: Error {
        /// True when a request went over this connection before.
        let isReused: Bool
        /// True when some byte of a response, or of an interim one, had come.
        let isBegun: Bool
        /// What broke, for a log.
        let reason: String
    }

    /// A response that has more around its content than its reader allows.
    struct TooMuch: Error {
        /// What there is too much of, for a log.
        let reason: String
    }

    private enum Stage {
        case outside
        case head(Head)
    }

    /// How far a head is read.
    private struct Head {
        var isBegun = false
        /// Interim heads included.
        var byteCount = 0
        var isFirstLine = true
        var lineLength = 0
        var statusLine: [UInt8] = []

        /// Reads up to the end of the whole final head: so many bytes, whether that end is there, and whether all of
        /// them are ASCII.
        mutating func read(_ bytes: UnsafeRawBufferPointer) -> (count: Int, isEnded: Bool, isASCII: Bool) {
            var index = 0
            var all: UInt8 = 0
            while index < bytes.count {
                // Within the lines after the first one only their ends matter.
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

        /// True for the byte that ends the whole final head.
        private mutating func ends(with byte: UInt8) -> Bool {
            isBegun = true
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
            // Empty lines before the status line are skipped by parsers (RFC 9112 §2.2 says so of requests).
            if isFirstLine { return false }
            guard isInterim else { return true }
            isFirstLine = true
            statusLine = []
            return false
        }

        /// `HTTP/1.1 1xx`, but 101, after which there is no more HTTP.
        private var isInterim: Bool {
            let status = statusLine.dropFirst(9)
            return status.first == 0x31 && !status.elementsEqual([0x31, 0x30, 0x31])
        }
    }

    private var stage = Stage.outside
    private var requests = 0
    private let limit: Int?
    private let content: AsyncHTTPClientContentCount?
    /// All bytes since the last request.
    private var received = 0

    /// - Parameters:
    ///   - limit: Bytes of the heads of one response; nil for no limit but the parser's.
    ///   - content: Stands behind the parser; nil for no limit of what is around the content.
    init(limit: Int? = nil, content: AsyncHTTPClientContentCount? = nil) {
        self.limit = limit
        self.content = content
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head = unwrapOutboundIn(data) {
            requests += 1
            stage = .head(Head())
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
            return refuse("more than \(limit) bytes of header fields", context)
        }
        stage = isEnded ? .outside : .head(head)
        context.fireChannelRead(isASCII ? data : wrapInboundOut(spelled(view, upTo: end)))
        if isEnded { checkFraming(context) }
    }

    /// Chunks of one byte bring five bytes more each (RFC 9112 §7.1); what brings much more is there to be read for
    /// nothing.
    private func checkFraming(_ context: ChannelHandlerContext) {
        guard let limit, let content, received > 3 * limit else { return }
        if (received - 3 * limit) / 16 > content.bytes { refuse("too much around the content", context) }
    }

    private func refuse(_ reason: String, _ context: ChannelHandlerContext) {
        stage = .outside
        context.fireErrorCaught(TooMuch(reason: reason))
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(takeLoss("\(error)") ?? error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let loss = takeLoss("connection closed") { context.fireErrorCaught(loss) }
        context.fireChannelInactive()
    }

    private func takeLoss(_ reason: String) -> ReplyLost? {
        guard case .head(let head) = stage else { return nil }
        stage = .outside
        return ReplyLost(isReused: requests > 1, isBegun: head.isBegun, reason: reason)
    }

    private func spelled(_ view: ByteBufferView, upTo end: Int) -> ByteBuffer {
        var spelled = ByteBuffer()
        spelled.reserveCapacity(view.count + 64)
        for byte in view[..<end] {
            if byte < 0x80 {
                spelled.writeInteger(byte)
            } else {
                spelled.writeBytes([0xC0 | byte >> 6, 0x80 | byte & 0x3F])
            }
        }
        spelled.writeBytes(view[end...])
        return spelled
    }
}

extension ResponseHead {
    /// The head as AsyncHTTPClient gives it.
    ///
    /// - Parameter isSpelled: True when an ``AsyncHTTPClientHead`` stood in the connection.
    init(_ head: HTTPResponseHead, isSpelled: Bool) {
        let fields = head.headers.map { name, value in
            let bytes = Array(value.utf8)
            // Nearly every value is ASCII, whose code points are its bytes.
            guard isSpelled, bytes.contains(where: { $0 >= 0x80 }) else { return HeaderField(name, bytes: bytes) }
            // Code points above U+00FF cannot be there; taken as they are they would be cut, not trapped on.
            return HeaderField(name, bytes: value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        }
        self.init(status: Int(head.status.code), fields: HeaderFields(fields))
    }
}
#endif
