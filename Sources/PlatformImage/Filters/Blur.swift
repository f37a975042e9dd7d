#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Gaussian blur, truncated at `radius` pixels. Pixels are weighted by their alpha, and edge pixels are repeated.
package struct Blur: Hashable, Sendable {
    /// The largest radius of ``init(radius:sigma:)``; larger values are clamped to it.
    package static let maxRadius = 150
    /// The largest standard deviation of ``init(sigma:)``: the sums of box filters of its radius fit into 32 bits.
    static let maxSigma = 250.0
    /// Below this standard deviation a blur changes nothing: the weight at distance 1 is less than exp(-50), which is
    /// below the precision of `Float`.
    static let minSigma = 0.1
    /// The largest radius that is convolved with the exact kernel. The cost per pixel is constant above it.
    package static let maxExactRadius = 20

    /// Kernel radius: pixels on either side of the centre.
    package let radius: Int
    /// Kernel weights at distance 0, 1, … `radius`. The weights of the centre and of both sides add up to 1.
    let weights: [Float]
    /// Box approximation of the kernel for a radius above ``maxExactRadius``; nil for other radii.
    package let sums: BoxSums?

    /// Computes a kernel that may end before the Gaussian is negligible.
    ///
    /// - Parameters:
    ///   - radius: 0 or more; 0 changes nothing.
    ///   - sigma: Standard deviation in pixels; 0 or less uses the radius, and less than ``minSigma`` changes nothing.
    package init(radius: Int, sigma: Double = 0) {
        let deviation = sigma > 0 ? sigma : Double(max(1, radius))
        var radius = min(max(0, radius), Self.maxRadius)
        if radius > Self.maxExactRadius { radius = min(radius, Self.completeRadius(deviation)) }
        self.init(radius: radius, deviation: deviation)
    }

    /// Computes the complete kernel of a Gaussian.
    ///
    /// - Parameter sigma: Standard deviation in pixels, 0 to ``maxSigma``; less than ``minSigma`` changes nothing.
    init(sigma: Double) {
        self.init(radius: Self.completeRadius(sigma), deviation: sigma)
    }

    private init(radius: Int, deviation: Double) {
        let radius = deviation < Self.minSigma ? 0 : radius
        // The square of a smaller number could be 0, and the weights NaN.
        let deviation = max(deviation, Self.minSigma)
        self.radius = radius
        let gaussian = (0...radius).map { exp(-Double($0 * $0) / (2 * deviation * deviation)) }
        let sum = gaussian[0] + 2 * gaussian.dropFirst().reduce(0, +)
        weights = gaussian.map { Float($0 / sum) }
        sums = radius > Self.maxExactRadius ? BoxSums(gaussian.map { $0 / sum }) : nil
    }

    /// The radius of the complete kernel: the weights beyond four standard deviations add up to only 0.006 %.
    static func completeRadius(_ sigma: Double) -> Int { Int((4 * sigma).rounded(.up)) }

    /// Upper bound, for any sigma, of the scratch bytes for rows of `width` pixels, without the source and the result.
    package func scratchByteCount(width: Int) -> Int {
        Self.scratchByteCount(radius: radius, width: width, rowCount: 2 * radius + 2)
    }

    /// Upper bound of the scratch bytes of the complete kernel, without the source and the result.
    static func scratchByteCount(sigma: Double, width: Int, height: Int) -> Int {
        let radius = completeRadius(sigma)
        return scratchByteCount(radius: radius, width: width, rowCount: min(height, 2 * radius + 2))
    }

    /// Upper bound of the scratch bytes with this many rows of samples in the window.
    static func scratchByteCount(radius: Int, width: Int, rowCount: Int) -> Int {
        (rowCount + 2 + BoxSums.maxCount) * (width + 2 * radius) * 16
    }
}

extension Bitmap {
    /// Returns a blurred copy of the same size.
    package func blurred(_ blur: Blur, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        guard blur.radius > 0 else { return self }
        if let sums = blur.sums { return try blurred(by: sums, cancellation: cancellation) }
        return try blurredExactly(blur, cancellation: cancellation)
    }

    /// Returns a copy that is convolved with the exact kernel; the cost per pixel is proportional to the radius.
    package func blurredExactly(_ blur: Blur, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        let radius = blur.radius
        var window = RowWindow(count: 2 * radius + 1)
        var padded = [Float](repeating: 0, count: (width + 2 * radius) * 4)
        var sums = [Float](repeating: 0, count: bytesPerRow)
        return try .written(width: width, height: height) { (pixels) throws(DecodeError) in
            for y in 0..<height {
                try window.advance(through: min(y + radius, height - 1)) { (source, row) throws(DecodeError) in
                    if source % 16 == 0 { try cancellation?.poll() }
                    storePremultiplied(row: source, margin: radius, in: &padded)
                    RowSums.clear(&row, count: bytesPerRow)
                    for distance in -radius...radius {
                        RowSums.add(
                            padded, from: (radius + distance) * 4, times: blur.weights[abs(distance)], to: &row)
                    }
                }
                if y % 16 == 0 { try cancellation?.poll() }
                RowSums.clear(&sums, count: bytesPerRow)
                for distance in -radius...radius {
                    let source = min(max(0, y + distance), height - 1)
                    RowSums.add(window[source], from: 0, times: blur.weights[abs(distance)], to: &sums)
                }
                Self.storeStraight(sums, in: &pixels, at: y * bytesPerRow)
            }
        }
    }

    /// Stores a row with premultiplied alpha and with `margin` repeated edge pixels on either side.
    private func storePremultiplied(row y: Int, margin: Int, in padded: inout [Float]) {
        withRow(y) { row in
            for x in 0..<(width + 2 * margin) {
                let at = min(max(0, x - margin), width - 1) * 4
                let alpha = Float(row[at + 3])
                let share = alpha / 255
                for color in 0..<3 { padded[x * 4 + color] = Float(row[at + color]) * share }
                padded[x * 4 + 3] = alpha
            }
        }
    }

    private static func storeStraight(_ sums: [Float], in pixels: inout MutableSpan<UInt8>, at start: Int) {
        for at in stride(from: 0, to: sums.count, by: 4) {
            let alpha = sums[at + 3]
            // An alpha below 0.5 of 255 is invisible, and the division by it would amplify noise.
            let share = alpha < 0.5 ? 0 : 255 / alpha
            for color in 0..<3 { pixels[start + at + color] = UInt8(rounding: sums[at + color] * share) }
            pixels[start + at + 3] = UInt8(rounding: alpha)
        }
    }
}
