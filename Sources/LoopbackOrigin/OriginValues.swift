#if AsyncHTTPClient
/// One line of a header, whose value may be any bytes.
public struct OriginField: Hashable, Sendable {
    /// As it was received or is to be sent.
    public var name: String
    /// Without white space around.
    public var value: [UInt8]

    /// A line with a value of any bytes.
    public init(_ name: String, bytes value: [UInt8]) {
        self.name = name
        self.value = value
    }

    /// A line with the UTF-8 bytes of `value`.
    public init(_ name: String, _ value: String) { self.init(name, bytes: Array(value.utf8)) }
}

/// A request as it reached the origin.
public struct OriginRequest: Sendable {
    /// 0 for the origin's first request, in the order of arrival.
    public var number = 0
    /// 0 for the origin's first connection.
    public let connection: Int
    /// How many requests came on this connection before.
    public let place: Int
    /// True over HTTP/2.
    public let isHTTP2: Bool
    /// `GET`, as received.
    public let method: String
    /// The request target as received: path and query.
    public let target: String
    /// All lines in order; over HTTP/2 with the pseudo-fields.
    public let fields: [OriginField]
    /// The head up to and with its empty line, byte for byte; empty over HTTP/2, where it was compressed.
    public let head: [UInt8]

    /// The text of the first line of that name, in any case; nil when there is none.
    public subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }.map { String(decoding: $0.value, as: UTF8.self) }
    }
}

/// What the origin does with a request.
public enum OriginAnswer: Sendable {
    /// Answers.
    case response(OriginResponse)
    /// Sends these bytes as they are and keeps the connection; over HTTP/2 resets the stream instead.
    case raw([UInt8])
    /// Sends these bytes, which may be none, and closes the connection; over HTTP/2 that of all streams.
    case close(after: [UInt8] = [])
    /// Never answers.
    case silence
    /// Resets the stream with this code (RFC 9113 §7); over HTTP/1 closes the connection.
    case resetStream(code: Int)
    /// Sends GOAWAY that leaves this stream and later ones out (RFC 9113 §6.8); over HTTP/1 closes the connection.
    case goAway

    /// Resets the stream as one that was not worked on (RFC 9113 §8.7).
    public static var refuseStream: Self { .resetStream(code: 7) }

    /// A plain 200 with this body.
    public static func ok(_ body: [UInt8], _ fields: [OriginField] = []) -> Self {
        .response(OriginResponse(fields: fields, body: body))
    }

    /// A head of this status with a Location.
    public static func redirect(_ status: Int = 302, to location: String) -> Self {
        .response(OriginResponse(status: status, fields: [OriginField("Location", location)]))
    }
}

/// A response, with everything that can go wrong with one.
public struct OriginResponse: Sendable {
    /// How the end of the body is told; over HTTP/2 the frames tell it, and only `claimed` differs.
    public enum Framing: Hashable, Sendable {
        /// A Content-Length that is true.
        case length
        /// A Content-Length of this number, whatever the body is.
        case claimed(Int)
        /// Transfer-Encoding: chunked.
        case chunked
        /// The end of the connection.
        case untilClose
    }

    /// What happens instead of the rest of the body.
    public enum Failure: Hashable, Sendable {
        /// The connection is closed in good order, over HTTP/2 the stream is reset.
        case close
        /// Nothing, for ever.
        case silence
    }

    /// 200...599.
    public var status: Int
    /// Sent as they are; Content-Length, Transfer-Encoding and Connection come from the other properties.
    public var fields: [OriginField]
    /// The content, coded already when a field says so.
    public var body: [UInt8]
    /// How the end of the body is told.
    public var framing = Framing.length
    /// Status and lines of the interim responses that go before.
    public var interim: [(status: Int, fields: [OriginField])] = []
    /// The body is written in pieces of so many bytes; each waits until the one before was taken by the network.
    public var pieceSize = 65_536
    /// Time between pieces; nil for none.
    public var pause: Duration?
    /// Waited for before the head; nil for at once.
    public var gate: OriginGate?
    /// Waited for before the body; nil for at once.
    public var bodyGate: OriginGate?
    /// What happens after so many bytes of the body; nil when all of it is sent.
    public var failure: (after: Int, Failure)?
    /// The connection is closed after this response, as it says in a Connection field.
    public var closesConnection = false

    /// A response in good order.
    public init(status: Int = 200, fields: [OriginField] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The head's lines over HTTP/1, framing included.
    var framedFields: [OriginField] {
        var lines = fields
        switch framing {
        case .length where status == 304 || status == 204: break
        case .length: lines.append(OriginField("Content-Length", "\(body.count)"))
        case .claimed(let length): lines.append(OriginField("Content-Length", "\(length)"))
        case .chunked: lines.append(OriginField("Transfer-Encoding", "chunked"))
        case .untilClose: break
        }
        if closesConnection { lines.append(OriginField("Connection", "close")) }
        return lines
    }
}
#endif
