/// Convolution with a matrix of weights; edge pixels are repeated.
package struct Convolution: Hashable, Sendable {
    /// Columns of the matrix, odd.
    let columns: Int
    /// Rows of the matrix, odd.
    let rows: Int
    /// Weights in row-major order.
    let weights: [Float]

    /// Creates a kernel. Nil when the number of rows or columns is even, because the matrix then has no centre, or when
    /// the last row is incomplete.
    ///
    /// - Parameters:
    ///   - weights: Weights in row-major order.
    ///   - columns: Weights per row, at least 1.
    ///   - normalizes: Divides the weights by their sum, unless that is 0.
    package init?(weights: [Double], columns: Int, normalizes: Bool) {
        guard columns > 0, columns % 2 == 1, weights.count % columns == 0, (weights.count / columns) % 2 == 1 else {
            return nil
        }
        self.columns = columns
        rows = weights.count / columns
        let sum = weights.reduce(0, +)
        self.weights = weights.map { Float(normalizes && sum != 0 ? $0 / sum : $0) }
    }

    /// Upper bound of the scratch bytes for rows of `width` pixels, without the source and the result.
    package func scratchByteCount(width: Int) -> Int { (rows + 2) * (width + columns) * 16 }
}

extension Bitmap {
    /// Returns a copy in which each sample is the weighted sum of its neighbours. Alpha is not premultiplied; it is
    /// summed like the colours, but an opaque image stays opaque.
    package func convolved(by kernel: Convolution, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap
    {
        let (right, below) = (kernel.columns / 2, kernel.rows / 2)
        let staysOpaque = try isOpaque(cancellation: cancellation)
        var window = RowWindow(count: kernel.rows)
        var sums = [Float](repeating: 0, count: bytesPerRow)
        return try .written(width: width, height: height) { (pixels) throws(DecodeError) in
            for y in 0..<height {
                try cancellation?.poll()
                try window.advance(through: min(y + below, height - 1)) { (source, row) throws(DecodeError) in
                    storeSamples(row: source, margin: right, in: &row)
                }
                RowSums.clear(&sums, count: bytesPerRow)
                for row in 0..<kernel.rows {
                    let source = window[min(max(0, y + row - below), height - 1)]
                    for column in 0..<kernel.columns {
                        RowSums.add(
                            source, from: column * 4, times: kernel.weights[row * kernel.columns + column], to: &sums)
                    }
                }
                let start = y * bytesPerRow
                for at in sums.indices {
                    pixels[start + at] = staysOpaque && at % 4 == 3 ? 255 : UInt8(rounding: sums[at])
                }
            }
        }
    }

    /// Stores a row as floating-point samples, with `margin` repeated edge pixels on either side.
    private func storeSamples(row y: Int, margin: Int, in samples: inout [Float]) {
        let count = (width + 2 * margin) * 4
        if samples.count != count { samples = [Float](repeating: 0, count: count) }
        let (first, last) = (margin * 4, (margin + width - 1) * 4)
        withRow(y) { row in
            for at in row.indices { samples[first + at] = Float(row[at]) }
        }
        for at in 0..<first {
            samples[at] = samples[first + at % 4]
            samples[last + 4 + at] = samples[last + at % 4]
        }
    }
}
