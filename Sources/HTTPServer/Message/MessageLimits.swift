/// Limits for the parts of a request.
package struct MessageLimits: Hashable, Sendable {
    /// Maximum length of a request target in bytes, 1 to 1,000,000; longer ones are refused with 414.
    package var targetBytes = 8_192 {
        didSet { targetBytes = min(max(targetBytes, 1), 1_000_000) }
    }
    /// Maximum length of the field lines with their line ends in bytes, 2 to 1,048,576; more are refused with 431.
    package var fieldBytes = 16_384 {
        didSet { fieldBytes = min(max(fieldBytes, 2), 1 << 20) }
    }
    /// Maximum number of fields, 1 to 1,000; more are refused with 431.
    package var fields = 100 {
        didSet { fields = min(max(fields, 1), 1_000) }
    }

    /// Creates the default limits.
    package init() {}

    /// Empty lines before a request line that are skipped.
    static let emptyLines = 8
    /// Length of a request line without its target: a method of 7 bytes, two spaces and the version.
    static let requestLineBytes = 7 + 2 + 8
    /// Bytes of a chunk line: 16 digits, and an extension.
    static let chunkLineBytes = 256
    /// Bytes of the trailer section of a chunked body.
    static let trailerBytes = 8_192
    /// Bytes of all chunk lines of a body in addition to one byte for each byte of its data.
    static let chunkOverheadBytes = 65_536
}
