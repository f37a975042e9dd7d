/// How much of a decoded picture is true.
public enum DecodeStatus: Hashable, Sendable {
    /// Every row comes from intact data.
    case complete
    /// The bytes ended early: `rows` complete rows from the top, as stored, are valid. What follows is transparent
    /// black, in a JPEG what libjpeg fills in, in a 1-bit fax page (CCITT in TIFF) white. A bottom-up BMP stores its
    /// lowest row first: there they are the lowest.
    case truncated(rows: Int)
    /// The whole area was written or skipped as well as possible, but checksums, codes or structure were wrong.
    case corrupt([DecodeWarning])
}

/// Something that was wrong or odd in the bytes although pixels could be shown.
public struct DecodeWarning: Hashable, Sendable, CustomStringConvertible {
    let code: UInt16

    /// The stable name, such as `crc`.
    public var description: String { CodecCall.name(of: self) }

    /// True when it makes a picture ``DecodeStatus/corrupt(_:)``; false for a remark, such as an ignored profile.
    public var isDefect: Bool { code < 64 }
}
