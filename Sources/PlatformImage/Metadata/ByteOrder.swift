/// Bounded reads and writes of integers in one byte order.
enum ByteOrder {
    case little
    case big

    /// The number at `offset`; nil when it is not completely inside `bytes`.
    func integer16(_ bytes: Span<UInt8>, at offset: Int) -> Int? { integer(bytes, at: offset, byteCount: 2) }

    /// The number at `offset`; nil when it is not completely inside `bytes`.
    func integer32(_ bytes: Span<UInt8>, at offset: Int) -> Int? { integer(bytes, at: offset, byteCount: 4) }

    /// The number of `byteCount` bytes, 1 to 8; nil when it is not completely inside `bytes` or exceeds `Int.max`.
    func integer(_ bytes: Span<UInt8>, at offset: Int, byteCount: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count, byteCount <= bytes.count - offset else { return nil }
        var value: UInt64 = 0
        for index in 0..<byteCount {
            let at = self == .big ? index : byteCount - 1 - index
            value = value << 8 | UInt64(bytes[offset + at])
        }
        return Int(exactly: value)
    }

    /// The lowest `count` bytes of `value`, 1 to 8.
    func bytes(_ value: Int, count: Int) -> [UInt8] {
        let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return self == .little ? little : little.reversed()
    }
}
