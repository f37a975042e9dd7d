extension Collection<UInt8> {
    /// True if ``withSpan(_:)`` does not copy the bytes.
    var isContiguous: Bool { withContiguousStorageIfAvailable { _ in true } ?? false }

    /// Calls `body` with the bytes, in place if they are contiguous.
    func withSpan<Result, E: Error>(_ body: (Span<UInt8>) throws(E) -> Result) throws(E) -> Result {
        let result = withContiguousStorageIfAvailable { buffer in
            Swift.Result { () throws(E) in try unsafe body(buffer.span) }
        }
        if let result { return try result.get() }
        return try body([UInt8](self).span)
    }
}
