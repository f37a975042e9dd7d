#if Service
import Foundation
import PlatformImage

/// A Gaussian blur, cut off `radius` pixels from the middle; pixels weigh by their alpha, and edges are repeated.
struct Blur: Hashable {
    /// The largest radius; larger ones act as this.
    static let maxRadius = 150

    /// Pixels on either side that weigh in.
    let radius: Int
    /// The weights of a pixel and of those at distance 1, 2, … `radius`; with both sides the sum is 1.
    let weights: [Float]
    /// What stands in for the weights above ``maxExactRadius``; nil up to that.
    let sums: BoxSums?

    /// The largest radius at which every weight is used.
    static let maxExactRadius = PixelFilter.maxExactRadius

    /// - Parameters:
    ///   - radius: At least 0; 0 changes nothing.
    ///   - sigma: The standard deviation in pixels; 0 and less for the radius.
    init(radius: Int, sigma: Double = 0) {
        let deviation = sigma > 0 ? sigma : Double(max(1, radius))
        var radius = min(max(0, radius), Self.maxRadius)
        // What lies beyond four deviations weighs 0.006 % together.
        if radius > Self.maxExactRadius { radius = min(radius, Int((4 * deviation).rounded(.up))) }
        self.radius = radius
        let bell = (0...radius).map { exp(-Double($0 * $0) / (2 * deviation * deviation)) }
        let sum = bell[0] + 2 * bell.dropFirst().reduce(0, +)
        weights = bell.map { Float($0 / sum) }
        sums = radius > Self.maxExactRadius ? BoxSums(bell.map { $0 / sum }) : nil
    }

    /// The most bytes that blurring rows of that many pixels with a radius needs besides the two pictures, at any sigma.
    func scratchByteCount(width: Int) -> Int { (2 * radius + 4 + BoxSums.maxCount) * (width + 2 * radius) * 16 }
}

extension Bitmap {
    /// A blurred copy of the same size.
    func blurred(_ blur: Blur, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        guard blur.radius > 0 else { return self }
        if let sums = blur.sums { return try blurred(by: sums, cancellation: cancellation) }
        return try blurredExactly(blur, cancellation: cancellation)
    }

    /// With every weight of the kernel: the work for a pixel grows with the radius.
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

    /// Colours times their share of alpha, and alpha; `margin` copies of the outer pixels on either side.
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
            // Less than half a step of 255 cannot be seen, and dividing by it would give noise.
            let share = alpha < 0.5 ? 0 : 255 / alpha
            for color in 0..<3 { pixels[start + at + color] = UInt8(rounding: sums[at + color] * share) }
            pixels[start + at + 3] = UInt8(rounding: alpha)
        }
    }
}
#endif
