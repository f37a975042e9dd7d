#if AsyncHTTPClient
import NIOCore

/// One HTTP/1.1 connection of an origin, written byte by byte, so that it can send invalid responses.
///
/// It responds to requests without a body, one after the other.
final class OriginHTTP1: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Event: the response was sent, and the next request may be read.
    private struct Answered: Sendable {}

    private let connection: Int
    private let log: OriginLog
    private let refusesOtherProtocols: Bool
    private let answer: @Sendable (OriginRequest) -> OriginAnswer
    private var received: [UInt8] = []
    private var isAnswering = false
    private var place = 0

    init(
        connection: Int, log: OriginLog, refusesOtherProtocols: Bool,
        answer: @escaping @Sendable (OriginRequest) -> OriginAnswer
    ) {
        self.connection = connection
        self.log = log
        self.refusesOtherProtocols = refusesOtherProtocols
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytesView
        // For example a TLS record: no request line starts this way (RFC 9112 §3), and the header would never end.
        if refusesOtherProtocols, let first = received.first, first < 0x20 || first >= 0x7F { return refuse(context) }
        answerNext(context.channel)
    }

    private func refuse(_ context: ChannelHandlerContext) {
        received = []
        let answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        let channel = context.channel
        channel.writeAndFlush(ByteBuffer(string: answer)).whenComplete { _ in channel.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is Answered else { return context.fireUserInboundEventTriggered(event) }
        isAnswering = false
        answerNext(context.channel)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answerNext(_ channel: any Channel) {
        guard !isAnswering, let request = nextRequest() else { return }
        isAnswering = true
        let recorded = log.record(request)
        let (answer, log) = (answer, log)
        Task(executorPreference: OriginThread.shared) {
            // The client may disconnect at any time; write errors are ignored.
            try? await Wire(channel: channel).play(answer(recorded), log: log)
            channel.pipeline.fireUserInboundEventTriggered(Answered())
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
        defer { place += 1 }
        return OriginRequest(
            connection: connection, place: place, isHTTP2: false, method: start.first ?? "",
            target: start.count > 1 ? start[1] : "", fields: fields, head: head)
    }

    private struct Wire: OriginWire {
        let channel: any Channel

        func interim(_ status: Int, _ fields: [OriginField]) async throws { try await write(head(status, fields)) }

        func head(_ response: OriginResponse) async throws {
            try await write(head(response.status, response.framedFields))
        }

        func piece(_ bytes: ArraySlice<UInt8>, of response: OriginResponse) async throws {
            guard response.framing == .chunked else { return try await write(bytes) }
            try await write(Array(String(bytes.count, radix: 16).utf8) + [0x0D, 0x0A] + bytes + [0x0D, 0x0A])
        }

        func end(_ response: OriginResponse) async throws {
            if response.framing == .chunked { try await write(Array("0\r\n\r\n".utf8)) }
            if response.framing == .untilClose || response.closesConnection { try await channel.close() }
        }

        func cut() async throws { try await channel.close() }

        func misbehave(_ answer: OriginAnswer) async throws {
            switch answer {
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
#endif
