#if Service
/// Reads a target forwards, a segment at a time, and never goes back behind one that was taken.
struct TargetScanner {
    let bytes: [UInt8]
    private(set) var position: Int
    /// Bytes looked at so far: tests bound it by a multiple of the length.
    private(set) var steps = 0

    init(_ bytes: [UInt8], from position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    var isAtEnd: Bool { position >= bytes.count }

    /// What is left.
    var rest: ArraySlice<UInt8> { bytes[position...] }

    /// The bytes up to the next slash, not with it; nil when no slash follows. Does not move.
    mutating func segment() -> ArraySlice<UInt8>? {
        var end = position
        while end < bytes.count, bytes[end] != UInt8(ascii: "/") { end += 1 }
        steps += end - position + 1
        return end < bytes.count ? bytes[position..<end] : nil
    }

    /// Moves behind the slash that follows a segment.
    mutating func take(_ segment: ArraySlice<UInt8>) { position = segment.endIndex + 1 }

    /// The bytes up to and with the first `)` that a slash follows; nil when there is none. Does not move.
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
#endif
