extension Bitmap {
    /// Returns a copy of the same size in which `change` has replaced each pixel.
    ///
    /// - Throws: `outOfMemory`, `cancelled`, `limitExceeded` for a deadline.
    func mappingPixels(
        cancellation: CancellationFlag?, _ change: (RGBA8) -> RGBA8
    ) throws(DecodeError) -> Bitmap {
        try writingRows(cancellation: cancellation) { _, row, pixels, start in
            var at = 0
            while at < row.count {
                change(RGBA8(in: row, at: at)).store(in: &pixels, at: start + at)
                at += 4
            }
        }
    }

    /// Returns a bitmap of the same size that `write` fills row by row.
    ///
    /// - Parameters:
    ///   - cancellation: Polled every 16 rows.
    ///   - write: Receives a row number, the bytes of that row of this bitmap, all bytes of the new bitmap, and the
    ///     byte offset of the row in the new bitmap.
    /// - Throws: `outOfMemory`, `cancelled`, `limitExceeded` for a deadline.
    func writingRows(
        cancellation: CancellationFlag?,
        _ write: (_ y: Int, _ row: Span<UInt8>, _ pixels: inout MutableSpan<UInt8>, _ start: Int) -> Void
    ) throws(DecodeError) -> Bitmap {
        try .written(width: width, height: height) { (pixels) throws(DecodeError) in
            for y in 0..<height {
                if y % 16 == 0 { try cancellation?.poll() }
                withRow(y) { write(y, $0, &pixels, y * bytesPerRow) }
            }
        }
    }

    /// Calls `body` for each row from the top.
    ///
    /// - Throws: `cancelled`, `limitExceeded` for a deadline.
    package func forEachRow(
        cancellation: CancellationFlag?, _ body: (_ y: Int, _ row: Span<UInt8>) -> Void
    ) throws(DecodeError) {
        for y in 0..<height {
            if y % 16 == 0 { try cancellation?.poll() }
            withRow(y) { body(y, $0) }
        }
    }

    /// Returns true when the alpha of all pixels is 255.
    package func isOpaque(cancellation: CancellationFlag?) throws(DecodeError) -> Bool {
        for y in 0..<height {
            if y % 16 == 0 { try cancellation?.poll() }
            if !withRow(y, { RowKernels.isOpaque($0, at: 0, count: width) }) { return false }
        }
        return true
    }
}
