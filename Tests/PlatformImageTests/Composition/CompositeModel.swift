import PlatformImage

/// Composition of one pixel in double precision, by the formulas of Porter and Duff.
struct CompositeModel {
    /// The exact result, 0...255 each; the colours are nil where the alpha is 0.
    let alpha: Double
    let colors: [Double]?

    init(_ source: RGBA8, _ destination: RGBA8, _ operation: CompositeOperator, opacity: Double) {
        let (a, b) = (Double(source.alpha) / 255 * opacity, Double(destination.alpha) / 255)
        let (sourceShare, destinationShare): (Double, Double) =
            switch operation {
            case .clear: (0, 0)
            case .source: (1, 0)
            case .destination: (0, 1)
            case .sourceOver: (1, 1 - a)
            case .destinationOver: (1 - b, 1)
            case .sourceIn: (b, 0)
            case .destinationIn: (0, a)
            case .sourceOut: (1 - b, 0)
            case .destinationOut: (0, 1 - a)
            case .sourceAtop: (b, 1 - a)
            case .destinationAtop: (1 - b, a)
            case .xor: (1 - b, 1 - a)
            }
        let (sourceWeight, destinationWeight) = (a * sourceShare, b * destinationShare)
        let sum = sourceWeight + destinationWeight
        alpha = sum * 255
        guard sum > 0 else {
            colors = nil
            return
        }
        colors = [\RGBA8.red, \.green, \.blue].map { color in
            (Double(source[keyPath: color]) * sourceWeight + Double(destination[keyPath: color]) * destinationWeight)
                / sum
        }
    }

    /// True when the pixel is this result rounded to the nearest integer, within `tolerance`, or transparent black if
    /// its alpha is 0.
    func rounds(to pixel: RGBA8, tolerance: Double) -> Bool {
        guard abs(Double(pixel.alpha) - alpha) <= 0.5 + tolerance else { return false }
        if pixel.alpha == 0 { return pixel == RGBA8(red: 0, green: 0, blue: 0, alpha: 0) }
        guard let colors else { return false }
        return zip([pixel.red, pixel.green, pixel.blue], colors)
            .allSatisfy { abs(Double($0) - $1) <= 0.5 + tolerance }
    }
}
