import NIOCore
import NIOHPACK
import NIOHTTP2

/// One HTTP/2 stream of an origin.
final class OriginHTTP2: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload

    private let connection: Int
    private let log: OriginLog
    private let respond: @Sendable (OriginRequest) -> OriginAction

    init(connection: Int, log: OriginLog, respond: @escaping @Sendable (OriginRequest) -> OriginAction) {
        self.connection = connection
        self.log = log
        self.respond = respond
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .headers(let frame) = unwrapInboundIn(data) else { return }
        let channel = context.channel
        let (log, respond, connection) = (log, respond, connection)
        let fields = frame.headers.map { OriginField($0.name, $0.value) }
        let (method, target) = (frame.headers.first(name: ":method"), frame.headers.first(name: ":path"))
        channel.getOption(HTTP2StreamChannelOptions.streamID).whenSuccess { stream in
            // Streams that a client initiates have odd numbers (RFC 9113 §5.1.1).
            let request = log.record(
                OriginRequest(
                    connection: connection, indexOnConnection: (Int(stream) - 1) / 2, isHTTP2: true,
                    method: method ?? "",
                    target: target ?? "", fields: fields, head: []))
            Task(executorPreference: OriginThread.shared) {
                // The client may disconnect at any time; write errors are ignored.
                try? await Wire(channel: channel, stream: stream).perform(respond(request), log: log)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private struct Wire: OriginWire {
        let channel: any Channel
        let stream: HTTP2StreamID

        func interim(_ status: Int, _ fields: [OriginField]) async throws { try await write(status, fields) }

        func head(_ response: OriginResponse) async throws {
            var fields = response.fields
            if case .declared(let length) = response.framing {
                fields.append(OriginField("content-length", "\(length)"))
            }
            if response.framing == .length, response.status != 304 {
                fields.append(OriginField("content-length", "\(response.body.count)"))
            }
            try await write(response.status, fields)
        }

        func chunk(_ bytes: ArraySlice<UInt8>, of response: OriginResponse) async throws {
            try await channel.writeAndFlush(
                HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes)))))
        }

        func end(_ response: OriginResponse) async throws {
            try await channel.writeAndFlush(
                HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)))
        }

        func abort() async throws { try await reset(.internalError) }

        func performFailure(_ action: OriginAction) async throws {
            switch action {
            case .response, .silence: break
            case .raw: try await reset(.protocolError)
            case .resetStream(let code): try await reset(HTTP2ErrorCode(networkCode: code))
            case .close: try await channel.parent?.close()
            case .goAway:
                let last = Int(stream) > 2 ? HTTP2StreamID(Int(stream) - 2) : .rootStream
                try await channel.parent?.writeAndFlush(
                    HTTP2Frame(
                        streamID: .rootStream,
                        payload: .goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil)))
            }
        }

        private func reset(_ code: HTTP2ErrorCode) async throws {
            try await channel.writeAndFlush(HTTP2Frame.FramePayload.rstStream(code))
        }

        private func write(_ status: Int, _ fields: [OriginField]) async throws {
            var headers = HPACKHeaders([(":status", "\(status)")])
            for field in fields {
                headers.add(name: field.name.lowercased(), value: String(decoding: field.value, as: UTF8.self))
            }
            try await channel.writeAndFlush(HTTP2Frame.FramePayload.headers(.init(headers: headers)))
        }
    }
}
