internal import CPlatformImageOriginProtocols

/// The frames of an HTTP/2 connection. It has no socket.
///
/// Functions that send to a stream have no effect when it has ended.
final class OriginHTTP2Session {
    /// Error codes (RFC 9113 §7).
    enum Code {
        static let protocolError = 1
        static let internalError = 2
    }

    private let pointer: OpaquePointer

    /// Returns nil when memory is exhausted.
    init?() {
        guard let pointer = piop_http2_new() else { return nil }
        self.pointer = pointer
    }

    deinit { piop_http2_free(pointer) }

    /// Number of body bytes in the frames that were taken.
    var bodyBytes: Int { Int(clamping: piop_http2_body_bytes(pointer)) }
    /// True when a protocol error has ended the connection.
    var hasEnded: Bool { piop_http2_has_ended(pointer) }

    /// Handles bytes from the client. Returns false when the connection cannot continue.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        piop_http2_receive(pointer, bytes.baseAddress, bytes.count)
    }

    /// Removes and returns the oldest request: its stream and all fields, including pseudo-header fields.
    func nextRequest() -> (stream: Int32, fields: [OriginField])? {
        guard let request = piop_http2_next_request(pointer)?.pointee else { return nil }
        let fields = UnsafeBufferPointer(start: request.fields, count: request.field_count).map { field in
            OriginField(
                String(decoding: UnsafeBufferPointer(start: field.name, count: field.name_size), as: UTF8.self),
                bytes: Array(UnsafeBufferPointer(start: field.value, count: field.value_size)))
        }
        return (request.stream, fields)
    }

    /// True until the stream was ended by both sides or reset by one.
    func isOpen(_ stream: Int32) -> Bool { piop_http2_is_open(pointer, stream) }

    /// True while bytes of the body wait for the flow control or for ``take(into:)``.
    func isSending(_ stream: Int32) -> Bool { piop_http2_unsent(pointer, stream) > 0 }

    /// Queues a head; names are sent in lower case, as HTTP/2 requires.
    func send(_ status: Int, _ fields: [OriginField], isInterim: Bool, on stream: Int32) {
        let lines = [OriginField(":status", "\(status)")] + fields
        var bytes: [UInt8] = []
        for line in lines {
            bytes += line.name.lowercased().utf8
            bytes += line.value
        }
        bytes.withUnsafeBufferPointer { bytes in
            var next = bytes.baseAddress
            let fields = lines.map { line in
                let name = next
                let nameCount = line.name.lowercased().utf8.count
                let value = name.map { $0 + nameCount }
                next = value.map { $0 + line.value.count }
                return piop_field(name: name, name_size: nameCount, value: value, value_size: line.value.count)
            }
            _ = piop_http2_send_head(pointer, stream, fields, fields.count, isInterim)
        }
    }

    /// Queues a part of the body.
    func send(_ bytes: ArraySlice<UInt8>, on stream: Int32) {
        _ = bytes.withUnsafeBytes { piop_http2_send_body(pointer, stream, $0.baseAddress, $0.count) }
    }

    /// Ends the body.
    func end(_ stream: Int32) { _ = piop_http2_end(pointer, stream) }

    /// Resets the stream with an error code.
    func reset(_ stream: Int32, code: Int) { _ = piop_http2_reset(pointer, stream, UInt32(truncatingIfNeeded: code)) }

    /// Sends a GOAWAY that excludes this stream and later ones.
    func goAway(before stream: Int32) {
        // Streams that a client initiates have odd numbers (RFC 9113 §5.1.1).
        _ = piop_http2_go_away(pointer, stream > 2 ? stream - 2 : 0)
    }

    /// Moves the next frames to the end of an array, about `count` bytes. Returns false when the connection cannot
    /// continue.
    func take(_ count: Int, into frames: inout [UInt8]) -> Bool {
        while frames.count < count {
            var bytes: UnsafePointer<UInt8>?
            let size = piop_http2_take(pointer, &bytes)
            guard size > 0 else { return size == 0 }
            frames.append(contentsOf: UnsafeBufferPointer(start: bytes, count: size))
        }
        return true
    }
}
