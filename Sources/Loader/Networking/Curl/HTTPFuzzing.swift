#if FUZZING
/// The entry points of the fuzz target `http` (Fuzz/run); compiled only with -DFUZZING.
public enum HTTPFuzzing {
    /// Valid response heads.
    public static let heads = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: image/png\r\n\r\n",
        "HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.0 404\r\nTransfer-Encoding: chunked\r\nX:\r\n\r\nT: 1\r\n",
        "HTTP/2 304 \r\netag: \"x\"\r\n\r\n",
    ]
    /// Valid chunked bodies.
    public static let bodies = [
        "5\r\nhello\r\n0\r\n\r\n", "A;q=\"x\"\r\n0123456789\r\n1 ;x\r\n!\r\n000\r\nX: 1\r\nY:\r\n\r\n",
    ]

    /// Parses lines as libcurl passes them: split after each LF. An accepted head must be canonical and unambiguous.
    public static func parseHeads(_ bytes: [UInt8]) {
        for isHTTP1 in [true, false] {
            var parser = ResponseHeadParser(limits: .init(bytes: 4_096, interimHeads: 4), isHTTP1: isHTTP1)
            var rest = bytes[...]
            while let end = rest.firstIndex(of: 0x0A) {
                let line = Array(rest[...end])
                rest = rest[(end + 1)...]
                guard let head = try? line.withUnsafeBufferPointer({ try parser.parse($0) }) else {
                    if parser.isComplete || parser.byteCount > 4_096 { break }
                    continue
                }
                check(head.head, parser)
            }
        }
    }

    private static func check(_ head: ResponseHead, _ parser: ResponseHeadParser) {
        precondition((200...999).contains(head.status))
        let lengths = head.fields[lines: "Content-Length"].count
        let codings = head.fields[lines: "Transfer-Encoding"].count
        precondition(lengths + codings <= 1)
        if case .length(let length) = parser.framing { precondition(length >= 0 && lengths == 1) }
        for line in head.fields.lines {
            precondition(!line.name.isEmpty && !line.hasControlCharacter)
            precondition(line.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A })
            let isTrimmed = line.value.first != 0x20 && line.value.last != 0x20
            precondition(isTrimmed, "the value has surrounding spaces")
        }
    }

    /// Decodes a body whole and in pieces, whose size is the first byte: the results must be equal.
    public static func decodeChunks(_ bytes: [UInt8]) {
        let size = Int(bytes.first ?? 0) + 1
        let body = Array(bytes.dropFirst())
        let whole = decode([body])
        let pieces = stride(from: 0, to: body.count, by: size).map { Array(body[$0..<min($0 + size, body.count)]) }
        let parts = decode(pieces)
        precondition(whole.violation == parts.violation && whole.isComplete == parts.isComplete)
        precondition(whole.content == parts.content, "the content depends on the pieces")
        precondition(whole.content.count <= body.count)
    }

    private static func decode(
        _ pieces: [[UInt8]]
    ) -> (content: [UInt8], isComplete: Bool, violation: MessageViolation?) {
        var decoder = ChunkedDecoder(limits: .init(lineBytes: 64, trailerBytes: 256, framingBytes: 512))
        var content: [UInt8] = []
        for piece in pieces {
            do throws(MessageViolation) {
                try piece.withUnsafeBufferPointer { bytes throws(MessageViolation) in
                    try decoder.decode(bytes, into: &content)
                }
            } catch {
                return (content, false, error)
            }
        }
        return (content, decoder.isComplete, nil)
    }
}
#endif
