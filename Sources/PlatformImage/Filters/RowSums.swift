/// Inner loops over rows of floating-point samples. They dominate the cost of blur, convolution and sharpening.
enum RowSums {
    /// Sets `row` to `count` zeros; allocates only when `row` has another count.
    static func clear(_ row: inout [Float], count: Int) {
        guard row.count == count else {
            row = [Float](repeating: 0, count: count)
            return
        }
        unsafe row.withUnsafeMutableBufferPointer { unsafe $0.update(repeating: 0) }
    }

    /// Computes `sums[i] += weight * row[start + i]` for all sums.
    static func add(_ row: [Float], from start: Int, times weight: Float, to sums: inout [Float]) {
        add(row, from: start, times: weight, to: &sums, at: 0, count: sums.count)
    }

    /// Computes `sums[offset + i] += weight * row[start + i]` for `count` sums.
    static func add(
        _ row: [Float], from start: Int, times weight: Float, to sums: inout [Float], at offset: Int, count: Int
    ) {
        precondition(min(start, offset) >= 0 && start <= row.count - count && offset <= sums.count - count)
        unsafe row.withUnsafeBufferPointer { row in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                // The precondition covers both ranges; unchecked accesses let the compiler vectorize the loop.
                guard let source = row.baseAddress, let target = sums.baseAddress else { return }
                for index in 0..<count { unsafe target[offset &+ index] += weight * source[start &+ index] }
            }
        }
    }

    /// Computes `target[start + i] = source[start + i] / 2 + (source[before + i] + source[after + i]) / 4` for `count`
    /// samples.
    static func smooth(
        _ source: [Float], at start: Int, before: Int, after: Int, count: Int, into target: inout [Float]
    ) {
        precondition(min(start, before, after) >= 0 && max(start, before, after) <= source.count - count)
        precondition(start <= target.count - count)
        unsafe source.withUnsafeBufferPointer { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                // The preconditions cover all ranges.
                guard let source = source.baseAddress, let target = target.baseAddress else { return }
                for index in 0..<count {
                    let others = unsafe source[before &+ index] + source[after &+ index]
                    unsafe target[start &+ index] = 0.5 * source[start &+ index] + 0.25 * others
                }
            }
        }
    }
}

/// Ring buffer of neighbouring rows, each computed once, for filters that process an image from top to bottom.
struct RowWindow {
    private var rows: [[Float]]
    /// Number of the first row that is not computed yet.
    private var next = 0

    /// Creates an empty window of `count` rows.
    init(count: Int) {
        rows = Array(repeating: [], count: count)
    }

    /// Returns row `y`, which must be in the window.
    subscript(y: Int) -> [Float] { rows[y % rows.count] }

    /// Computes the rows up to and including `last`; they replace the oldest ones.
    mutating func advance(
        through last: Int, _ make: (_ y: Int, _ row: inout [Float]) throws(DecodeError) -> Void
    ) throws(DecodeError) {
        while next <= last {
            try make(next, &rows[next % rows.count])
            next += 1
        }
    }
}
