/// One HTTP/2 connection of an origin. It ignores the bodies of requests, and responds on all streams at once.
struct OriginHTTP2: OriginProtocol {
    /// Number of writes after which other connections are served.
    private static let writesPerTurn = 16
    private static let bytesPerWrite = 65_536

    private let session: OriginHTTP2Session
    private var scripts: [(stream: Int32, script: OriginScript)] = []
    private var closing: OriginClosing?
    /// Number of body bytes that were reported to the log.
    private var bodyBytesWritten = 0

    /// Returns nil when memory is exhausted.
    init?() {
        guard let session = OriginHTTP2Session() else { return nil }
        self.session = session
    }

    var deadline: ContinuousClock.Instant? { scripts.compactMap(\.script.deadline).min() }

    mutating func receive(_ bytes: UnsafeRawBufferPointer, on connection: OriginConnection) {
        guard session.receive(bytes) else { return connection.close() }
        while let (stream, fields) = session.nextRequest() { begin(stream, fields, on: connection) }
        advance(on: connection)
    }

    mutating func advance(on connection: OriginConnection) {
        for _ in 0..<Self.writesPerTurn {
            guard send(on: connection) else { return }
            continueScripts(on: connection)
            var frames: [UInt8] = []
            guard session.take(Self.bytesPerWrite, into: &frames) else { return connection.close() }
            if frames.isEmpty {
                if session.hasEnded { connection.close() }
                if let closing { connection.close(closing) }
                return
            }
            connection.write(frames)
        }
        connection.yield()
    }

    /// Sends waiting bytes. Returns true when all are sent and the connection is open.
    private mutating func send(on connection: OriginConnection) -> Bool {
        guard connection.flush() else { return false }
        let written = session.bodyBytes
        if written > bodyBytesWritten { connection.service.log.wrote(written - bodyBytesWritten) }
        bodyBytesWritten = written
        return true
    }

    private mutating func begin(_ stream: Int32, _ fields: [OriginField], on connection: OriginConnection) {
        func value(_ name: String) -> String {
            fields.first { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) } ?? ""
        }
        // Streams that a client initiates have odd numbers (RFC 9113 §5.1.1).
        let request = connection.service.log.record(
            OriginRequest(
                connection: connection.number, indexOnConnection: (Int(stream) - 1) / 2, isHTTP2: true,
                method: value(":method"), target: value(":path"), fields: fields, head: []))
        switch connection.service.respond(request) {
        case .response(let response): scripts.append((stream, OriginScript(response)))
        case .raw: session.reset(stream, code: OriginHTTP2Session.Code.protocolError)
        case .close: closing = .withAlert
        case .silence: break
        case .resetStream(let code): session.reset(stream, code: code)
        case .goAway: session.goAway(before: stream)
        }
    }

    private mutating func continueScripts(on connection: OriginConnection) {
        var index = 0
        while closing == nil, index < scripts.count {
            let stream = scripts[index].stream
            let isContinuing = Self.isContinuing(
                &scripts[index].script, on: stream, of: session, connection, &closing)
            if isContinuing { index += 1 } else { scripts.remove(at: index) }
        }
    }

    /// Queues the next part of a response: at most one chunk of the body, with what precedes it. Returns false at the
    /// end of the response.
    private static func isContinuing(
        _ script: inout OriginScript, on stream: Int32, of session: OriginHTTP2Session, _ connection: OriginConnection,
        _ closing: inout OriginClosing?
    ) -> Bool {
        let response = script.response
        while session.isOpen(stream) {
            // The stream ends together with its last chunk.
            if session.isSending(stream), !script.isBeforeEnd { return true }
            guard let step = script.next() else { return false }
            switch step {
            case .wait(let gate):
                if let gate { connection.advance(whenOpen: gate) }
                return true
            case .interim(let status, let fields): session.send(status, fields, isInterim: true, on: stream)
            case .head: session.send(response.status, response.fieldsOverHTTP2, isInterim: false, on: stream)
            case .chunk(let range): session.send(response.body[range], on: stream)
            case .end: session.end(stream)
            case .failure(.close): session.reset(stream, code: OriginHTTP2Session.Code.internalError)
            case .failure(.closeWithoutAlert): closing = .withoutAlert
            case .failure(.silence): break
            }
        }
        return false
    }
}
