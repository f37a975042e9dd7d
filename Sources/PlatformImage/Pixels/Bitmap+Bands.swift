extension Bitmap {
    /// A change of pixels that ``forEachBand(_:_:)`` makes in a copy of a few rows.
    package enum BandChange {
        /// As ``Bitmap/premultiplied()``.
        case premultiplied
        /// As ``Bitmap/clearedUnderAlpha()``.
        case clearedUnderAlpha
    }

    /// Calls `body` with changed copies of the rows, from the top, several rows at a time: at most 256 KiB or one row.
    ///
    /// The working memory is that of one band, where a changed copy of the bitmap needs ``byteCount``.
    package func forEachBand<E: Error>(_ change: BandChange, _ body: (Span<UInt8>) throws(E) -> Void) throws(E) {
        let rows = max(1, (256 << 10) / bytesPerRow)
        var band = [UInt8](repeating: 0, count: min(rows, height) * bytesPerRow)
        for top in stride(from: 0, to: height, by: rows) {
            let count = min(rows, height - top) * bytesPerRow
            withBytes { bytes in
                var pixels = band.mutableSpan
                RowKernels.copy(bytes.extracting(top * bytesPerRow..<top * bytesPerRow + count), to: &pixels)
                switch change {
                case .premultiplied: RowKernels.premultiply(&pixels)
                case .clearedUnderAlpha: RowKernels.clearUnderAlpha(&pixels)
                }
            }
            try body(band.span.extracting(0..<count))
        }
    }
}
