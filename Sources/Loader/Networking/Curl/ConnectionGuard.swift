/// Limits for untrusted origins: admitted peer addresses, and maximum sizes of heads and framing.
package struct ConnectionGuard: Sendable {
    /// Maximum bytes of one response's heads, including interim ones. A complete response with framing and trailers may
    /// have at most `3 * maxHeadBytes` bytes plus 16 bytes per byte of content. libcurl passes complete lines, so that
    /// a line without an end is held up to its own limit of 102,400 bytes.
    package var maxHeadBytes = 32_768
    /// Returns true when a peer's IP address, in text form, is admitted. Called once per connection, before the
    /// connection is made, on the transport's thread: it must not block.
    package var admits: @Sendable (String) -> Bool

    /// Creates a guard with the default limit.
    package init(admits: @escaping @Sendable (String) -> Bool) { self.admits = admits }

    /// Limits of the heads of one response: 7 interim heads and the final one.
    var headLimits: ResponseHeadParser.Limits { ResponseHeadParser.Limits(bytes: maxHeadBytes, interimHeads: 7) }

    /// Limits of the chunked coding of one response.
    var chunkLimits: ChunkedDecoder.Limits {
        ChunkedDecoder.Limits(
            lineBytes: min(maxHeadBytes, 4_096), trailerBytes: maxHeadBytes, framingBytes: 2 * maxHeadBytes)
    }
}
