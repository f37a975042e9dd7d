/// The error of an encode that produced no file. Errors are equal when their codes are equal.
///
/// Unlike ``DecodeError``, which describes received bytes, it describes a bitmap and options.
public struct EncodeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure; branch on this.
    public let code: Code
    /// The requested format.
    public let format: EncodedFormat
    /// With ``Code/overMaxBytes``, the byte count of the smallest file that the options allow; nil for other codes.
    public let smallestByteCount: Int?
    /// One line of English for a log, with the found and the expected value.
    public let message: String

    init(_ code: Code, format: EncodedFormat, smallestByteCount: Int? = nil, _ message: String) {
        self.code = code
        self.format = format
        self.smallestByteCount = smallestByteCount
        self.message = message
    }

    /// `code: message`.
    public var description: String { "\(code): \(message)" }

    /// True when the codes are equal; formats, sizes and messages do not count.
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
    /// Hashes the code alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The kind of failure. More may be added: switch over it with a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name, such as `overMaxBytes`.
        public let description: String

        /// An option or a parameter is out of its range; ``EncodeError/message`` names it.
        public static var invalidArgument: Self { Self(description: "invalidArgument") }
        /// The width or height exceeds the format: 65,500 pixels in JPEG, 2,147,483,647 in PNG.
        public static var tooLarge: Self { Self(description: "tooLarge") }
        /// Even the smallest file is over ``EncodeOptions/maxBytes``; ``EncodeError/smallestByteCount`` is its size.
        public static var overMaxBytes: Self { Self(description: "overMaxBytes") }
        /// The encode needs more than the whole ``DecodeQueue/budget``.
        public static var limitExceeded: Self { Self(description: "limitExceeded") }
        /// The system has no memory left.
        public static var outOfMemory: Self { Self(description: "outOfMemory") }
        /// The encode was cancelled.
        public static var cancelled: Self { Self(description: "cancelled") }
        /// The deadline of the ``CancellationFlag`` passed.
        public static var deadlinePassed: Self { Self(description: "deadlinePassed") }
        /// A bug of this package.
        public static var `internal`: Self { Self(description: "internal") }
    }
}
