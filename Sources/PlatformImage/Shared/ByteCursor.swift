/// A position in bytes that may be hostile, and the end of the part that may be read.
///
/// The bytes are an argument of each read, because a span cannot be stored. No method traps: reads and ranges that are
/// not completely inside of the part and of the bytes give nil, and the position then does not change.
package struct ByteCursor: Hashable, Sendable {
    /// 0 to ``end``.
    package private(set) var position: Int
    package let end: Int

    /// A cursor at the start of all bytes.
    package init(_ bytes: Span<UInt8>) {
        position = 0
        end = bytes.count
    }

    /// A cursor at the start of a range.
    package init(_ range: Range<Int>) {
        position = max(0, range.lowerBound)
        end = max(0, range.upperBound)  // not below the position
    }

    /// Number of bytes from the position to the end.
    package var remaining: Int { end &- position }
    package var isAtEnd: Bool { position >= end }
    /// The bytes from the position to the end.
    package var rest: Range<Int> { position..<end }  // trap-free: the position never exceeds the end

    /// The bytes from an earlier position to this one; empty for a later position.
    package func range(from start: Int) -> Range<Int> { min(start, position)..<position }  // trap-free: ordered

    // MARK: Moves

    /// Moves over `count` bytes.
    ///
    /// - Returns: The range of these bytes; nil when fewer bytes remain, and for a negative number.
    package mutating func take(_ count: FileNumber) -> Range<Int>? {
        guard let count = count.int(in: 0...max(0, remaining)) else { return nil }
        let start = position
        position &+= count
        return self.range(from: start)
    }

    /// Moves over `count` bytes; false when fewer bytes remain, and for a negative number.
    @discardableResult
    package mutating func skip(_ count: FileNumber) -> Bool { take(count) != nil }

    /// Moves to an offset from the start of the bytes, forwards or backwards; false when it is not 0 to ``end``.
    @discardableResult
    package mutating func move(to offset: FileNumber) -> Bool {
        guard let offset = offset.int(in: 0...max(0, end)) else { return false }
        position = offset
        return true
    }

    /// A cursor at another offset; nil when it is not 0 to ``end``.
    package func moved(to offset: FileNumber) -> Self? {
        var cursor = self
        return cursor.move(to: offset) ? cursor : nil
    }

    // MARK: Reads

    /// The next byte, without a move; nil at the end.
    @inline(__always)
    package func peek(_ bytes: Span<UInt8>) -> UInt8? {
        position < end ? bytes.byte(at: position) : nil
    }

    /// The next byte; nil at the end.
    @inline(__always)
    package mutating func next(_ bytes: Span<UInt8>) -> UInt8? {
        guard let byte = peek(bytes) else { return nil }
        position &+= 1
        return byte
    }

    /// The next number of `byteCount` bytes, 1 to 8; nil when fewer bytes remain, and for a number above `Int.max`.
    package mutating func number(_ byteCount: Int, _ order: ByteOrder, _ bytes: Span<UInt8>) -> FileNumber? {
        var cursor = self
        guard let value = cursor.word(byteCount, order, bytes), let number = FileNumber(exactly: value) else {
            return nil
        }
        self = cursor
        return number
    }

    /// The next `byteCount` bytes, 1 to 8, as bits of any meaning; nil when fewer bytes remain.
    package mutating func word(_ byteCount: Int, _ order: ByteOrder, _ bytes: Span<UInt8>) -> UInt64? {
        guard (1...8).contains(byteCount), byteCount <= remaining else { return nil }
        var value: UInt64 = 0
        for index in 0..<max(0, byteCount) {
            let at = order == .big ? index : byteCount &- 1 &- index
            guard let byte = bytes.byte(at: position &+ at) else { return nil }
            value = value &<< 8 | UInt64(byte)  // trap-free: widens
        }
        position &+= byteCount
        return value
    }

    // MARK: Text

    /// Moves to the first byte for which `isSkipped` is false, or to the end.
    @inline(__always)
    package mutating func skip(_ bytes: Span<UInt8>, while isSkipped: (UInt8) -> Bool) {
        while let byte = peek(bytes), isSkipped(byte) { position &+= 1 }
    }

    /// True when the next bytes are `prefix`.
    package func starts(with prefix: [UInt8], _ bytes: Span<UInt8>) -> Bool {
        var cursor = self
        for expected in prefix {
            guard cursor.next(bytes) == expected else { return false }
        }
        return true
    }

    /// Moves over `prefix`; false when the next bytes differ.
    package mutating func skip(_ prefix: [UInt8], _ bytes: Span<UInt8>) -> Bool {
        starts(with: prefix, bytes) && skip(FileNumber(prefix.count))
    }

    /// Moves behind the next occurrence of `token`, which has at least one byte; false when there is none.
    package mutating func skip(behind token: [UInt8], _ bytes: Span<UInt8>) -> Bool {
        var cursor = self
        while true {
            cursor.skip(bytes) { $0 != token.first }
            if cursor.skip(token, bytes) {
                self = cursor
                return true
            }
            guard cursor.next(bytes) != nil else { return false }
        }
    }
}

extension Span<UInt8> {
    /// The byte at an index; nil when it is outside.
    @inline(__always)
    package func byte(at index: Int) -> UInt8? {
        guard index >= 0, index < count else { return nil }
        return self[index]  // trap-free: compared before
    }

    /// A copy of the bytes of a range; empty when the range is not completely inside.
    package func copy(_ range: Range<Int>) -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= count else { return [] }
        return extracting(range).copy  // trap-free: compared before
    }

    /// A copy of all bytes.
    package var copy: [UInt8] { unsafe withUnsafeBufferPointer { unsafe [UInt8]($0) } }

    /// True when the bytes of a range are `text`.
    package func matches(_ text: [UInt8], in range: Range<Int>) -> Bool {
        range.count == text.count && ByteCursor(range).starts(with: text, self)
    }
}

extension [UInt8] {
    /// A copy of the span's bytes.
    init(_ span: Span<UInt8>) { self = span.copy }
}
