/// Forward scanner over the segments of a target; it never moves back before a consumed segment.
struct TargetScanner {
    let bytes: [UInt8]
    private(set) var position: Int
    /// Number of bytes examined; tests check that this number grows only linearly with the length of the target.
    private(set) var steps = 0

    init(_ bytes: [UInt8], from position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    var isAtEnd: Bool { position >= bytes.count }

    /// The unread bytes.
    var rest: ArraySlice<UInt8> { bytes[position...] }

    /// Returns the bytes before the next slash; nil when no slash follows. Does not advance.
    mutating func segment() -> ArraySlice<UInt8>? {
        var end = position
        while end < bytes.count, bytes[end] != UInt8(ascii: "/") { end += 1 }
        steps += end - position + 1
        return end < bytes.count ? bytes[position..<end] : nil
    }

    /// Advances past the slash after a segment.
    mutating func consume(_ segment: ArraySlice<UInt8>) { position = segment.endIndex + 1 }

    /// Returns the bytes up to and including the first `)` that a slash follows; nil when there is none. Does not
    /// advance.
    mutating func upToClosedSegment() -> ArraySlice<UInt8>? {
        var end = position
        while end + 1 < bytes.count {
            steps += 1
            if bytes[end] == UInt8(ascii: ")"), bytes[end + 1] == UInt8(ascii: "/") { return bytes[position...end] }
            end += 1
        }
        return nil
    }
}
