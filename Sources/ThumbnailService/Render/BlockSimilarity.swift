import PlatformImage

/// Structural similarity (SSIM; Wang, Bovik, Sheikh and Simoncelli 2004) of two bitmaps: luma, windows of 8 x 8 pixels
/// with equal weights at every fourth pixel.
///
/// Luma is `(77 R + 150 G + 29 B) / 256`, rounded down, over black; when a pixel is transparent, the similarity is the
/// lower one of those over black and over white, so that an error of alpha counts for dark and for bright colours.
enum BlockSimilarity {
    /// Side of a window in pixels.
    static let side = 8
    /// Distance between windows in pixels.
    static let step = 4

    /// Returns the mean over all windows, 1 for equal images; nil when the sizes differ.
    static func mean(_ first: Bitmap, _ second: Bitmap) -> Double? {
        guard first.width == second.width, first.height == second.height else { return nil }
        let (one, other) = (Luma(first, over: 0), Luma(second, over: 0))
        let overBlack = mean(one, other)
        guard !one.isOpaque || !other.isOpaque else { return overBlack }
        return min(overBlack, mean(Luma(first, over: 255), Luma(second, over: 255)))
    }

    private static func mean(_ first: Luma, _ second: Luma) -> Double {
        let (width, height) = (min(side, first.width), min(side, first.height))
        var (sum, count) = (0.0, 0)
        for y in starts(first.height, height) {
            for x in starts(first.width, width) {
                sum += similarity(first, second, x, y, width, height)
                count += 1
            }
        }
        return sum / Double(count)
    }

    /// Returns the positions of windows along a side; the last window ends at the edge.
    private static func starts(_ length: Int, _ window: Int) -> [Int] {
        let starts = Array(stride(from: 0, through: length - window, by: step))
        return starts.last == length - window ? starts : starts + [length - window]
    }

    private static func similarity(
        _ first: Luma, _ second: Luma, _ x: Int, _ y: Int, _ width: Int, _ height: Int
    ) -> Double {
        var (sumA, sumB, squaresA, squaresB, products) = (0, 0, 0, 0, 0)
        for row in y..<y + height {
            for index in row * first.width + x..<row * first.width + x + width {
                let (a, b) = (Int(first.samples[index]), Int(second.samples[index]))
                sumA += a
                sumB += b
                squaresA += a * a
                squaresB += b * b
                products += a * b
            }
        }
        let count = Double(width * height)
        let (meanA, meanB) = (Double(sumA) / count, Double(sumB) / count)
        let varianceA = Double(squaresA) / count - meanA * meanA
        let varianceB = Double(squaresB) / count - meanB * meanB
        let covariance = Double(products) / count - meanA * meanB
        // The constants of the paper: (0.01 * 255)^2 and (0.03 * 255)^2.
        let (c1, c2) = (6.5025, 58.5225)
        return (2 * meanA * meanB + c1) * (2 * covariance + c2)
            / ((meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2))
    }

    /// Luma samples of a bitmap over a gray backdrop.
    private struct Luma {
        let width, height: Int
        private(set) var samples: [UInt8] = []
        private(set) var isOpaque = true

        init(_ bitmap: Bitmap, over backdrop: Int) {
            (width, height) = (bitmap.width, bitmap.height)
            samples.reserveCapacity(width * height)
            for y in 0..<height {
                bitmap.withRow(y) { row in
                    for x in 0..<width {
                        let (red, green, blue) = (Int(row[4 * x]), Int(row[4 * x + 1]), Int(row[4 * x + 2]))
                        let alpha = Int(row[4 * x + 3])
                        let luma = (77 * red + 150 * green + 29 * blue) >> 8
                        if alpha < 255 { isOpaque = false }
                        samples.append(UInt8((luma * alpha + backdrop * (255 - alpha) + 127) / 255))
                    }
                }
            }
        }
    }
}
