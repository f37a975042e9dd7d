import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Difference metrics of two bitmaps of equal size. Colours of pixels with alpha 0 count as 0.
struct ImageDifference {
    /// Largest sample difference per channel, 0...255, in the order red, green, blue, alpha.
    private(set) var largest = [0, 0, 0, 0]
    /// Mean absolute sample difference. If all pixels of both images are opaque, alpha samples do not count.
    let mean: Double
    /// Peak signal-to-noise ratio of the samples that `mean` counts, in dB; infinite for equal images.
    let psnr: Double
    /// Structural similarity (SSIM), 1 for equal images: luma over black, 11 x 11 windows, Gaussian weights with a
    /// sigma of 1.5 pixels (Wang, Bovik, Sheikh and Simoncelli 2004); `nil` when a side is shorter than a window.
    let ssim: Double?

    /// Compares two bitmaps; traps unless both have the same width and height.
    init(_ first: Bitmap, _ second: Bitmap) {
        precondition(
            first.width == second.width && first.height == second.height, "both images must have the same size")
        let (first, second) = (first.clearingTransparentPixels(), second.clearingTransparentPixels())
        var sums = [0, 0, 0, 0]
        var squares = [0, 0, 0, 0]
        var largest = [0, 0, 0, 0]
        var isOpaque = true
        for y in 0..<first.height {
            first.withRow(y) { one in
                second.withRow(y) { other in
                    for at in 0..<one.count {
                        let difference = abs(Int(one[at]) - Int(other[at]))
                        let channel = at & 3
                        if channel == 3, one[at] != 255 || other[at] != 255 { isOpaque = false }
                        guard difference > 0 else { continue }
                        sums[channel] += difference
                        squares[channel] += difference * difference
                        if difference > largest[channel] { largest[channel] = difference }
                    }
                }
            }
        }
        let channels = isOpaque ? 3 : 4
        let samples = Double(first.width * first.height * channels)
        self.largest = largest
        mean = Double(sums.reduce(0, +)) / samples
        let error = Double(squares.reduce(0, +)) / samples
        psnr = error == 0 ? .infinity : 10 * log10(255 * 255 / error)
        ssim = StructuralSimilarity(width: first.width)?.mean(first, second)
    }
}

/// SSIM computed row by row; stores only the rows of one window.
private struct StructuralSimilarity {
    private static let size = 11
    private static let weights: [Double] = {
        let raw = (0..<size).map { exp(-Double(($0 - size / 2) * ($0 - size / 2)) / (2 * 1.5 * 1.5)) }
        return raw.map { $0 / raw.reduce(0, +) }
    }()

    private let columns: Int  // windows per row

    init?(width: Int) {
        guard width >= Self.size else { return nil }
        columns = width - Self.size + 1
    }

    func mean(_ first: Bitmap, _ second: Bitmap) -> Double? {
        guard first.height >= Self.size else { return nil }
        var ring: [[SIMD8<Double>]] = []
        var sum = 0.0
        for y in 0..<first.height {
            if ring.count == Self.size { ring.removeFirst() }
            ring.append(across(Self.luma(first, y), Self.luma(second, y)))
            guard ring.count == Self.size else { continue }
            for x in 0..<columns {
                var moments = SIMD8<Double>.zero
                for (row, weight) in zip(ring, Self.weights) { moments += row[x] * weight }
                sum += Self.similarity(moments)
            }
        }
        return sum / Double(columns * (first.height - Self.size + 1))
    }

    /// Weighted sums of a, b, a * a, b * b and a * b for each window of a row. a and b are the lumas of the two images.
    private func across(_ first: [Double], _ second: [Double]) -> [SIMD8<Double>] {
        let moments = zip(first, second).map { SIMD8($0, $1, $0 * $0, $1 * $1, $0 * $1, 0, 0, 0) }
        return (0..<columns).map { x in
            var sum = SIMD8<Double>.zero
            for tap in 0..<Self.size { sum += moments[x + tap] * Self.weights[tap] }
            return sum
        }
    }

    private static func similarity(_ m: SIMD8<Double>) -> Double {
        let (c1, c2) = (0.01 * 255 * 0.01 * 255, 0.03 * 255 * 0.03 * 255)
        let (a, b) = (m[0], m[1])
        let (varianceA, varianceB, covariance) = (m[2] - a * a, m[3] - b * b, m[4] - a * b)
        return (2 * a * b + c1) * (2 * covariance + c2) / ((a * a + b * b + c1) * (varianceA + varianceB + c2))
    }

    /// Luma of a row, ITU-R BT.601, composited over black.
    private static func luma(_ bitmap: Bitmap, _ y: Int) -> [Double] {
        bitmap.withRow(y) { row in
            (0..<bitmap.width).map { x in
                let at = x * 4
                let color = 0.299 * Double(row[at]) + 0.587 * Double(row[at + 1]) + 0.114 * Double(row[at + 2])
                return color * Double(row[at + 3]) / 255
            }
        }
    }
}
