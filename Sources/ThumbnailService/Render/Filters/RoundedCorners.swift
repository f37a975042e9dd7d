#if Service
import PlatformImage

/// Elliptical rounded corners with antialiased edges.
struct RoundedCorners: Hashable {
    /// Horizontal radius in pixels; clamped to half the image's width.
    let across: Int
    /// Vertical radius in pixels; clamped to half the image's height.
    let down: Int
    /// Fill colour of the corners; nil makes them transparent.
    let color: RGBA8?

    /// Samples per pixel in each direction for the coverage.
    static let samples = 16

    /// Coverage of the pixels in the top left corner, in row-major order, in units of 1 / 256.
    ///
    /// A sample at (x, y) from the corner of the image is inside when `((a - x) / a)² + ((b - y) / b)² <= 1`, where `a`
    /// and `b` are the radii; all are in units of half a sample.
    static func coverage(across: Int, down: Int) -> [UInt16] {
        var result = [UInt16](repeating: 0, count: across * down)
        let unit = 2 * samples
        let (a, b) = (across * unit, down * unit)
        for y in 0..<down {
            for sampleY in 0..<samples {
                let fromMiddle = b - (y * unit + 2 * sampleY + 1)
                // Samples of this line are inside up to the horizontal distance `reach` from the ellipse's centre.
                let height = Double(fromMiddle) / Double(b)
                let reach = Double(a) * (1 - height * height).squareRoot()
                for x in 0..<across {
                    // Sample `s` of this pixel is at the distance `right - 2 s` from the centre.
                    let right = Double(a - x * unit - 1)
                    let outside = ((right - reach) / 2).rounded(.up)
                    let inside = Double(samples) - min(max(0, outside), Double(samples))
                    result[y * across + x] += UInt16(inside)
                }
            }
        }
        return result
    }
}

extension Bitmap {
    /// Returns a copy with rounded corners.
    func rounded(_ corners: RoundedCorners, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        let across = min(corners.across, width / 2)
        let down = min(corners.down, height / 2)
        guard across > 0, down > 0 else { return self }
        try cancellation?.poll()
        let coverage = RoundedCorners.coverage(across: across, down: down)
        try cancellation?.poll()
        let (width, height) = (width, height)
        return try writingRows(cancellation: cancellation) { y, row, pixels, start in
            let line = min(y, height - 1 - y)
            for x in 0..<width {
                let at = x * 4
                let pixel = RGBA8(red: row[at], green: row[at + 1], blue: row[at + 2], alpha: row[at + 3])
                let column = min(x, width - 1 - x)
                let share = line < down && column < across ? Int(coverage[line * across + column]) : 256
                pixel.covered(share, over: corners.color).store(in: &pixels, at: start + at)
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
#endif
