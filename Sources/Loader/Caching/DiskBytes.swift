import PlatformImage

/// Serializes little-endian integers and byte strings; each string has a 16-bit length prefix.
struct DiskWriter {
    private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: Number of bytes to allocate in advance.
    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// False once a string or count exceeded its 16-bit length field; ``bytes`` is then unusable.
    private(set) var isComplete = true

    mutating func u8(_ value: UInt8) { bytes.append(value) }
    mutating func u16(_ value: UInt16) { integer(value) }
    mutating func u32(_ value: UInt32) { integer(value) }
    mutating func u64(_ value: UInt64) { integer(value) }
    mutating func raw(_ value: some Collection<UInt8>) { bytes.append(contentsOf: value) }

    /// Appends a 16-bit count or small number; a value outside 0...65,535 clears ``isComplete``.
    mutating func checkedU16(_ value: Int) {
        guard let value = UInt16(exactly: value) else {
            isComplete = false
            return
        }
        u16(value)
    }

    /// Appends a string with its length prefix. A string longer than 65,535 bytes, which fits in no slot of
    /// ``DiskFormat``, clears ``isComplete``.
    mutating func string(_ value: some Collection<UInt8>) {
        checkedU16(value.count)
        raw(value)
    }

    mutating func time(_ value: WallTime) { u64(UInt64(bitPattern: value.milliseconds)) }

    private mutating func integer(_ value: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}

/// Parses the output of ``DiskWriter``; every read returns nil when fewer bytes remain than it needs.
struct DiskReader {
    private let all: [UInt8]
    private var cursor: ByteCursor

    init(_ bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        all = bytes
        cursor = ByteCursor(bytes.span)
    }

    /// True when all bytes have been read.
    var isAtEnd: Bool { cursor.isAtEnd }

    mutating func u8() -> UInt8? { integer() }
    mutating func u16() -> UInt16? { integer() }
    mutating func u32() -> UInt32? { integer() }
    mutating func u64() -> UInt64? { integer() }
    mutating func u16AsInt() -> Int? { u16().map { Int(clamping: $0) } }
    mutating func time() -> WallTime? { u64().map { WallTime(milliseconds: Int64(bitPattern: $0)) } }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        let all = all
        return cursor.take(FileNumber(count)).map { ArraySlice(all.span.copy($0)) }
    }

    mutating func string() -> ArraySlice<UInt8>? {
        guard let count = u16AsInt() else { return nil }
        return bytes(count)
    }

    private mutating func integer<Value: FixedWidthInteger & UnsignedInteger>() -> Value? {
        let all = all
        return cursor.word(Value.bitWidth / 8, .little, all.span).map { Value(truncatingIfNeeded: $0) }
    }
}
