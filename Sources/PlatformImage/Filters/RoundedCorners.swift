/// Elliptical rounded corners with antialiased edges.
package struct RoundedCorners: Hashable, Sendable {
    /// Horizontal radius in half samples (``unit`` per pixel); clamped to half the image's width.
    let across: Int
    /// Vertical radius in half samples; clamped to half the image's height.
    let down: Int
    /// Fill colour of the corners; nil makes them transparent.
    let color: RGBA8?
    /// True for radii in whole pixels, which are clamped to half the image's size in whole pixels.
    private let hasWholePixels: Bool

    /// Samples per pixel in each direction for the coverage.
    package static let samples = 16
    /// Half samples per pixel: the unit of positions and radii.
    static let unit = 2 * samples

    /// Corners with radii in whole pixels, 0 or more.
    package init(across: Int, down: Int, color: RGBA8?) {
        // Radii above the largest side of an image have no further effect.
        self.across = min(across, Int(Int32.max)) * Self.unit
        self.down = min(down, Int(Int32.max)) * Self.unit
        self.color = color
        hasWholePixels = true
    }

    /// Transparent circular corners with a radius in pixels, 0 to `Int32.max`, rounded to 1/32 pixel.
    init(radius: Double) {
        across = Int((radius * Double(Self.unit)).rounded())
        down = across
        color = nil
        hasWholePixels = false
    }

    /// The radii for an image of this size, in half samples.
    fileprivate func radii(width: Int, height: Int) -> (across: Int, down: Int) {
        guard hasWholePixels else {
            let radius = min(across, min(width, height) * Self.samples)
            return (radius, radius)
        }
        return (min(across, width / 2 * Self.unit), min(down, height / 2 * Self.unit))
    }

    /// Coverage of the pixels in the top left corner for radii in whole pixels.
    package static func coverage(across: Int, down: Int) -> [UInt16] {
        coverage(
            across: across * unit, down: down * unit, width: 2 * across * unit, height: 2 * down * unit)
    }

    /// Coverage of the pixels in the top left corner, in row-major order, in units of 1 / 256: `across` and `down`
    /// rounded up to whole pixels.
    ///
    /// A sample at (x, y) from the corner of the image is inside when `((a - x) / a)² + ((b - y) / b)² <= 1`, where `a`
    /// and `b` are the radii. The last column or row can extend beyond the centre of the ellipse, and beyond the centre
    /// on the opposite side; there the distance from the nearer centre counts. All lengths are in half samples.
    fileprivate static func coverage(across a: Int, down b: Int, width: Int, height: Int) -> [UInt16] {
        let (columns, rows) = (pixels(a), pixels(b))
        var result = [UInt16](repeating: 0, count: columns * rows)
        for y in 0..<rows {
            for sampleY in 0..<samples {
                let position = y * unit + 2 * sampleY + 1
                let fromMiddle = max(0, b - position, position - (height - b))
                // Samples of this line are inside up to the horizontal distance `reach` from the ellipse's centre.
                let share = Double(fromMiddle) / Double(b)
                let reach = Double(a) * (1 - share * share).squareRoot()
                for x in 0..<columns {
                    // Sample `s` of this pixel is at the distance `left - 2 s` from the left centre, and at the
                    // distance `2 s - right` from the right centre.
                    let (left, right) = (Double(a - x * unit - 1), Double(width - a - x * unit - 1))
                    let first = min(max(0, ((left - reach) / 2).rounded(.up)), Double(samples))
                    let end = min(max(0, ((right + reach) / 2).rounded(.down) + 1), Double(samples))
                    result[y * columns + x] += UInt16(max(0, end - first))
                }
            }
        }
        return result
    }

    /// Half samples as pixels, rounded up.
    fileprivate static func pixels(_ halfSamples: Int) -> Int { (halfSamples + unit - 1) / unit }

    /// Upper bound of the bytes of the coverage for an image of this size.
    static func scratchByteCount(width: Int, height: Int) -> Int { ((width + 1) / 2) * ((height + 1) / 2) * 2 }
}

extension Bitmap {
    /// Returns a copy with rounded corners.
    package func rounded(_ corners: RoundedCorners, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap
    {
        let (width, height) = (width, height)
        let (across, down) = corners.radii(width: width, height: height)
        guard across > 0, down > 0 else { return self }
        try cancellation?.poll()
        let coverage = RoundedCorners.coverage(
            across: across, down: down, width: width * RoundedCorners.unit, height: height * RoundedCorners.unit)
        try cancellation?.poll()
        let (columns, rows) = (RoundedCorners.pixels(across), RoundedCorners.pixels(down))
        return try writingRows(cancellation: cancellation) { y, row, pixels, start in
            let line = min(y, height - 1 - y)
            for x in 0..<width {
                let at = x * 4
                let column = min(x, width - 1 - x)
                let share = line < rows && column < columns ? Int(coverage[line * columns + column]) : 256
                RGBA8(in: row, at: at).covered(share, over: corners.color).store(in: &pixels, at: start + at)
            }
        }
    }
}

extension RGBA8 {
    /// Returns the pixel with coverage `share` / 256, composited over `color` or over transparency.
    fileprivate func covered(_ share: Int, over color: RGBA8?) -> RGBA8 {
        if share == 256 { return self }
        guard let color else {
            var pixel = self
            pixel.alpha = UInt8((Int(alpha) * share + 128) / 256)
            return pixel
        }
        // Colours are weighted by alpha times coverage; the sum of the weights is the new alpha times 256.
        let (pixelWeight, colorWeight) = (Int(alpha) * share, Int(color.alpha) * (256 - share))
        let sum = pixelWeight + colorWeight
        guard sum > 0 else { return RGBA8(red: 0, green: 0, blue: 0, alpha: 0) }
        func mix(_ a: UInt8, _ b: UInt8) -> UInt8 {
            UInt8((Int(a) * pixelWeight + Int(b) * colorWeight + sum / 2) / sum)
        }
        return RGBA8(
            red: mix(red, color.red), green: mix(green, color.green), blue: mix(blue, color.blue),
            alpha: UInt8((sum + 128) / 256))
    }
}
