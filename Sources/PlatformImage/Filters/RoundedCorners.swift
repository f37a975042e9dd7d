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
    static let samples = 16
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
}

extension Bitmap {
    /// Returns a copy with rounded corners.
    package func rounded(_ corners: RoundedCorners, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap
    {
        let (width, height) = (width, height)
        let (across, down) = corners.radii(width: width, height: height)
        guard across > 0, down > 0 else { return self }
        var coverage = CornerCoverage(across: across, down: down, width: width, height: height)
        return try writingRows(cancellation: cancellation) { y, row, pixels, start in
            RowKernels.copy(row, to: &pixels, at: start)
            let line = min(y, height - 1 - y)
            guard line < coverage.rows else { return }
            coverage.update(row: line)
            for column in 0..<coverage.columns where coverage[column] < 256 {
                // The left and the right column of equal coverage, which are one column in the middle of an odd width.
                for x in stride(from: column, through: width - 1 - column, by: max(1, width - 1 - 2 * column)) {
                    let at = x * 4
                    RGBA8(in: row, at: at).covered(coverage[column], over: corners.color)
                        .store(in: &pixels, at: start + at)
                }
            }
        }
    }
}

/// Coverage of the pixels of one row of the top left corner, in units of 1 / 256.
///
/// A sample at (x, y) from the corner of the image is inside when `((a - x) / a)² + ((b - y) / b)² <= 1`, where `a` and
/// `b` are the radii. The last column or row can extend beyond the centre of the ellipse, and beyond the centre on the
/// opposite side; there the distance from the nearer centre counts. All lengths are in half samples.
private struct CornerCoverage {
    /// Size of the corner in pixels: the radii, rounded up.
    let columns, rows: Int
    private let across, down, width, height: Int
    /// Samples inside, per pixel of the row.
    private var counts: [Int]

    /// - Parameters:
    ///   - across: Horizontal radius in half samples, above 0.
    ///   - down: Vertical radius in half samples, above 0.
    ///   - width: Width of the image in pixels.
    ///   - height: Height of the image in pixels.
    init(across: Int, down: Int, width: Int, height: Int) {
        let unit = RoundedCorners.unit
        (columns, rows) = ((across + unit - 1) / unit, (down + unit - 1) / unit)
        (self.across, self.down, self.width, self.height) = (across, down, width * unit, height * unit)
        // The two more elements receive the changes after the last sample of the last pixel.
        counts = [Int](repeating: 0, count: columns + 2)
    }

    subscript(column: Int) -> Int { counts[column] }

    /// Computes the coverage of a row of the corner, counted from the edge of the image.
    mutating func update(row: Int) {
        let samples = RoundedCorners.samples
        for column in counts.indices { counts[column] = 0 }
        for sample in 0..<samples {
            let position = row * RoundedCorners.unit + 2 * sample + 1
            let fromMiddle = max(0, down - position, position - (height - down))
            // Samples of this line are inside up to the horizontal distance `reach` from the ellipse's centre. Sample
            // `s` is at the distance `across - 1 - 2 s` from the left centre, and `2 s + 1 - (width - across)` from the
            // right centre.
            let share = Double(fromMiddle) / Double(down)
            let reach = Double(across) * (1 - share * share).squareRoot()
            let left = ((Double(across - 1) - reach) / 2).rounded(.up)
            let right = ((Double(width - across - 1) + reach) / 2).rounded(.down) + 1
            let first = Int(min(max(0, left), Double(columns * samples)))
            let end = Int(min(max(0, right), Double(columns * samples)))
            guard first < end else { continue }
            // A line changes the count only at its two ends; the sums below are the counts of the pixels.
            counts[first / samples] += samples - first % samples
            counts[first / samples + 1] += first % samples
            counts[end / samples] -= samples - end % samples
            counts[end / samples + 1] -= end % samples
        }
        var count = 0
        for column in counts.indices {
            count += counts[column]
            counts[column] = count
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
