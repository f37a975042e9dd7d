#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Wavelet sharpening: amplifies detail with a gain that depends on its scale, as thumbor does with the algorithm of
/// Marco Rossini's GIMP plugin.
///
/// The image is smoothed five times with the kernel 1 2 1 at distances of 1, 2, 4, 8 and 16 pixels. The difference that
/// step `l` removes is the detail of that scale; it is added back with the gain `1 + amount * exp(-(l - radius)² /
/// 1.5)`.
package struct Sharpening: Hashable, Sendable {
    /// Strength, about 0...10; 0 changes nothing.
    let amount: Double
    /// Scale with the largest gain, as the number of a step from 0; fractions are allowed.
    let radius: Double
    /// Sharpens luma only, to avoid colour fringes.
    let isLuminanceOnly: Bool

    static let steps = 5

    package init(amount: Double, radius: Double, isLuminanceOnly: Bool) {
        self.amount = amount
        self.radius = radius
        self.isLuminanceOnly = isLuminanceOnly
    }

    /// Gain of the detail of step `step`.
    func gain(_ step: Int) -> Float {
        let distance = Double(step) - radius
        return Float(1 + amount * exp(-distance * distance / 1.5))
    }

    /// Size of the scratch memory in bytes, without the source and the result.
    package static func scratchByteCount(width: Int, height: Int) -> Int { 3 * width * height * 4 }
}

extension Bitmap {
    /// Returns a sharpened copy; alpha is unchanged.
    package func sharpened(
        _ sharpening: Sharpening, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        if sharpening.isLuminanceOnly {
            var luma = try Plane(self, cancellation, Self.brightness)
            try luma.sharpen(sharpening, cancellation)
            // Chroma is unchanged, so all three colours change by the difference in luma.
            return try writingRows(cancellation: cancellation) { y, row, pixels, start in
                for x in 0..<width {
                    let at = x * 4
                    let old = Self.brightness(Float(row[at]), Float(row[at + 1]), Float(row[at + 2]))
                    let moved = luma.values[y * width + x] - old
                    for color in 0..<3 { pixels[start + at + color] = UInt8(rounding: Float(row[at + color]) + moved) }
                    pixels[start + at + 3] = row[at + 3]
                }
            }
        }
        return try .written(width: width, height: height) { (pixels) throws(DecodeError) in
            for color in 0..<3 {
                var plane = try Plane(self, cancellation) { color == 0 ? $0 : color == 1 ? $1 : $2 }
                try plane.sharpen(sharpening, cancellation)
                try forEachRow(cancellation: cancellation) { y, row in
                    for x in 0..<width {
                        let at = y * bytesPerRow + x * 4
                        pixels[at + color] = UInt8(rounding: plane.values[y * width + x])
                        pixels[at + 3] = row[x * 4 + 3]
                    }
                }
            }
        }
    }
}

extension Bitmap {
    /// Luma Y of ITU-R BT.601, as JFIF uses it.
    fileprivate static func brightness(_ red: Float, _ green: Float, _ blue: Float) -> Float {
        0.299 * red + 0.587 * green + 0.114 * blue
    }
}

/// A plane with one floating-point value per pixel.
private struct Plane {
    let width: Int
    let height: Int
    private(set) var values: [Float]

    init(
        _ bitmap: Bitmap, _ flag: CancellationFlag?, _ value: (_ red: Float, _ green: Float, _ blue: Float) -> Float
    ) throws(DecodeError) {
        (width, height) = (bitmap.width, bitmap.height)
        var values: [Float] = []
        values.reserveCapacity(width * height)
        try bitmap.forEachRow(cancellation: flag) { _, row in
            for at in stride(from: 0, to: row.count, by: 4) {
                values.append(value(Float(row[at]), Float(row[at + 1]), Float(row[at + 2])))
            }
        }
        self.values = values
    }

    /// Sharpens in place. With `S₀` the plane and `S₁`… its smoothed versions, the sum of the details
    /// `gain(l) (Sₗ - Sₗ₊₁)` and of the remainder `S₅` is
    /// `gain(0) S₀ + Σ (gain(l) - gain(l - 1)) Sₗ + (1 - gain(4)) S₅`.
    mutating func sharpen(_ sharpening: Sharpening, _ flag: CancellationFlag?) throws(DecodeError) {
        var smooth = try copied(flag)
        var across = try copied(flag)
        try add(smooth, times: sharpening.gain(0) - 1, flag)
        for step in 1...Sharpening.steps {
            let distance = 1 << (step - 1)
            for y in 0..<height {
                if y % 16 == 0 { try flag?.poll() }
                smoothAcross(row: y, of: smooth, distance: distance, into: &across)
            }
            for y in 0..<height {
                if y % 16 == 0 { try flag?.poll() }
                RowSums.smooth(
                    across, at: y * width, before: Self.mirrored(y - distance, height) * width,
                    after: Self.mirrored(y + distance, height) * width, count: width, into: &smooth)
            }
            let next = step < Sharpening.steps ? sharpening.gain(step) : 1
            try add(smooth, times: next - sharpening.gain(step - 1), flag)
        }
    }

    /// Copies in blocks of rows so that cancellation is polled: first access to new memory is slow.
    private func copied(_ flag: CancellationFlag?) throws(DecodeError) -> [Float] {
        var copy: [Float] = []
        copy.reserveCapacity(values.count)
        for y in 0..<height {
            if y % 16 == 0 { try flag?.poll() }
            copy.append(contentsOf: values[y * width..<(y + 1) * width])
        }
        return copy
    }

    private mutating func add(_ other: [Float], times weight: Float, _ flag: CancellationFlag?) throws(DecodeError) {
        for y in 0..<height {
            if y % 16 == 0 { try flag?.poll() }
            RowSums.add(other, from: y * width, times: weight, to: &values, at: y * width, count: width)
        }
    }

    private func smoothAcross(row y: Int, of source: [Float], distance: Int, into target: inout [Float]) {
        let start = y * width
        // Between the margins all neighbours are inside the row.
        let margin = min(distance, width)
        let inner = max(0, width - 2 * margin)
        if inner > 0 {
            let first = start + margin
            RowSums.smooth(
                source, at: first, before: first - distance, after: first + distance, count: inner, into: &target)
        }
        for x in 0..<width where x < margin || x >= margin + inner {
            RowSums.smooth(
                source, at: start + x, before: start + Self.mirrored(x - distance, width),
                after: start + Self.mirrored(x + distance, width), count: 1, into: &target)
        }
    }

    /// Maps an index outside 0..<count into it by reflection without repetition of the first and last element.
    private static func mirrored(_ index: Int, _ count: Int) -> Int {
        if index >= 0 && index < count { return index }
        guard count > 1 else { return 0 }
        let period = 2 * (count - 1)
        let offset = ((index % period) + period) % period
        return offset < count ? offset : period - offset
    }
}
