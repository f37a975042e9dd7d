/// The error of an encode that produced no file. Errors are equal when their codes are equal.
///
/// The usual cause is the bitmap or an option; the usual cause of a ``DecodeError`` is the file.
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

    /// True when the codes are equal; formats, sizes and messages are not compared.
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
    /// Hashes only the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The kind of failure. A minor version may add codes: a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name, such as `overMaxBytes`.
        public let description: String

        /// An option or a parameter is out of its range; ``EncodeError/message`` contains its name.
        public static var invalidArgument: Self { Self(description: "invalidArgument") }
        /// This build has no encoder for the format (``EncodedFormat/isAvailable``), or the format has no animations.
        public static var unsupportedFormat: Self { Self(description: "unsupportedFormat") }
        /// The width or the height exceeds the maximum of the format: 65,535 pixels in GIF, 65,500 in JPEG, 16,383 in
        /// WebP, 2,147,483,647 in PNG.
        public static var tooLarge: Self { Self(description: "tooLarge") }
        /// The smallest file that the options allow is larger than ``EncodeOptions/maxBytes``;
        /// ``EncodeError/smallestByteCount`` is the size of that file.
        public static var overMaxBytes: Self { Self(description: "overMaxBytes") }
        /// The encode needs more memory than the maximum of ``DecodeQueue/budget``, or more work than
        /// ``EncodeOptions/maxWork``.
        public static var limitExceeded: Self { Self(description: "limitExceeded") }
        /// The system has no memory left.
        public static var outOfMemory: Self { Self(description: "outOfMemory") }
        /// The encode was cancelled.
        public static var cancelled: Self { Self(description: "cancelled") }
        /// The deadline of the ``CancellationFlag`` was exceeded.
        public static var deadlinePassed: Self { Self(description: "deadlinePassed") }
        /// A bug of this package.
        public static var `internal`: Self { Self(description: "internal") }
    }
}
