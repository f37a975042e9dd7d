/// The parts of a request target (RFC 9112 §3.2). The authority form belongs to CONNECT, which the server refuses.
struct RequestTarget: Hashable, Sendable {
    /// The path with the query; `*` for the asterisk form.
    var path: Range<Int>
    /// The host and port of an absolute target; nil for another form.
    var authority: Range<Int>?
    /// True for an absolute target without a path, whose path is `/`, before the query in `path`.
    var needsSlash = false

    /// An empty target, before a request line is parsed.
    init() { path = 0..<0 }

    /// Parses a target, all of whose bytes are target bytes.
    ///
    /// - Throws: A rejection with 400 for every other form.
    init(_ bytes: Span<UInt8>, _ range: Range<Int>, method: RequestMethod) throws(RequestRejection) {
        path = range
        guard !range.isEmpty else { throw Self.malformed }
        if bytes[range.lowerBound] == UInt8(ascii: "/") { return }
        if range.count == 1, bytes[range.lowerBound] == UInt8(ascii: "*") {
            guard method == .options else { throw Self.malformed }
            return
        }
        var start = range.lowerBound
        if range.count > 7, bytes.matches(start..<start + 7, "http://") {
            start += 7
        } else if range.count > 8, bytes.matches(start..<start + 8, "https://") {
            start += 8
        } else {
            throw Self.malformed
        }
        var end = start
        while end < range.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end += 1 }
        guard HostField.isValid(bytes, start..<end) else { throw Self.malformed }
        authority = start..<end
        path = end..<range.upperBound
        needsSlash = path.isEmpty || bytes[end] == UInt8(ascii: "?")
    }

    private static var malformed: RequestRejection {
        RequestRejection(.target, "the request target is neither a path nor an http URL")
    }
}
