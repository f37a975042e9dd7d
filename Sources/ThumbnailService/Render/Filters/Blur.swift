#if Service
import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Gaussian blur, truncated at `radius` pixels. Pixels are weighted by their alpha, and edge pixels are repeated.
struct Blur: Hashable {
    /// The largest radius; larger values are clamped to it.
    static let maxRadius = 150

    /// Kernel radius: pixels on either side of the centre.
    let radius: Int
    /// Kernel weights at distance 0, 1, … `radius`. The weights of the centre and of both sides add up to 1.
    let weights: [Float]
    /// Box approximation of the kernel for a radius above ``maxExactRadius``; nil for other radii.
    let sums: BoxSums?

    /// The largest radius that is convolved with the exact kernel.
    static let maxExactRadius = PixelFilter.maxExactRadius

    /// Computes the kernel.
    ///
    /// - Parameters:
    ///   - radius: 0 or more; 0 changes nothing.
    ///   - sigma: Standard deviation in pixels; 0 or less uses the radius.
    init(radius: Int, sigma: Double = 0) {
        let deviation = sigma > 0 ? sigma : Double(max(1, radius))
        var radius = min(max(0, radius), Self.maxRadius)
        // The weights beyond four standard deviations are left out: they add up to only 0.006 %.
        if radius > Self.maxExactRadius { radius = min(radius, Int((4 * deviation).rounded(.up))) }
        self.radius = radius
        let gaussian = (0...radius).map { exp(-Double($0 * $0) / (2 * deviation * deviation)) }
        let sum = gaussian[0] + 2 * gaussian.dropFirst().reduce(0, +)
        weights = gaussian.map { Float($0 / sum) }
        sums = radius > Self.maxExactRadius ? BoxSums(gaussian.map { $0 / sum }) : nil
    }

    /// Upper bound, for any sigma, of the scratch bytes for rows of `width` pixels, without the source and the result.
    func scratchByteCount(width: Int) -> Int { (2 * radius + 4 + BoxSums.maxCount) * (width + 2 * radius) * 16 }
}

extension Bitmap {
    /// Returns a blurred copy of the same size.
    func blurred(_ blur: Blur, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        guard blur.radius > 0 else { return self }
        if let sums = blur.sums { return try blurred(by: sums, cancellation: cancellation) }
        return try blurredExactly(blur, cancellation: cancellation)
    }

    /// Returns a copy that is convolved with the exact kernel; the cost per pixel is proportional to the radius.
    func blurredExactly(_ blur: Blur, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        let radius = blur.radius
        var window = RowWindow(count: 2 * radius + 1)
        var padded = [Float](repeating: 0, count: (width + 2 * radius) * 4)
        var sums = [Float](repeating: 0, count: bytesPerRow)
        return try .written(width: width, height: height) { (pixels) throws(DecodeError) in
            for y in 0..<height {
                try window.advance(through: min(y + radius, height - 1)) { (source, row) throws(DecodeError) in
                    if source % 16 == 0 { try cancellation?.poll() }
                    storePremultiplied(row: source, margin: radius, in: &padded)
                    row = [Float](repeating: 0, count: bytesPerRow)
                    for distance in -radius...radius {
                        RowSums.add(
                            padded, from: (radius + distance) * 4, times: blur.weights[abs(distance)], to: &row)
                    }
                }
                if y % 16 == 0 { try cancellation?.poll() }
                for index in sums.indices { sums[index] = 0 }
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
#endif
