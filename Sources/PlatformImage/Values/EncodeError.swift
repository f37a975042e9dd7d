/// Why there is no file. Errors are equal when their codes are equal.
///
/// Not a ``DecodeError``: that one speaks of bytes that somebody sent, this one of a bitmap and of options.
public struct EncodeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure; branch on this.
    public let code: Code
    /// The format that was asked for.
    public let format: EncodedFormat
    /// With ``Code/overMaxBytes`` the bytes of the smallest file that the options allow; nil for other codes.
    public let smallestByteCount: Int?
    /// One line of English for a log: what was found and what was expected.
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

    /// What kind of failure; more may be added, so switch over it with a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name, such as `overMaxBytes`.
        public let description: String

        /// An option or a parameter is out of its range; ``EncodeError/message`` names it.
        public static var invalidArgument: Self { Self(description: "invalidArgument") }
        /// The format cannot store so many pixels in a row or column: 65,500 in JPEG, 2,147,483,647 in PNG.
        public static var tooLarge: Self { Self(description: "tooLarge") }
        /// Even the smallest file is over ``EncodeOptions/maxBytes``; ``EncodeError/smallestByteCount`` is its size.
        public static var overMaxBytes: Self { Self(description: "overMaxBytes") }
        /// The encoding needs more than the whole ``DecodeQueue/budget``.
        public static var limitExceeded: Self { Self(description: "limitExceeded") }
        /// The system has no memory left.
        public static var outOfMemory: Self { Self(description: "outOfMemory") }
        /// The encoding was cancelled.
        public static var cancelled: Self { Self(description: "cancelled") }
        /// The deadline of the ``CancellationFlag`` passed.
        public static var deadlinePassed: Self { Self(description: "deadlinePassed") }
        /// A bug of this package.
        public static var `internal`: Self { Self(description: "internal") }
    }
}
