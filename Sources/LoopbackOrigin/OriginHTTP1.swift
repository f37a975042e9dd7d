import NIOCore

/// One HTTP/1.1 connection of an origin. Responses are sent as bytes, without an HTTP encoder, so that they can be
/// invalid.
///
/// It accepts only requests without a body, and responds to them one after the other.
final class OriginHTTP1: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Event: the response was sent, and the next request may be read.
    private struct ResponseSent: Sendable {}

    private let connection: Int
    private let log: OriginLog
    private let rejectsOtherProtocols: Bool
    private let respond: @Sendable (OriginRequest) -> OriginAction
    private var received: [UInt8] = []
    private var isResponding = false
    private var indexOnConnection = 0

    init(
        connection: Int, log: OriginLog, rejectsOtherProtocols: Bool,
        respond: @escaping @Sendable (OriginRequest) -> OriginAction
    ) {
        self.connection = connection
        self.log = log
        self.rejectsOtherProtocols = rejectsOtherProtocols
        self.respond = respond
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytesView
        // No request line starts with a byte outside 0x20...0x7E (RFC 9112 §3), but a TLS record does; it contains no
        // end of a request head, so the connection would wait for more data.
        if rejectsOtherProtocols, let first = received.first, first < 0x20 || first >= 0x7F { return reject(context) }
        respondToNext(context.channel)
    }

    private func reject(_ context: ChannelHandlerContext) {
        received = []
        let response = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        let channel = context.channel
        channel.writeAndFlush(ByteBuffer(string: response)).whenComplete { _ in channel.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ResponseSent else { return context.fireUserInboundEventTriggered(event) }
        isResponding = false
        respondToNext(context.channel)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func respondToNext(_ channel: any Channel) {
        guard !isResponding, let request = nextRequest() else { return }
        isResponding = true
        let recorded = log.record(request)
        let (respond, log) = (respond, log)
        Task(executorPreference: OriginThread.shared) {
            // The client may disconnect at any time; write errors are ignored.
            try? await Wire(channel: channel).perform(respond(recorded), log: log)
            channel.pipeline.fireUserInboundEventTriggered(ResponseSent())
        }
    }

    private func nextRequest() -> OriginRequest? {
        let end = Array("\r\n\r\n".utf8)
        guard let last = received.indices.first(where: { received[$0...].starts(with: end) }) else { return nil }
        let head = Array(received[..<(last + end.count)])
        received.removeFirst(head.count)
        let lines = head.dropLast(end.count).split(separator: 0x0A).map { $0.last == 0x0D ? $0.dropLast() : $0 }
        let start = (lines.first ?? []).split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
        let fields = lines.dropFirst().compactMap { line -> OriginField? in
            guard let colon = line.firstIndex(of: 0x3A) else { return nil }
            let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
            return OriginField(String(decoding: line[..<colon], as: UTF8.self), bytes: Array(value))
        }
        defer { indexOnConnection += 1 }
        return OriginRequest(
            connection: connection, indexOnConnection: indexOnConnection, isHTTP2: false, method: start.first ?? "",
            target: start.count > 1 ? start[1] : "", fields: fields, head: head)
    }

    private struct Wire: OriginWire {
        let channel: any Channel

        func interim(_ status: Int, _ fields: [OriginField]) async throws { try await write(head(status, fields)) }

        func head(_ response: OriginResponse) async throws {
            try await write(head(response.status, response.framedFields))
        }

        func chunk(_ bytes: ArraySlice<UInt8>, of response: OriginResponse) async throws {
            guard response.framing == .chunked else { return try await write(bytes) }
            try await write(Array(String(bytes.count, radix: 16).utf8) + [0x0D, 0x0A] + bytes + [0x0D, 0x0A])
        }

        func end(_ response: OriginResponse) async throws {
            if response.framing == .chunked { try await write(Array("0\r\n\r\n".utf8)) }
            if response.framing == .untilClose || response.closesConnection { try await channel.close() }
        }

        func abort() async throws { try await channel.close() }

        func performFailure(_ action: OriginAction) async throws {
            switch action {
            case .raw(let bytes): try await write(bytes)
            case .close(let bytes):
                try await write(bytes)
                try await channel.close()
            case .silence: try await channel.closeFuture.get()
            case .response, .resetStream, .goAway: try await channel.close()
            }
        }

        private func head(_ status: Int, _ fields: [OriginField]) -> [UInt8] {
            var bytes = Array("HTTP/1.1 \(status) Status\r\n".utf8)
            for field in fields { bytes += Array("\(field.name): ".utf8) + field.value + [0x0D, 0x0A] }
            return bytes + [0x0D, 0x0A]
        }

        private func write(_ bytes: some Collection<UInt8> & Sendable) async throws {
            try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        }
    }
}
