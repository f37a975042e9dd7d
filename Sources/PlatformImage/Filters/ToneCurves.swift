/// Lookup tables of 256 values, one for each colour; alpha is unchanged.
package struct ToneCurves: Equatable, Sendable {
    private(set) var red: [UInt8]
    private(set) var green: [UInt8]
    private(set) var blue: [UInt8]

    /// The range of the percentages of the public filters.
    static let percentRange = -1_000...1_000
    /// Upper bound of the memory of the tables in bytes.
    static let byteCount = 4_096

    /// Adds a fraction of 255 to every sample.
    ///
    /// - Parameter percent: The addend in percent of 255, rounded towards 0 as in thumbor.
    package static func brightness(percent: Int) -> Self { rgb(red: percent, green: percent, blue: percent) }

    /// Adds fractions of 255 to the three colours, in percent, each rounded towards 0.
    package static func rgb(red: Int, green: Int, blue: Int) -> Self {
        Self(red: added(red), green: added(green), blue: added(blue))
    }

    /// Scales the difference of the samples from 128 by thumbor's factor `(100 + percent)² / 10,000`, truncated to
    /// hundredths.
    package static func contrast(percent: Int) -> Self {
        let factor = (100 + inRange(percent)) * (100 + inRange(percent)) / 100
        let curve = table { factor * ($0 - 128) / 100 + 128 }
        return Self(red: curve, green: curve, blue: curve)
    }

    /// Composites the colour over every sample: source-over onto opaque pixels.
    static func tint(_ color: RGBA8) -> Self {
        let alpha = Int(color.alpha)
        func curve(_ sample: UInt8) -> [UInt8] { table { (Int(sample) * alpha + $0 * (255 - alpha) + 127) / 255 } }
        return Self(red: curve(color.red), green: curve(color.green), blue: curve(color.blue))
    }

    /// Histogram equalization of each colour.
    ///
    /// A sample becomes `255 (c - c₀) / (n - c₀)`, rounded, where `c` is the cumulative count up to it, `c₀` the count
    /// of the darkest value and `n` the number of pixels. A colour with only one value in the image is unchanged.
    package static func equalizing(_ bitmap: Bitmap, cancellation: CancellationFlag?) throws(DecodeError) -> Self {
        var counts = [Int](repeating: 0, count: 3 * 256)
        try bitmap.forEachRow(cancellation: cancellation) { _, row in
            for at in stride(from: 0, to: row.count, by: 4) {
                for color in 0..<3 { counts[color * 256 + Int(row[at + color])] += 1 }
            }
        }
        return Self(red: spread(counts[0..<256]), green: spread(counts[256..<512]), blue: spread(counts[512..<768]))
    }

    private static func spread(_ counts: ArraySlice<Int>) -> [UInt8] {
        let total = counts.reduce(0, +)
        let darkest = counts.first { $0 > 0 } ?? 0
        var soFar = 0
        let sums = counts.map { count in
            soFar += count
            return soFar
        }
        guard total > darkest else { return table { $0 } }
        return table { max(0, (255 * 2 * (sums[$0] - darkest) + total - darkest) / (2 * (total - darkest))) }
    }

    private static func added(_ percent: Int) -> [UInt8] {
        let difference = 255 * inRange(percent) / 100
        return table { $0 + difference }
    }

    /// Clamps to ±100,000 %: values outside this range change no curve any further, and could overflow the products.
    private static func inRange(_ percent: Int) -> Int { min(max(percent, -100_000), 100_000) }

    private static func table(_ value: (Int) -> Int) -> [UInt8] {
        (0..<256).map { UInt8(clamping: value($0)) }
    }
}

extension Bitmap {
    /// Replaces each sample by the value of its colour's curve.
    package func mapped(by curves: ToneCurves, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        let (red, green, blue) = (curves.red, curves.green, curves.blue)
        return try mappingPixels(cancellation: cancellation) { pixel in
            RGBA8(
                red: red[Int(pixel.red)], green: green[Int(pixel.green)], blue: blue[Int(pixel.blue)],
                alpha: pixel.alpha)
        }
    }
}
