/// The order of the bytes of integers.
package enum ByteOrder: Sendable {
    case little
    case big

    /// The number of `byteCount` bytes at an offset, 1 to 8 bytes; nil when it is not completely inside `bytes` or
    /// exceeds `Int.max`.
    package func number(_ byteCount: Int, _ bytes: Span<UInt8>, at offset: FileNumber) -> FileNumber? {
        var cursor = ByteCursor(bytes)
        return cursor.move(to: offset) ? cursor.number(byteCount, self, bytes) : nil
    }

    /// The lowest `count` bytes of `value`, 1 to 8.
    package func bytes(_ value: Int, count: Int) -> [UInt8] {
        let little = (0..<max(0, count)).map { UInt8(truncatingIfNeeded: value >> (8 &* $0)) }
        return self == .little ? little : little.reversed()
    }
}
