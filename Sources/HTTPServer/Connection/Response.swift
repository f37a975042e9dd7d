/// A response as a value.
package struct Response: Sendable {
    /// Status, 200 to 599; the server sends 500 instead of another number.
    package var status: Int
    /// Fields that other responses share, for example those of a result in a cache.
    package var fields: FieldBlock
    /// Fields of this response only, sent after ``fields``.
    package var ownFields = FieldBlock()
    /// The body. Responses to HEAD and those with status 204 and 304 are sent without it; to HEAD, Content-Length is
    /// that of the body.
    package var body: ResponseBody
    /// True if the connection is closed after this response.
    package var closesConnection = false

    /// Creates a response.
    package init(status: Int, fields: FieldBlock = FieldBlock(), body: ResponseBody = .bytes([])) {
        (self.status, self.fields, self.body) = (status, fields, body)
    }

    /// Creates a response of one line of text that caches must not store.
    package init(status: Int, text: String) {
        self.init(status: status, body: .bytes(Array((text + "\n").utf8)))
        fields.append(FieldName("Content-Type"), "text/plain; charset=utf-8")
        fields.append(FieldName("Cache-Control"), "no-store")
    }
}

/// The body of a response.
package enum ResponseBody: Sendable {
    /// Bytes in memory; all responses with the same array share its memory until they are sent.
    case bytes([UInt8])
    /// Bytes of a file, sent without a copy in the memory of the program.
    case file(FileBody)
    /// Bytes that a task produces while the response is sent.
    case stream(StreamBody)
}

/// A body that a task produces.
package struct StreamBody: Sendable {
    /// Length of the body in bytes, 0 or more; nil if it is unknown. A body of unknown length is chunked, and for
    /// HTTP/1.0 it ends with the connection.
    package let length: Int?
    /// Writes the body. An error, and a number of bytes other than ``length``, close the connection, so that the client
    /// does not take the body for complete.
    package let produce: @Sendable (StreamWriter) async throws -> Void

    /// Creates a body.
    package init(length: Int? = nil, produce: @escaping @Sendable (StreamWriter) async throws -> Void) {
        self.length = length.map { max(0, $0) }
        self.produce = produce
    }
}

/// Sends the parts of a body that a task produces.
package struct StreamWriter: Sendable {
    /// The client has left, or the connection was closed for another reason.
    package struct Closed: Error {}

    let send: @Sendable ([UInt8]) async -> Bool

    /// Sends bytes and returns when the client has room for more.
    ///
    /// - Throws: `Closed` when the connection is closed.
    package func write(_ bytes: [UInt8]) async throws(Closed) {
        guard await send(bytes) else { throw Closed() }
    }
}
