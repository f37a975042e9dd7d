extension Bitmap {
    /// Returns a copy that is blurred by box filters with running sums. Pixels are weighted by their alpha, and edge
    /// pixels are repeated.
    ///
    /// The running sums are integers, so no rounding error accumulates, and a uniform image does not change.
    ///
    /// - Throws: `outOfMemory`, `cancelled`, `limitExceeded` for a deadline.
    func blurred(by sums: BoxSums, cancellation: CancellationFlag?) throws(DecodeError) -> Bitmap {
        guard let radius = sums.boxes.last?.radius else { return self }
        let weights = sums.boxes.map(\.weight)
        var across = RunningRow(self, margin: radius)
        // When a row enters the largest box, the row that leaves this box must still be stored.
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
                    if y == 0 {
                        for (index, box) in sums.boxes.enumerated() {
                            let count = box.timesOfRow(next, height: height)
                            if count > 0 { window.add(row: next, times: UInt32(count), to: &down[index]) }
                        }
                    }
                    next += 1
                }
                if y % 16 == 0 { try cancellation?.poll() }
                for (index, box) in sums.boxes.enumerated() where y > 0 {
                    window.add(row: min(y + box.radius, height - 1), times: 1, to: &down[index])
                    window.subtract(row: max(0, y - box.radius - 1), from: &down[index])
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
            // As in the exact blur: an alpha below 0.5 of 255 is invisible.
            let share = alpha < 127.5 ? 0 : 255 / alpha
            for color in 0..<3 {
                pixels[start + at + color] = UInt8(rounding: boxMeans[at + color] / RowRing.scale * share)
            }
            pixels[start + at + 3] = UInt8(rounding: alpha / 255)
        }
    }
}

extension BoxSums.Box {
    /// The number of times that the box around the first row contains row `y`: the first and the last row are repeated
    /// outside of the image.
    fileprivate func timesOfRow(_ y: Int, height: Int) -> Int {
        guard y <= radius else { return 0 }
        return 1 + (y == 0 ? radius : 0) + (y == height - 1 ? radius - y : 0)
    }
}

/// Prefix sums of the samples of a row: the sum over a box is the difference of two of them.
private struct RunningRow {
    private let margin: Int
    /// One pixel more than the row with its margins, because the first prefix sum is 0. The sums may wrap around; the
    /// differences do not overflow, as they cover at most 2,001 pixels of at most 65,025.
    private var sums: [UInt32]

    init(_ bitmap: Bitmap, margin: Int) {
        self.margin = margin
        sums = [UInt32](repeating: 0, count: (bitmap.width + 2 * margin + 1) * 4)
    }

    /// Computes the prefix sums of the colours times alpha, and of alpha times 255.
    mutating func read(_ bitmap: Bitmap, row y: Int) {
        let (margin, width) = (margin, bitmap.width)
        bitmap.withRow(y) { row in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                var (red, green, blue, alpha) = (UInt32(0), UInt32(0), UInt32(0), UInt32(0))
                for x in 0..<(width + 2 * margin) {
                    let at = min(max(0, x - margin), width - 1) * 4
                    let share = UInt32(row[at + 3])
                    red &+= UInt32(row[at]) * share
                    green &+= UInt32(row[at + 1]) * share
                    blue &+= UInt32(row[at + 2]) * share
                    alpha &+= 255 * share
                    unsafe sums[x * 4 + 4] = red
                    unsafe sums[x * 4 + 5] = green
                    unsafe sums[x * 4 + 6] = blue
                    unsafe sums[x * 4 + 7] = alpha
                }
            }
        }
    }

    /// Stores the weighted sum of all boxes around each pixel.
    func store(_ boxes: [BoxSums.Box], in means: inout [Float]) {
        for index in means.indices { means[index] = 0 }
        let count = means.count
        for box in boxes {
            let (begin, end) = ((margin - box.radius) * 4, (margin + box.radius + 1) * 4)
            precondition(begin >= 0 && end + count <= sums.count)
            unsafe sums.withUnsafeBufferPointer { sums in
                unsafe means.withUnsafeMutableBufferPointer { means in
                    // The precondition covers both ranges; unchecked accesses let the compiler vectorize the loop.
                    guard let source = sums.baseAddress, let target = means.baseAddress else { return }
                    for index in 0..<count {
                        let sum = unsafe source[end &+ index] &- source[begin &+ index]
                        unsafe target[index] += box.weight * Float(Int32(truncatingIfNeeded: sum))
                    }
                }
            }
        }
    }

    /// Computes `sums[i] += weight * row[i]`.
    static func add(_ row: [UInt32], times weight: Float, to sums: inout [Float]) {
        let count = sums.count
        precondition(row.count == count)
        unsafe row.withUnsafeBufferPointer { row in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                // The precondition makes both counts equal.
                guard let source = row.baseAddress, let target = sums.baseAddress else { return }
                for index in 0..<count {
                    unsafe target[index] += weight * Float(Int32(truncatingIfNeeded: source[index]))
                }
            }
        }
    }
}

/// Ring buffer of the rows that the running sums of the boxes still need, in fixed point.
private struct RowRing {
    /// Fixed-point scale of a sample of 0...65,025: the sum of 2,001 of them stays below 2³¹.
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
        unsafe row.withUnsafeBufferPointer { row in
            unsafe samples.withUnsafeMutableBufferPointer { samples in
                // The ring consists of whole rows of `sampleCount` samples, so all accesses are in bounds.
                guard let source = row.baseAddress, let target = samples.baseAddress else { return }
                for index in 0..<count {
                    unsafe target[start &+ index] = UInt32(bitPattern: Int32(source[index] * Self.scale + 0.5))
                }
            }
        }
    }

    func add(row y: Int, times count: UInt32, to sums: inout [UInt32]) {
        combine(row: y, with: &sums) { $0 &+ $1 &* count }
    }

    func subtract(row y: Int, from sums: inout [UInt32]) {
        combine(row: y, with: &sums) { $0 &- $1 }
    }

    @inline(__always)
    private func combine(row y: Int, with sums: inout [UInt32], _ change: (UInt32, UInt32) -> UInt32) {
        let (start, count) = (y % rowCount * sampleCount, sampleCount)
        precondition(sums.count == count)
        unsafe samples.withUnsafeBufferPointer { samples in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                // The ring consists of whole rows of `sampleCount` samples, so all accesses are in bounds.
                guard let source = samples.baseAddress, let target = sums.baseAddress else { return }
                for index in 0..<count { unsafe target[index] = change(target[index], source[start &+ index]) }
            }
        }
    }
}
