/// One HTTP/1.1 connection of an origin. Responses are sent as bytes, without an HTTP encoder, so that they can be
/// invalid.
///
/// It accepts only requests without a body, and responds to them one after the other.
struct OriginHTTP1: OriginProtocol {
    /// Number of chunks after which other connections are served.
    private static let chunksPerTurn = 16

    private var received: [UInt8] = []
    /// Number of received bytes that contain no end of a head.
    private var scanned = 0
    private var indexOnConnection = 0
    private var script: OriginScript?
    private var isSilent = false
    /// Set when the connection closes after the bytes that wait.
    private var closing: OriginClosing?
    /// Number of body bytes that wait to be sent.
    private var bodyBytesWaiting = 0

    var deadline: ContinuousClock.Instant? { script?.deadline }

    mutating func receive(_ bytes: UnsafeRawBufferPointer, on connection: OriginConnection) {
        received += bytes
        // No request line starts with a byte outside 0x20...0x7E (RFC 9112 §3), but a TLS record does; it contains no
        // end of a request head, so the connection would wait for more data.
        if connection.service.rejectsOtherProtocols, let first = received.first, first < 0x20 || first >= 0x7F {
            (received, scanned, script, isSilent, closing) = ([], 0, nil, false, .withAlert)
            let response = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            connection.write(response.utf8)
        }
        advance(on: connection)
    }

    mutating func advance(on connection: OriginConnection) {
        for _ in 0..<Self.chunksPerTurn {
            guard send(on: connection), !isSilent else { return }
            if script == nil {
                guard let request = nextRequest(on: connection) else { return }
                let recorded = connection.service.log.record(request)
                begin(connection.service.respond(recorded), on: connection)
            }
            guard fill(connection) else {
                _ = send(on: connection)
                return
            }
        }
        connection.yield()
    }

    /// Sends waiting bytes. Returns true when all are sent and the connection is open.
    private mutating func send(on connection: OriginConnection) -> Bool {
        guard connection.flush() else { return false }
        if bodyBytesWaiting > 0 {
            connection.service.log.wrote(bodyBytesWaiting)
            bodyBytesWaiting = 0
        }
        if let closing { connection.close(closing) }
        return !connection.isClosed
    }

    private mutating func begin(_ action: OriginAction, on connection: OriginConnection) {
        switch action {
        case .response(let response): script = OriginScript(response)
        case .raw(let bytes): connection.write(bytes)
        case .close(let bytes):
            connection.write(bytes)
            closing = .withAlert
        case .silence: isSilent = true
        case .resetStream, .goAway: closing = .withAlert
        }
    }

    /// Adds the next part of the response to the bytes that wait: at most one chunk of the body, with what precedes it.
    /// Returns false while the response waits for a gate or a pause.
    private mutating func fill(_ connection: OriginConnection) -> Bool {
        guard let response = script?.response else { return true }
        while let step = script?.next() {
            switch step {
            case .wait(let gate):
                if let gate { connection.advance(whenOpen: gate) }
                return false
            case .interim(let status, let fields): connection.write(Self.head(status, fields))
            case .head: connection.write(Self.head(response.status, response.framedFields))
            case .chunk(let range):
                let isChunked = response.framing == .chunked
                if isChunked { connection.write((String(range.count, radix: 16) + "\r\n").utf8) }
                connection.write(response.body[range])
                if isChunked { connection.write("\r\n".utf8) }
                bodyBytesWaiting += range.count
                // The end of the body is sent together with its last chunk.
                guard script?.isBeforeEnd == true else { return true }
            case .end:
                if response.framing == .chunked { connection.write("0\r\n\r\n".utf8) }
                if response.framing == .untilClose || response.closesConnection { closing = .withAlert }
            case .failure(.close): closing = .withAlert
            case .failure(.closeWithoutAlert): closing = .withoutAlert
            case .failure(.silence): break
            }
        }
        script = nil
        return true
    }

    private static func head(_ status: Int, _ fields: [OriginField]) -> [UInt8] {
        var bytes = Array("HTTP/1.1 \(status) Status\r\n".utf8)
        for field in fields {
            bytes += field.name.utf8
            bytes += ": ".utf8
            bytes += field.value
            bytes += "\r\n".utf8
        }
        bytes += "\r\n".utf8
        return bytes
    }

    /// Removes the first complete head from the received bytes; nil when there is none.
    private mutating func nextRequest(on connection: OriginConnection) -> OriginRequest? {
        guard let end = endOfHead() else { return nil }
        let head = Array(received[..<end])
        received.removeFirst(end)
        scanned = 0
        let lines = head.dropLast(4).split(separator: 0x0A).map { $0.last == 0x0D ? $0.dropLast() : $0 }
        let start = (lines.first ?? []).split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
        let fields = lines.dropFirst().compactMap { line -> OriginField? in
            guard let colon = line.firstIndex(of: 0x3A) else { return nil }
            let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
            return OriginField(String(decoding: line[..<colon], as: UTF8.self), bytes: Array(value))
        }
        defer { indexOnConnection += 1 }
        return OriginRequest(
            connection: connection.number, indexOnConnection: indexOnConnection, isHTTP2: false,
            method: start.first ?? "", target: start.count > 1 ? start[1] : "", fields: fields, head: head)
    }

    /// Position after the first empty line; nil when there is none.
    private mutating func endOfHead() -> Int? {
        let end = received.withUnsafeBufferPointer { bytes -> Int? in
            var position = scanned
            while position + 4 <= bytes.count {
                if bytes[position] == 0x0D, bytes[position + 1] == 0x0A, bytes[position + 2] == 0x0D,
                    bytes[position + 3] == 0x0A
                {
                    return position + 4
                }
                position += 1
            }
            return nil
        }
        if end == nil { scanned = max(received.count - 3, 0) }
        return end
    }
}
