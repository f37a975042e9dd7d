/// One header field line; the value may be any bytes.
public struct OriginField: Hashable, Sendable {
    /// The name as received or as it will be sent.
    public var name: String
    /// The value without surrounding white space.
    public var value: [UInt8]

    /// Creates a line from a value of any bytes.
    public init(_ name: String, bytes value: [UInt8]) {
        self.name = name
        self.value = value
    }

    /// Creates a line from the UTF-8 bytes of `value`.
    public init(_ name: String, _ value: String) { self.init(name, bytes: Array(value.utf8)) }
}

/// A request as received by the origin.
public struct OriginRequest: Sendable {
    /// Index of the request in order of arrival, from 0.
    public var number = 0
    /// Index of the connection, from 0.
    public let connection: Int
    /// Number of earlier requests on this connection.
    public let indexOnConnection: Int
    /// True for a request over HTTP/2.
    public let isHTTP2: Bool
    /// The method as received, such as `GET`.
    public let method: String
    /// The request target as received: path and query.
    public let target: String
    /// All lines in order; over HTTP/2 including pseudo-header fields.
    public let fields: [OriginField]
    /// The bytes of the head including its empty line; empty over HTTP/2, where it is compressed.
    public let head: [UInt8]

    /// The value of the first line with this name, case-insensitive, decoded as UTF-8; nil when there is none.
    public subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }.map { String(decoding: $0.value, as: UTF8.self) }
    }
}

/// The origin's reaction to a request.
public enum OriginAction: Sendable {
    /// Sends a response.
    case response(OriginResponse)
    /// Sends these bytes and leaves the connection open; over HTTP/2 resets the stream instead.
    case raw([UInt8])
    /// Sends these bytes, which may be empty, and closes the connection; over HTTP/2 closes it without sending the
    /// bytes, and with it all its streams.
    case close(after: [UInt8] = [])
    /// Never responds.
    case silence
    /// Resets the stream with this code (RFC 9113 §7); over HTTP/1 closes the connection.
    case resetStream(code: Int)
    /// Sends a GOAWAY that excludes this stream and later ones (RFC 9113 §6.8), and leaves the connection open; over
    /// HTTP/1 closes the connection.
    case goAway

    /// Resets the stream as unprocessed, with REFUSED_STREAM (RFC 9113 §8.7).
    public static var refuseStream: Self { .resetStream(code: 7) }

    /// Returns a 200 response with this body.
    public static func ok(_ body: [UInt8], _ fields: [OriginField] = []) -> Self {
        .response(OriginResponse(fields: fields, body: body))
    }

    /// Returns a response with this status and a Location field.
    public static func redirect(_ status: Int = 302, to location: String) -> Self {
        .response(OriginResponse(status: status, fields: [OriginField("Location", location)]))
    }
}

/// A response, with options for invalid and interrupted transfers.
public struct OriginResponse: Sendable {
    /// The framing of the body. Over HTTP/2, frames delimit the body; `length` and `declared` add a content-length, and
    /// the other cases add nothing.
    public enum Framing: Hashable, Sendable {
        /// The correct Content-Length; no Content-Length with status 204 or 304.
        case length
        /// A Content-Length of this number, whatever the body's length is.
        case declared(Int)
        /// Chunked transfer coding.
        case chunked
        /// Neither Content-Length nor chunked coding: the end of the connection ends the body.
        case untilClose
    }

    /// The failure that replaces the rest of the body.
    public enum Failure: Hashable, Sendable {
        /// Closes the connection; over HTTP/2 resets the stream.
        case close
        /// Closes the connection without the TLS alert close_notify (RFC 8446 §6.1), as a broken network does; over
        /// HTTP/2 with all its streams.
        case closeWithoutAlert
        /// Sends nothing more and leaves the connection open.
        case silence
    }

    /// The status code, 200...599.
    public var status: Int
    /// The fields, sent unchanged; Content-Length, Transfer-Encoding and Connection are derived from the other
    /// properties.
    public var fields: [OriginField]
    /// The body, with the content codings that ``fields`` declare already applied.
    public var body: [UInt8]
    /// The framing of the body.
    public var framing = Framing.length
    /// Status and fields of the interim responses that precede the response.
    public var interim: [(status: Int, fields: [OriginField])] = []
    /// Maximum size in bytes of each write of the body; a write waits until the previous one has finished.
    public var chunkSize = 65_536
    /// Delay between writes; nil for none.
    public var pause: Duration?
    /// Gate to wait for before the head; nil for none.
    public var gate: OriginGate?
    /// Gate to wait for before the body; nil for none.
    public var bodyGate: OriginGate?
    /// The failure after this many bytes of the body; nil to send all of it.
    public var failure: (after: Int, Failure)?
    /// True sends `Connection: close` and closes the connection after the response; no effect over HTTP/2.
    public var closesConnection = false

    /// Creates a valid response.
    public init(status: Int = 200, fields: [OriginField] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The header lines over HTTP/1: ``fields``, and those of ``framing`` and ``closesConnection``.
    var framedFields: [OriginField] {
        var lines = fields
        switch framing {
        case .length where status == 304 || status == 204: break
        case .length: lines.append(OriginField("Content-Length", "\(body.count)"))
        case .declared(let length): lines.append(OriginField("Content-Length", "\(length)"))
        case .chunked: lines.append(OriginField("Transfer-Encoding", "chunked"))
        case .untilClose: break
        }
        if closesConnection { lines.append(OriginField("Connection", "close")) }
        return lines
    }

    /// The header lines over HTTP/2: ``fields`` and a content-length, if ``framing`` has one.
    var fieldsOverHTTP2: [OriginField] {
        switch framing {
        case .length where status == 304 || status == 204: fields
        case .length: fields + [OriginField("content-length", "\(body.count)")]
        case .declared(let length): fields + [OriginField("content-length", "\(length)")]
        case .chunked, .untilClose: fields
        }
    }
}
