#if Service
import Foundation
import PlatformImage

/// Raises detail by its size, in the way of the wavelet sharpening that thumbor has from a GIMP plugin of Marco
/// Rossini.
///
/// A picture is smoothed five times, with 1 2 1 at distances of 1, 2, 4, 8 and 16 pixels. What step `l` takes away is
/// the detail of that size, and it comes back `1 + amount * exp(-(l - radius)² / 1.5)` times as strong.
struct Sharpening: Hashable {
    /// Around 0...10; 0 changes nothing.
    let amount: Double
    /// Which size of detail is raised most, as the number of a step, from 0; fractions are fine.
    let radius: Double
    /// Raises brightness alone, so that colours do not fringe.
    let isLuminanceOnly: Bool

    static let steps = 5

    /// How strong the detail of step `step` gets.
    func gain(_ step: Int) -> Float {
        let distance = Double(step) - radius
        return Float(1 + amount * exp(-distance * distance / 1.5))
    }

    /// The bytes that it needs besides the two pictures.
    static func scratchByteCount(width: Int, height: Int) -> Int { 3 * width * height * 4 }
}

extension Bitmap {
    /// A sharpened copy; alpha stays.
    func sharpened(
        _ sharpening: Sharpening, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        if sharpening.isLuminanceOnly {
            var luma = try Plane(self, cancellation, Self.brightness)
            try luma.sharpen(sharpening, cancellation)
            // Chroma stays, so all three colours move by as much as brightness does.
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
    /// Y of ITU-R BT.601 and JFIF.
    fileprivate static func brightness(_ red: Float, _ green: Float, _ blue: Float) -> Float {
        0.299 * red + 0.587 * green + 0.114 * blue
    }
}

/// One number for each pixel.
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

    /// With `S₀` the plane and `S₁`… its smoothings, the sum of details `gain(l) (Sₗ - Sₗ₊₁)` and of what is left,
    /// `S₅`, is `gain(0) S₀ + Σ (gain(l) - gain(l - 1)) Sₗ + (1 - gain(4)) S₅`.
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

    /// New memory is slow the first time, so even a copy is made some rows at a time.
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
        // Between the margins no neighbour is mirrored.
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

    /// A place outside 0..<count by reflection in the first and the last one, which are not repeated.
    private static func mirrored(_ index: Int, _ count: Int) -> Int {
        if index >= 0 && index < count { return index }
        guard count > 1 else { return 0 }
        let period = 2 * (count - 1)
        let place = ((index % period) + period) % period
        return place < count ? place : period - place
    }
}
#endif
