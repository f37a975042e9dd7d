#if Service
import PlatformImage

extension Bitmap {
    /// A copy blurred by running sums; pixels weigh by their alpha, and edges are repeated.
    ///
    /// All sums are of integers, so nothing drifts down the picture, and a picture of one colour stays as it is.
    ///
    /// - Throws: `outOfMemory`, `cancelled`, `limitExceeded` for a deadline.
    func blurred(by sums: BoxSums, cancellation: CancellationFlag?) throws(DecodeError) -> Bitmap {
        guard let radius = sums.boxes.last?.radius else { return self }
        let weights = sums.boxes.map(\.weight)
        var across = RunningRow(self, margin: radius)
        // Enough rows that the one which leaves the largest box is there when the one that comes in is.
        var window = RowRing(rowCount: min(height, 2 * radius + 2), sampleCount: bytesPerRow)
        var down = sums.boxes.map { _ in [UInt32](repeating: 0, count: bytesPerRow) }
        var means = [Float](repeating: 0, count: bytesPerRow)
        return try .written(width: width, height: height) { (pixels) throws(DecodeError) in
            var next = 0
            for y in 0..<height {
                while next <= min(y + radius, height - 1) {
                    if next % 16 == 0 { try cancellation?.poll() }
                    across.read(self, row: next)
                    across.store(sums.boxes, in: &means)
                    window.store(means, row: next)
                    next += 1
                }
                if y % 16 == 0 { try cancellation?.poll() }
                for (index, box) in sums.boxes.enumerated() {
                    if y == 0 {
                        for distance in -box.radius...box.radius {
                            window.add(row: min(max(0, distance), height - 1), to: &down[index])
                        }
                    } else {
                        window.add(row: min(y + box.radius, height - 1), to: &down[index])
                        window.subtract(row: max(0, y - box.radius - 1), from: &down[index])
                    }
                }
                for index in means.indices { means[index] = 0 }
                for index in down.indices { RunningRow.add(down[index], times: weights[index], to: &means) }
                Self.storeStraight(boxMeans: means, in: &pixels, at: y * bytesPerRow)
            }
        }
    }

    private static func storeStraight(boxMeans: [Float], in pixels: inout MutableSpan<UInt8>, at start: Int) {
        for at in stride(from: 0, to: boxMeans.count, by: 4) {
            let alpha = boxMeans[at + 3] / RowRing.scale
            // As in the exact blur: less than half a step of 255 cannot be seen.
            let share = alpha < 127.5 ? 0 : 255 / alpha
            for color in 0..<3 {
                pixels[start + at + color] = UInt8(rounding: boxMeans[at + color] / RowRing.scale * share)
            }
            pixels[start + at + 3] = UInt8(rounding: alpha / 255)
        }
    }
}

/// The sums of a row's samples from its begin on: a box's sum is the difference of two of them.
private struct RunningRow {
    private let margin: Int
    /// One more pixel than the row with its margins: before the first pixel the sums are 0. They may wrap around; their
    /// differences over at most 301 pixels of at most 65,025 do not.
    private var sums: [UInt32]

    init(_ bitmap: Bitmap, margin: Int) {
        self.margin = margin
        sums = [UInt32](repeating: 0, count: (bitmap.width + 2 * margin + 1) * 4)
    }

    /// Colours times alpha, and alpha times 255.
    mutating func read(_ bitmap: Bitmap, row y: Int) {
        let (margin, width) = (margin, bitmap.width)
        bitmap.withRow(y) { row in
            sums.withUnsafeMutableBufferPointer { sums in
                var (red, green, blue, alpha) = (UInt32(0), UInt32(0), UInt32(0), UInt32(0))
                for x in 0..<(width + 2 * margin) {
                    let at = min(max(0, x - margin), width - 1) * 4
                    let share = UInt32(row[at + 3])
                    red &+= UInt32(row[at]) * share
                    green &+= UInt32(row[at + 1]) * share
                    blue &+= UInt32(row[at + 2]) * share
                    alpha &+= 255 * share
                    sums[x * 4 + 4] = red
                    sums[x * 4 + 5] = green
                    sums[x * 4 + 6] = blue
                    sums[x * 4 + 7] = alpha
                }
            }
        }
    }

    /// The weighted sum of all boxes around each pixel.
    func store(_ boxes: [BoxSums.Box], in means: inout [Float]) {
        for index in means.indices { means[index] = 0 }
        let count = means.count
        for box in boxes {
            let (begin, end) = ((margin - box.radius) * 4, (margin + box.radius + 1) * 4)
            precondition(begin >= 0 && end + count <= sums.count)
            sums.withUnsafeBufferPointer { sums in
                means.withUnsafeMutableBufferPointer { means in
                    // Both ranges were checked above; without checks inside, the compiler adds several at once.
                    guard let source = sums.baseAddress, let target = means.baseAddress else { return }
                    for index in 0..<count {
                        let sum = source[end &+ index] &- source[begin &+ index]
                        target[index] += box.weight * Float(Int32(truncatingIfNeeded: sum))
                    }
                }
            }
        }
    }

    /// `sums[i] += weight * row[i]`.
    static func add(_ row: [UInt32], times weight: Float, to sums: inout [Float]) {
        let count = sums.count
        precondition(row.count == count)
        row.withUnsafeBufferPointer { row in
            sums.withUnsafeMutableBufferPointer { sums in
                // Both have as many samples.
                guard let source = row.baseAddress, let target = sums.baseAddress else { return }
                for index in 0..<count {
                    target[index] += weight * Float(Int32(truncatingIfNeeded: source[index]))
                }
            }
        }
    }
}

/// Rows that a box's running sum still needs, in fixed point.
private struct RowRing {
    /// Of a sample of 0...65,025: 301 of them stay below 2³¹.
    static let scale: Float = 16

    private let rowCount: Int
    private let sampleCount: Int
    private var samples: [UInt32]

    init(rowCount: Int, sampleCount: Int) {
        (self.rowCount, self.sampleCount) = (rowCount, sampleCount)
        samples = [UInt32](repeating: 0, count: rowCount * sampleCount)
    }

    mutating func store(_ row: [Float], row y: Int) {
        let (start, count) = (y % rowCount * sampleCount, sampleCount)
        precondition(row.count == count)
        row.withUnsafeBufferPointer { row in
            samples.withUnsafeMutableBufferPointer { samples in
                // The ring has whole rows of that many samples.
                guard let source = row.baseAddress, let target = samples.baseAddress else { return }
                for index in 0..<count {
                    target[start &+ index] = UInt32(bitPattern: Int32(source[index] * Self.scale + 0.5))
                }
            }
        }
    }

    func add(row y: Int, to sums: inout [UInt32]) {
        combine(row: y, with: &sums) { $0 &+ $1 }
    }

    func subtract(row y: Int, from sums: inout [UInt32]) {
        combine(row: y, with: &sums) { $0 &- $1 }
    }

    @inline(__always)
    private func combine(row y: Int, with sums: inout [UInt32], _ change: (UInt32, UInt32) -> UInt32) {
        let (start, count) = (y % rowCount * sampleCount, sampleCount)
        precondition(sums.count == count)
        samples.withUnsafeBufferPointer { samples in
            sums.withUnsafeMutableBufferPointer { sums in
                // The ring has whole rows of that many samples.
                guard let source = samples.baseAddress, let target = sums.baseAddress else { return }
                for index in 0..<count { target[index] = change(target[index], source[start &+ index]) }
            }
        }
    }
}
#endif
